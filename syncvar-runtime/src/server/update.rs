//! The update loop: what changed goes out, then what is shown for the first time.

use std::time::Duration;

use super::spawned::Spawned;
use super::{ConnectionId, NetworkServer, ServerEvent};
use crate::identity::{MAX_CHANNELS, Pending, When};
use crate::message::{self, LocalClientAuthority, Message};
use crate::segments::Segments;
use crate::stats::Stats;
use crate::{Channel, Dialect, MessageType, NetId, WriteError, WriteErrorKind};

/// So many objects are looked at before the first of them is written: fetching one from memory does
/// not depend on another then, and the processor fetches several at a time.
const BATCH: usize = 16;

impl NetworkServer {
    /// Looks at what has changed and prepares the packets for every client; see the type's
    /// documentation for the order. `now` is the time since any fixed moment. If it goes back, as a
    /// clock that is started again does, the server's own time stands still for this update and goes
    /// on from there.
    ///
    /// A behaviour is sent when it is dirty and more than its send interval has passed since it was
    /// last sent, or since time zero.
    pub fn update(&mut self, now: Duration) {
        self.now = self.now.saturating_add(now.saturating_sub(self.clock));
        self.clock = now;
        let now = self.now;
        let joining = !self.joining.is_empty();
        self.schedule_resyncs();
        self.send_changes(now, joining);
        self.deliver();
        self.show_and_hide();
        self.announce();
        if joining {
            self.join();
        }
    }

    /// Has objects sent again to those who asked, so many for each in one update.
    fn schedule_resyncs(&mut self) {
        let (connections, objects) = (&mut self.connections, &mut self.objects);
        let limit = self.config.resyncs_per_update.max(1);
        self.resyncing.retain(|id| {
            let Some(connection) = connections.get_mut(id.0) else {
                return false;
            };
            let wanted = std::iter::from_fn(|| connection.wanted.pop_first());
            for object in wanted.take(limit) {
                let spawned = objects.get_mut(object.0);
                if let Some(spawned) = spawned.filter(|spawned| !spawned.owed.contains(id)) {
                    spawned.owed.push(*id);
                    self.schedule.queue_moved(spawned);
                }
            }
            !connection.wanted.is_empty()
        });
    }

    /// Writes the changes of every object that is due, once each.
    fn send_changes(&mut self, now: Duration, all: bool) {
        let mut due = std::mem::take(&mut self.scratch);
        self.schedule.take_due(now, all, &mut due);
        for batch in due.chunks(BATCH) {
            let mut pending = [Pending::default(); BATCH];
            for (id, pending) in batch.iter().zip(&mut pending) {
                *pending = self.look_at(*id, now, all);
            }
            for (id, pending) in batch.iter().zip(pending) {
                self.send_object(*id, pending, now, all);
            }
        }
        due.clear();
        self.scratch = due;
    }

    fn look_at(&self, id: NetId, now: Duration, all: bool) -> Pending {
        self.objects
            .get(id.0)
            .map_or_else(Pending::default, |spawned| {
                let force = all || spawned.moved || !spawned.owed.is_empty();
                spawned.identity.behaviours.look(When { now, force })
            })
    }

    fn send_object(&mut self, id: NetId, pending: Pending, now: Duration, all: bool) {
        let Some(spawned) = self.objects.get_mut(id.0) else {
            return;
        };
        if spawned.wake.is_some_and(|wake| all || wake < now) {
            spawned.wake = None;
        }
        if !spawned.announced {
            self.schedule.queue_new(id);
            return;
        }
        if !self.audiences.get(spawned.audience).has_listeners() {
            spawned.clear_dirty();
            spawned.unsent = false;
            return;
        }
        let (mut left, mut failed) = (pending.dirty, 0_u64);
        let channels = self.config.channels.iter().take(MAX_CHANNELS);
        for (channel, kind) in (0_u8..).zip(channels) {
            if pending.channels >> channel == 0 {
                break;
            }
            if pending.channels >> channel & 1 == 0 {
                continue;
            }
            let limit = match kind {
                Channel::Reliable => usize::MAX,
                Channel::Unreliable => self.config.packet_size,
            };
            let (dialect, index) = (Dialect::Unet, channel.into());
            let Some(segments) = self.audiences.segments(spawned.audience, dialect, index) else {
                continue;
            };
            let update = Update {
                channel,
                limit,
                now,
            };
            match update.write(spawned, segments, &mut self.stats) {
                Ok(sent) => left &= !sent,
                Err(error) => {
                    failed |= 1 << channel;
                    self.events.push(describe_failure(id, error));
                }
            }
        }
        spawned.unsent = failed != 0;
        if !spawned.owed.is_empty() && failed == 0 {
            self.schedule.queue_sent(spawned);
        }
        if left != 0 {
            self.reschedule(id, now, failed);
        }
    }

    /// Sees to it that an object is looked at again when its next behaviour is due. Those on channels
    /// that could not be written (a bit each) wait until the object is changed.
    fn reschedule(&mut self, id: NetId, now: Duration, failed: u64) {
        let Some(spawned) = self.objects.get_mut(id.0) else {
            return;
        };
        let channels = self.config.channels.len().min(MAX_CHANNELS);
        let slots = spawned.identity.behaviours.iter();
        let dirty = slots.filter(|slot| {
            let channel = slot.info().channel;
            slot.dirty_bits() != 0 && usize::from(channel) < channels && failed >> channel & 1 == 0
        });
        match dirty
            .map(|slot| slot.last_send().saturating_add(slot.info().send_interval))
            .min()
        {
            // Due and still dirty: its `on_serialize` says not yet. It is asked at every update.
            Some(next) if next <= now => self.schedule.queue_dirty(id),
            Some(next) => self.schedule.wait(spawned, next),
            None => {}
        }
    }

    /// Gives every member of an audience a reference to what was written for it.
    pub(super) fn deliver(&mut self) {
        let (connections, outgoing) = (&mut self.connections, &mut self.outgoing);
        self.audiences.drain(|channel, pieces, members| {
            if pieces.is_empty() {
                return;
            }
            for member in members {
                let Some(connection) = connections.get_mut(member.0) else {
                    continue;
                };
                connection.push(channel, pieces);
                connection.list(outgoing);
            }
        });
    }

    /// Appends a message for one connection alone.
    pub(super) fn send_own<M: Message>(&mut self, connection: ConnectionId, message: &M) {
        let Some(receiver) = self.connections.get_mut(connection.0) else {
            return;
        };
        let writer = receiver.own.begin();
        message.encode(writer);
        if writer.take_error().is_some() {
            receiver.own.give_up();
            return;
        }
        self.stats.count_encoded(M::TYPE, receiver.own.commit());
        receiver.list(&mut self.outgoing);
    }

    /// Tells a connection whether it owns an object.
    pub(super) fn tell_owner(&mut self, connection: ConnectionId, net_id: NetId, authority: bool) {
        let message = LocalClientAuthority { net_id, authority };
        self.send_own(connection, &message);
    }
}

/// One `UpdateVars` message: every behaviour of a channel, the clean ones with an empty mask, those
/// that are dirty and not due with all their changes.
struct Update {
    channel: u8,
    /// The longest message that the channel can carry.
    limit: usize,
    now: Duration,
}

impl Update {
    /// Writes the message, and returns a bit for each behaviour that was sent. Nothing is sent and
    /// nothing is clean afterwards if no behaviour wants to be sent, or if a value has no form on the
    /// wire.
    fn write(
        &self,
        spawned: &mut Spawned,
        segments: &mut Segments,
        stats: &mut Stats,
    ) -> Result<u64, WriteError> {
        let writer = segments.begin();
        let begin = writer.len();
        let start = message::begin(MessageType::UpdateVars, writer);
        writer.write(&spawned.identity.net_id());
        let first_behaviour = spawned.first_behaviour;
        let sent =
            spawned
                .identity
                .behaviours
                .write_changes(self.channel, writer, |index, bytes| {
                    stats.count_behaviour(first_behaviour + index as usize, false, bytes);
                });
        writer.at_behaviour(None);
        writer.finish_message(start);
        let length = writer.len() - begin;
        if length > self.limit {
            let limit = self.limit;
            writer.fail(WriteErrorKind::TooLargeForUnreliable { length, limit });
        }
        let error = writer.take_error();
        if error.is_some() || sent == 0 {
            segments.give_up();
            return error.map_or(Ok(0), Err);
        }
        spawned.identity.behaviours.mark_sent(sent, self.now);
        stats.count_encoded(MessageType::UpdateVars, segments.commit());
        Ok(sent)
    }
}

/// Tells which field has no form on the wire. The object is left as it is: fields whose changes are
/// operations would not survive being written once more.
pub(super) fn describe_failure(object: NetId, error: WriteError) -> ServerEvent {
    let (behaviour, place) = (error.behaviour(), error.field());
    let field = place.map(|place| place.rsplit_once('.').map_or(place, |(_, field)| field));
    tracing::error!(%object, %error, "an object cannot be sent");
    ServerEvent::SerializeFailed {
        object,
        behaviour,
        field,
        error,
    }
}
