//! The update loop: what changed goes out, then what is shown for the first time.

use std::time::Duration;

use super::spawned::Spawned;
use super::{ConnectionId, NetworkServer, ServerEvent};
use crate::identity::Slot;
use crate::message::{self, Message};
use crate::segments::Segments;
use crate::stats::Stats;
use crate::{Channel, MessageType, NetId, NetworkWriter, WriteError, WriteErrorKind};

impl NetworkServer {
    /// Looks at what has changed and prepares the packets for every client; see the type's
    /// documentation for the order. `now` is the time since any fixed moment, and must not go back.
    ///
    /// A behaviour is sent when it is dirty and more than its send interval has passed since it was
    /// last sent, or since time zero.
    pub fn update(&mut self, now: Duration) {
        self.now = now;
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
        for id in due.drain(..) {
            self.send_object(id, now, all);
        }
        self.scratch = due;
    }

    fn send_object(&mut self, id: NetId, now: Duration, all: bool) {
        let Some(spawned) = self.objects.get_mut(id.0) else {
            return;
        };
        spawned.queued = false;
        if spawned.wake.is_some_and(|wake| all || wake < now) {
            spawned.wake = None;
        }
        if !spawned.announced {
            self.schedule.queue_new(spawned);
            return;
        }
        if self.audiences.get(spawned.audience).ready.is_empty() {
            spawned.clear_dirty();
            return;
        }
        let due = Due {
            now,
            force: all || spawned.moved,
        };
        for (channel, kind) in (0_u8..).zip(&self.config.channels) {
            if !due.includes_any(spawned, channel) {
                continue;
            }
            let Some(segments) = self.audiences.segments(spawned.audience, channel.into()) else {
                continue;
            };
            let limit = match kind {
                Channel::Reliable => usize::MAX,
                Channel::Unreliable => self.config.packet_size,
            };
            let update = Update {
                channel,
                limit,
                now,
            };
            if let Err(error) = update.write(spawned, segments, &mut self.stats) {
                let event = describe_failure(spawned, error, false);
                self.events.push(event);
                return;
            }
        }
        if !spawned.owed.is_empty() {
            self.schedule.queue_moved(spawned);
        }
        self.reschedule(id, now);
    }

    /// Sees to it that an object is looked at again when its next behaviour is due.
    fn reschedule(&mut self, id: NetId, now: Duration) {
        let Some(spawned) = self.objects.get_mut(id.0) else {
            return;
        };
        let channels = self.config.channels.len();
        let dirty =
            spawned.identity.behaviours.iter().filter(|slot| {
                slot.dirty_bits() != 0 && usize::from(slot.info().channel) < channels
            });
        match dirty
            .map(|slot| slot.last_send() + slot.info().send_interval)
            .min()
        {
            // Due and still dirty: its `on_serialize` says not yet. It is asked at every update.
            Some(next) if next < now => {
                self.schedule.queue_dirty(id, &mut spawned.queued);
            }
            Some(next) => self.schedule.wait(spawned, next),
            None => {}
        }
    }

    /// Gives every member of an audience a reference to what was written for it.
    pub(super) fn deliver(&mut self) {
        let (connections, outgoing) = (&mut self.connections, &mut self.outgoing);
        self.audiences.drain(|channel, piece, members| {
            for member in members {
                let Some(connection) = connections.get_mut(member.0) else {
                    continue;
                };
                connection.flush_own();
                connection.queues[channel].push_back(piece.clone());
                if !connection.listed {
                    connection.listed = true;
                    outgoing.push_back(*member);
                }
            }
        });
    }

    /// Appends a message for one connection alone.
    pub(super) fn send_own<M: Message>(&mut self, connection: ConnectionId, message: &M) {
        let Some(receiver) = self.connections.get_mut(connection.0) else {
            return;
        };
        message.encode(receiver.own.begin());
        self.stats.count_encoded(M::TYPE, receiver.own.commit());
        if !receiver.listed {
            receiver.listed = true;
            self.outgoing.push_back(connection);
        }
    }
}

/// Which behaviours are due.
#[derive(Clone, Copy)]
struct Due {
    now: Duration,
    /// Send intervals do not count: somebody is about to be given the full state.
    force: bool,
}

impl Due {
    fn includes_any(self, spawned: &Spawned, channel: u8) -> bool {
        spawned
            .identity
            .behaviours
            .iter()
            .any(|slot| self.includes(slot, channel))
    }

    fn includes(self, slot: &dyn Slot, channel: u8) -> bool {
        let info = slot.info();
        info.channel == channel
            && slot.dirty_bits() != 0
            && (self.force || self.now.saturating_sub(slot.last_send()) > info.send_interval)
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
    /// Writes the message. Nothing is sent and nothing is clean afterwards if no behaviour wants
    /// to be sent, or if a value has no form on the wire.
    fn write(
        &self,
        spawned: &mut Spawned,
        segments: &mut Segments,
        stats: &mut Stats,
    ) -> Result<(), WriteError> {
        let writer = segments.begin();
        let begin = writer.len();
        let start = message::begin(MessageType::UpdateVars, writer);
        writer.write(&spawned.identity.net_id());
        let written = self.write_behaviours(spawned, writer, stats);
        writer.finish_message(start);
        let length = writer.len() - begin;
        if length > self.limit {
            let limit = self.limit;
            writer.fail(WriteErrorKind::TooLargeForUnreliable { length, limit });
        }
        let error = writer.take_error();
        if error.is_some() || written.is_empty() {
            segments.give_up();
            return error.map_or(Ok(()), Err);
        }
        written.mark_sent(spawned, self.now);
        stats.count_encoded(MessageType::UpdateVars, segments.commit());
        Ok(())
    }

    fn write_behaviours(
        &self,
        spawned: &mut Spawned,
        writer: &mut NetworkWriter,
        stats: &mut Stats,
    ) -> Written {
        let mut written = Written::default();
        for index in 0..spawned.identity.behaviours.len() {
            let slot = spawned.identity.behaviours.slot_mut(index);
            let Some(slot) = slot.filter(|slot| slot.info().channel == self.channel) else {
                continue;
            };
            let before = writer.len();
            if slot.serialize(writer, false) {
                written.add(index);
            }
            stats.count_behaviour(
                spawned.first_behaviour + index,
                false,
                writer.len() - before,
            );
        }
        written
    }
}

/// The behaviours whose `on_serialize` returned `true`.
#[derive(Default)]
struct Written {
    first_64: u64,
    others: Vec<usize>,
}

impl Written {
    fn add(&mut self, index: usize) {
        if index < 64 {
            self.first_64 |= 1 << index;
        } else {
            self.others.push(index);
        }
    }

    fn is_empty(&self) -> bool {
        self.first_64 == 0 && self.others.is_empty()
    }

    fn mark_sent(&self, spawned: &mut Spawned, now: Duration) {
        let few = (0..64).filter(|index| self.first_64 >> index & 1 == 1);
        for index in few.chain(self.others.iter().copied()) {
            if let Some(slot) = spawned.identity.behaviours.slot_mut(index) {
                slot.clear_all_dirty_bits();
                slot.set_last_send(now);
            }
        }
    }
}

/// Finds out which field has no form on the wire, by writing each alone.
pub(super) fn describe_failure(
    spawned: &mut Spawned,
    error: WriteError,
    initial_state: bool,
) -> ServerEvent {
    let object = spawned.identity.net_id();
    let (mut behaviour, mut field) = (None, None);
    spawned.identity.behaviours.for_each_mut(|slot| {
        if behaviour.is_none() && fails(slot, initial_state) {
            behaviour = Some(slot.info().schema.name);
            field = failing_field(slot);
        }
    });
    tracing::error!(%object, ?behaviour, ?field, %error, "an object cannot be sent");
    ServerEvent::SerializeFailed {
        object,
        behaviour,
        field,
        error,
    }
}

fn fails(slot: &mut dyn Slot, initial_state: bool) -> bool {
    let mut writer = NetworkWriter::new();
    slot.serialize(&mut writer, initial_state);
    writer.error().is_some()
}

fn failing_field(slot: &mut dyn Slot) -> Option<&'static str> {
    let schema = slot.info().schema;
    let dirty_bits = slot.dirty_bits();
    let index = (0..schema.field_count().min(64)).find(|index| {
        slot.clear_all_dirty_bits();
        slot.set_dirty_bit(1 << index);
        fails(slot, false)
    });
    slot.clear_all_dirty_bits();
    slot.set_dirty_bit(dirty_bits);
    Some(schema.field(index?)?.name)
}
