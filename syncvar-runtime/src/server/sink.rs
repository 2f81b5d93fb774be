//! `Sink`: destination of the deltas of a run.

use super::audience::{AudienceId, Outputs};
use super::backlog::mask_count;
use super::notes::{DirtyMasks, WriteLog, WriteRecord};
use crate::identity::{MarkSent, Nanos, Pending, Slots, When, WriteChanges};
use crate::segments::{Room, Segments};
use crate::stats::{BehaviourStats, Counter};
use crate::{Channel, Dialect, NetId, WriteError};

/// Encodes the deltas of objects, once for every dialect of the audience.
#[derive(Debug)]
pub(crate) struct Sink<'a> {
    pub(super) now: Nanos,
    pub(super) channels: &'a [Channel],
    /// Maximum length of a message, per kind of channel.
    pub(super) reliable: Room,
    pub(super) unreliable: Room,
    pub(super) audience: AudienceId,
    pub(super) outputs: Outputs<'a>,
    /// Counters of the objects' behaviours.
    pub(super) stats: &'a mut [BehaviourStats],
    /// Messages of the run. The caller adds them to the statistics.
    pub(super) encoded: Encoded,
    pub(super) outcome: &'a mut Outcome,
    /// Log of writes, if a connection has a budget.
    pub(super) log: Option<&'a mut WriteLog>,
}

/// Messages of a run, per dialect.
#[derive(Debug, Default)]
pub(super) struct Encoded {
    pub(super) unet: Counter,
    pub(super) compact: Counter,
}

impl Encoded {
    #[inline]
    fn add(&mut self, dialect: Dialect, bytes: usize) {
        match dialect {
            Dialect::Unet => self.unet.add(bytes),
            Dialect::Compact | Dialect::Mirror => self.compact.add(bytes),
        }
    }

    #[cfg(feature = "parallel")]
    pub(super) fn add_all(&mut self, dialect: Dialect, counter: Counter) {
        match dialect {
            Dialect::Unet => self.unet.add_all(counter),
            Dialect::Compact | Dialect::Mirror => self.compact.add_all(counter),
        }
    }
}

/// Results of a run.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Objects that are still dirty, with a bit for each failed channel.
    pub(super) left: Vec<(NetId, u64)>,
    /// Objects with a failed channel.
    pub(super) errors: Vec<(NetId, WriteError)>,
}

impl Sink<'_> {
    pub(crate) fn when(&self, force: bool) -> When {
        When {
            now: self.now,
            force,
        }
    }

    /// Writes the due channels of an object.
    #[inline]
    pub(crate) fn write<S: Slots>(&mut self, net_id: NetId, pending: Pending, slots: &mut S) {
        let (mut left, mut failed) = (pending.dirty, 0_u64);
        let mut due = pending.channels;
        while due != 0 {
            let channel = due.trailing_zeros();
            due &= due - 1;
            match self.write_channel(net_id, channel, slots) {
                Ok(sent) => left &= !sent,
                Err(error) => {
                    failed |= 1 << channel;
                    self.outcome.errors.push((net_id, error));
                }
            }
        }
        if left != 0 {
            self.outcome.left.push((net_id, failed));
        }
    }

    /// Writes one message with every behaviour of a channel. Clean behaviours have an empty mask;
    /// dirty ones contribute all changes, due or not. Returns a bit for each sent behaviour. If no
    /// behaviour has a change to send or encoding fails, the message is dropped and the behaviours
    /// stay dirty.
    #[inline]
    fn write_channel<S: Slots>(
        &mut self,
        net_id: NetId,
        channel: u32,
        slots: &mut S,
    ) -> Result<u64, WriteError> {
        let (place, channel) = (channel as usize, u8::try_from(channel).unwrap_or(u8::MAX));
        let (room, lossy) = match self.channels.get(place) {
            Some(Channel::Reliable) => (self.reliable, false),
            Some(Channel::Unreliable) => (self.unreliable, true),
            None => return Ok(0),
        };
        let info = ChannelInfo {
            channel,
            room,
            lossy,
        };
        let sent = if self.outputs.second.is_empty() {
            let Some(segments) = self.outputs.first.get_mut(place) else {
                return Ok(0);
            };
            let sent = write(slots, net_id, info, segments, self.stats);
            if sent.as_ref().is_ok_and(|sent| *sent != 0) {
                self.encoded
                    .add(segments.dialect(), segments.commit_object());
            } else {
                segments.give_up_object();
            }
            sent?
        } else {
            self.write_to_all(net_id, info, slots)?
        };
        if sent != 0 {
            if self.log.is_some() {
                self.record((net_id, channel), sent, slots);
            }
            let now = self.now;
            slots.visit(&mut MarkSent { sent, now });
        }
        Ok(sent)
    }

    /// Writes a message in every dialect of the audience.
    #[inline(never)]
    fn write_to_all<S: Slots>(
        &mut self,
        net_id: NetId,
        info: ChannelInfo,
        slots: &mut S,
    ) -> Result<u64, WriteError> {
        let (mut result, mut begun) = (Ok(0), 0);
        let channel = usize::from(info.channel);
        for segments in self.outputs.channel(channel) {
            begun += 1;
            result = write(slots, net_id, info, segments, self.stats);
            if !matches!(result, Ok(1..)) {
                break;
            }
        }
        for segments in self.outputs.channel(channel).take(begun) {
            if matches!(result, Ok(1..)) {
                self.encoded
                    .add(segments.dialect(), segments.commit_object());
            } else {
                segments.give_up_object();
            }
        }
        result
    }

    /// Records a message for connections with a budget.
    #[inline(never)]
    fn record<S: Slots>(&mut self, (net_id, channel): (NetId, u8), sent: u64, slots: &mut S) {
        let Some(log) = self.log.as_deref_mut() else {
            return;
        };
        let mut changes = [0..0, 0..0];
        for segments in self.outputs.channel(channel.into()) {
            changes[WriteLog::index(segments.dialect())] = segments.last_update();
        }
        let start = mask_count(&log.masks);
        let masks = &mut log.masks;
        slots.visit(&mut DirtyMasks { sent, masks });
        log.records.push(WriteRecord {
            net_id,
            channel,
            audience: self.audience,
            masks: start..mask_count(&log.masks),
            changes: Some(changes),
            owner: None,
        });
    }
}

/// A channel of one message.
#[derive(Clone, Copy)]
pub(super) struct ChannelInfo {
    pub(super) channel: u8,
    /// Maximum length of a message.
    pub(super) room: Room,
    /// Whether messages may be lost.
    pub(super) lossy: bool,
}

/// Writes a message. The caller commits it, or drops it on an error or without a sent behaviour.
/// Returns a bit for each sent behaviour.
#[inline]
fn write<S: Slots>(
    slots: &mut S,
    net_id: NetId,
    info: ChannelInfo,
    segments: &mut Segments,
    stats: &mut [BehaviourStats],
) -> Result<u64, WriteError> {
    let mut write = WriteChanges {
        channel: info.channel,
        writer: segments.begin_update(net_id),
        stats,
        lossy: info.lossy,
        sent: 0,
    };
    slots.visit(&mut write);
    let sent = write.sent;
    match segments.check_update(info.room) {
        Some(error) => Err(error),
        None => Ok(sent),
    }
}
