//! `ChangeSink`: destination of the deltas of a run of objects.

use std::ops::Range;

use super::changes::{Look, MarkSent, When, WriteChanges};
use super::nanos::Nanos;
use super::slots::Slots;
use super::write_record::{WriteLog, WriteRecord, mask_count};
use crate::packet::{Room, Segments, UpdateForm};
use crate::stats::{BehaviourStats, Counter};
use crate::{AudienceId, Channel, NetId, WriteError};

/// An object with pending changes.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Id of the object.
    pub net_id: NetId,
    /// Row in the pool.
    pub row: u32,
    /// Set if send intervals do not count.
    pub force: bool,
}

/// Encodes the deltas of objects, once for every form of the observers.
#[derive(Debug)]
pub struct ChangeSink<'a> {
    /// Time and limits of the update.
    pub rules: SinkRules<'a>,
    /// Observers of the objects.
    pub audience: AudienceId,
    /// Buffers of the observers.
    pub outputs: Outputs<'a>,
    /// Counters of the objects' behaviours.
    pub stats: &'a mut [BehaviourStats],
    /// Messages of the run. The caller adds them to the statistics.
    pub encoded: Encoded,
    /// Results of the run.
    pub outcome: &'a mut Outcome,
    /// Log of writes, if a connection has a budget or may lose packets.
    pub log: Option<SinkLog<'a>>,
}

/// Time and limits of an update.
#[derive(Clone, Copy, Debug)]
pub struct SinkRules<'a> {
    /// Time of the update.
    pub now: Nanos,
    /// Tick of the update; `None` if fields lack ticks.
    pub tick: Option<u32>,
    /// Set if the tick has had a frame: behaviours on unreliable channels wait for the next frame.
    pub framed: bool,
    /// Send interval of behaviours without an interval.
    pub interval: Nanos,
    /// Kinds of the channels.
    pub channels: &'a [Channel],
    /// Maximum length of a message on a reliable channel.
    pub reliable: Room,
    /// Maximum length of a message on an unreliable channel.
    pub unreliable: Room,
}

/// Log of the writes of a run.
#[derive(Debug)]
pub struct SinkLog<'a> {
    /// The log.
    pub writes: &'a mut WriteLog,
    /// Set if the log has the writes on reliable channels too.
    pub has_reliable: bool,
}

/// Buffers of an audience, for each form of its observers.
#[derive(Debug)]
pub struct Outputs<'a> {
    /// Buffers of every channel, in the only form or in the first of two.
    pub first: &'a mut [Segments],
    /// Buffers of every channel in the second form.
    pub second: &'a mut [Segments],
}

impl<'a> Outputs<'a> {
    /// Returns the buffers of every channel in both forms. A form without observers has none.
    pub fn new(single: &'a mut [Segments], batched: &'a mut [Segments]) -> Self {
        let (first, second) = if batched.is_empty() {
            (single, batched)
        } else {
            (batched, single)
        };
        Self { first, second }
    }

    /// Returns the buffers of a channel, one for each form.
    pub fn channel(&mut self, channel: usize) -> impl Iterator<Item = &mut Segments> {
        let first = self.first.get_mut(channel);
        first.into_iter().chain(self.second.get_mut(channel))
    }

    /// Returns the positions of the last deltas on a channel, as in [`WriteRecord::changes`].
    #[inline]
    fn last_updates(&self, channel: usize) -> [Range<usize>; 2] {
        let mut changes = [0..0, 0..0];
        for outputs in [&*self.first, &*self.second] {
            if let Some(segments) = outputs.get(channel) {
                changes[WriteLog::index(segments.form())] = segments.last_update();
            }
        }
        changes
    }
}

/// Messages of a run.
#[derive(Debug, Default)]
pub struct Encoded {
    /// Messages with one object each.
    pub single: Counter,
    /// Messages with several objects each.
    pub batched: Counter,
}

impl Encoded {
    #[inline]
    fn add(&mut self, form: UpdateForm, bytes: usize) {
        self.of(form).add(bytes);
    }

    /// Returns the counter of a form.
    pub fn of(&mut self, form: UpdateForm) -> &mut Counter {
        if form.batched {
            &mut self.batched
        } else {
            &mut self.single
        }
    }
}

/// Results of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Objects that are still dirty, with a bit for each failed channel.
    pub left: Vec<(NetId, u64)>,
    /// Objects with a failed channel.
    pub errors: Vec<(NetId, WriteError)>,
}

impl ChangeSink<'_> {
    /// Writes the due channels of an object.
    #[inline]
    pub fn write<S: Slots>(&mut self, job: &Job, slots: &mut S) {
        let when = When {
            now: self.rules.now,
            interval: self.rules.interval,
            force: job.force,
        };
        let pending = Look::at(slots, when);
        let net_id = job.net_id;
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
    /// dirty behaviours contribute all changes, due or not. Returns a bit for each sent behaviour. If no
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
        let (room, lossy) = match self.rules.channels.get(place) {
            Some(Channel::Reliable) => (self.rules.reliable, false),
            Some(Channel::Unreliable) if !self.rules.framed => (self.rules.unreliable, true),
            Some(Channel::Unreliable) | None => return Ok(0),
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
                self.encoded.add(segments.form(), segments.commit_object());
            } else {
                segments.give_up_object();
            }
            sent?
        } else {
            self.write_to_all(net_id, info, slots)?
        };
        if sent != 0 {
            let log = self.log.as_mut().filter(|log| lossy || log.has_reliable);
            let mut log = log.map(|log| &mut *log.writes);
            let start = log.as_ref().map_or(0, |log| mask_count(&log.masks));
            let mut mark = MarkSent {
                sent,
                now: self.rules.now,
                tick: self.rules.tick,
                masks: log.as_mut().map(|log| &mut log.masks),
            };
            slots.visit(0, &mut mark);
            if let Some(log) = log {
                log.records.push(WriteRecord {
                    net_id,
                    channel,
                    audience: self.audience,
                    masks: start..mask_count(&log.masks),
                    changes: Some(self.outputs.last_updates(place)),
                    owner: None,
                    members: None,
                    part: false,
                });
            }
        }
        Ok(sent)
    }

    /// Writes a message in every form.
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
                self.encoded.add(segments.form(), segments.commit_object());
            } else {
                segments.give_up_object();
            }
        }
        result
    }
}

/// A channel of a message.
#[derive(Clone, Copy, Debug)]
pub struct ChannelInfo {
    /// Number of the channel.
    pub channel: u8,
    /// Maximum length of a message.
    pub room: Room,
    /// Set if messages may be lost.
    pub lossy: bool,
}

/// Writes a message. The caller commits it, or drops it on an error or without a sent behaviour.
/// Returns a bit for each sent behaviour.
#[expect(
    clippy::inline_always,
    reason = "as a call it takes a tenth of a server's time per delta"
)]
#[inline(always)]
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
    slots.visit(0, &mut write);
    let sent = write.sent;
    match segments.check_update(info.room) {
        Some(error) => Err(error),
        None => Ok(sent),
    }
}
