//! `Sink`: where a run of objects of one kind and one audience writes its changes.

use std::time::Duration;

use super::audience::{AudienceId, Outputs};
use super::budget::position;
use super::notes::{Note, NoteMasks, Notes};
use crate::identity::{MarkSent, Pending, Slots, When, WriteChanges};
use crate::stats::Stats;
use crate::{Channel, NetId, WriteError};

/// Takes the changes of objects, each written once for every dialect that is spoken in the audience.
#[derive(Debug)]
pub(crate) struct Sink<'a> {
    pub(super) now: Duration,
    pub(super) channels: &'a [Channel],
    /// The longest message that an unreliable channel can carry.
    pub(super) packet_size: usize,
    pub(super) outputs: Outputs<'a>,
    pub(super) stats: &'a mut Stats,
    /// The position of the objects' first behaviour in the statistics.
    pub(super) first_behaviour: usize,
    pub(super) outcome: &'a mut Outcome,
    pub(super) audience: AudienceId,
    /// Where to note what was written, if there are connections with a budget.
    pub(super) notes: Option<&'a mut Notes>,
}

/// What is left to do for objects that have been looked at.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Objects with behaviours that are still dirty, and a bit for each channel that could not be
    /// written.
    pub(super) left: Vec<(NetId, u64)>,
    /// Objects of which something could not be written.
    pub(super) errors: Vec<(NetId, WriteError)>,
}

impl Sink<'_> {
    pub(crate) fn when(&self, force: bool) -> When {
        When {
            now: self.now,
            force,
        }
    }

    /// Writes what an object has to send, channel by channel.
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

    /// Writes one message: every behaviour of a channel, the clean ones with an empty mask, those
    /// that are dirty and not due with all their changes. Returns a bit for each behaviour that was
    /// sent. Nothing is sent and nothing is clean afterwards if no behaviour wants to be sent, or if
    /// a value has no form on the wire.
    #[inline]
    fn write_channel<S: Slots>(
        &mut self,
        net_id: NetId,
        channel: u32,
        slots: &mut S,
    ) -> Result<u64, WriteError> {
        let (place, channel) = (channel as usize, u8::try_from(channel).unwrap_or(u8::MAX));
        let limit = match self.channels.get(place) {
            Some(Channel::Reliable) => usize::MAX,
            Some(Channel::Unreliable) => self.packet_size,
            None => return Ok(0),
        };
        let stats = self.stats.behaviours.get_mut(self.first_behaviour..);
        let stats = stats.unwrap_or_default();
        let (mut sent, mut error, mut begun) = (0, None, 0);
        for segments in self.outputs.channel(place) {
            let mut write = WriteChanges {
                channel,
                writer: segments.begin_update(net_id),
                stats: &mut *stats,
                sent: 0,
            };
            slots.visit(&mut write);
            sent = write.sent;
            error = segments.check_update(limit);
            begun += 1;
            if error.is_some() || sent == 0 {
                break;
            }
        }
        if error.is_some() || sent == 0 {
            let written = self.outputs.channel(place).take(begun);
            written.for_each(|segments| segments.give_up_update());
            return error.map_or(Ok(0), Err);
        }
        for segments in self.outputs.channel(place) {
            let (message_type, length) = segments.commit_update();
            self.stats.count_encoded(message_type, length);
        }
        if self.notes.is_some() {
            self.note((net_id, channel), sent, slots);
        }
        let now = self.now;
        slots.visit(&mut MarkSent { sent, now });
        Ok(sent)
    }

    /// Notes what has just been written.
    fn note<S: Slots>(&mut self, (net_id, channel): (NetId, u8), sent: u64, slots: &mut S) {
        let Some(notes) = self.notes.as_deref_mut() else {
            return;
        };
        let mut changes = [0..0, 0..0];
        for segments in self.outputs.channel(channel.into()) {
            changes[Notes::place(segments.dialect())] = segments.last_update();
        }
        let start = position(&notes.masks);
        let masks = &mut notes.masks;
        slots.visit(&mut NoteMasks { sent, masks });
        notes.list.push(Note {
            net_id,
            channel,
            audience: self.audience,
            masks: start..position(&notes.masks),
            changes,
        });
    }
}
