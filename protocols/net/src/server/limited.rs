//! Sends connections with a budget what they can be sent.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::budget::{Limit, Waiting, sensible_priority, slice};
use super::connection::Parcel;
use super::update::describe_failure;
use super::{Budget, ConnectionId, NetworkServer};
use crate::AudienceId;
use crate::object::Notes;
use crate::object::Slot;
use crate::packet::{update_fits, update_length};
use crate::{Channel, Framing, NetId, NetworkWriter, Vector3};

/// What the sending to connections with a budget uses again and again.
#[derive(Debug, Default)]
pub(super) struct Rationing {
    pub(super) notes: Notes,
    /// The connections with a budget, ascending.
    connections: Vec<ConnectionId>,
    /// Objects of another priority than 1.
    priorities: FxHashMap<NetId, f32>,
    order: Vec<usize>,
    chosen: Vec<Chosen>,
}

/// An object whose turn has come.
#[derive(Debug)]
struct Chosen {
    /// Its position in the list of those who wait.
    place: usize,
    /// Where its changes are: in the buffer of an audience, or among those that were written again.
    /// `None` if it is to be given the full state instead.
    changes: Option<Range<usize>>,
    shared: Option<AudienceId>,
}

impl Rationing {
    /// Whether there is a connection with a budget.
    pub(super) fn is_needed(&self) -> bool {
        !self.connections.is_empty()
    }

    pub(super) fn forget_object(&mut self, id: NetId) {
        self.priorities.remove(&id);
    }

    pub(super) fn forget_connection(&mut self, id: ConnectionId) {
        self.connections.retain(|connection| *connection != id);
    }
}

impl NetworkServer {
    /// Limits how much a connection is sent of what changes, or limits it no more. Returns whether
    /// there is such a connection.
    pub fn set_budget(&mut self, connection: ConnectionId, budget: Option<Budget>) -> bool {
        if !self.knows(connection) {
            return false;
        }
        // Nothing is sent to the local client.
        if self.is_local(connection) {
            return true;
        }
        let Some(limited) = self.connections.get_mut(connection.0) else {
            return false;
        };
        match (budget, &mut limited.limit) {
            (Some(budget), Some(limit)) => (limit.budget, limit.over) = (budget, false),
            (Some(budget), none) => *none = Some(Box::new(Limit::new(budget))),
            (None, Some(limit)) => limit.over = true,
            (None, None) => return true,
        }
        let limited = &mut self.rationing.connections;
        if let Err(place) = limited.binary_search(&connection) {
            limited.insert(place, connection);
        }
        true
    }

    /// From where a connection with a [`Budget`] looks: what is nearer comes first. Returns whether
    /// there is such a connection.
    pub fn set_viewpoint(&mut self, connection: ConnectionId, viewpoint: Option<Vector3>) -> bool {
        let Some(viewer) = self.connections.get_mut(connection.0) else {
            return false;
        };
        viewer.viewpoint = viewpoint;
        true
    }

    /// How much an object gains with every update in which it waits for its turn at a connection with
    /// a [`Budget`]; 1 unless set, and at least 0.001. One of priority 2 is sent twice as often as one
    /// of 1 when there is too much to be sent. Returns whether there is such an object.
    pub fn set_priority(&mut self, id: NetId, priority: f32) -> bool {
        let known = self.objects.get(id.0).is_some();
        if known {
            let priority = sensible_priority(priority);
            self.rationing.priorities.insert(id, priority);
        }
        known
    }

    /// Whether anything waits for its turn.
    pub(super) fn is_rationing(&self) -> bool {
        self.rationing.connections.iter().any(|id| {
            let connection = self.connections.get(id.0);
            let limit = connection.and_then(|connection| connection.limit.as_ref());
            limit.is_some_and(|limit| !limit.waiting.is_empty())
        })
    }

    /// Ends the limits of connections whose budget is over and for which nothing waits, nor is owed to
    /// them instead: they get what is written next as everybody does.
    pub(super) fn end_budgets(&mut self) {
        // Some have not been given yet what was written when an object got another owner.
        if !self.rationing.notes.list.is_empty() {
            return;
        }
        let (connections, owed) = (&mut self.connections, &self.owed);
        self.rationing.connections.retain(|id| {
            let Some(connection) = connections.get_mut(id.0) else {
                return false;
            };
            let limit = &mut connection.limit;
            let is_owed = || owed.values().any(|owed| owed.contains(id));
            limit.take_if(|limit| limit.over && limit.waiting.is_empty() && !is_owed());
            limit.is_some()
        });
    }

    /// Sends connections with a budget what it allows of what has changed.
    pub(super) fn send_rations(&mut self) {
        let connections = std::mem::take(&mut self.rationing.connections);
        self.rationing.notes.sort();
        for id in &connections {
            let connection = self.connections.get_mut(id.0);
            let limit = connection.and_then(|connection| connection.limit.take());
            let Some(mut limit) = limit else {
                continue;
            };
            self.send_ration(*id, &mut limit);
            if let Some(connection) = self.connections.get_mut(id.0) {
                connection.limit = Some(limit);
            }
        }
        self.rationing.connections = connections;
        self.rationing.notes.clear();
    }

    fn send_ration(&mut self, id: ConnectionId, limit: &mut Limit) {
        limit.renew();
        let connection = self.connections.get(id.0);
        let ready = connection.filter(|connection| connection.is_ready());
        let Some(framing) = ready.map(|connection| connection.framing) else {
            limit.waiting.clear();
            return;
        };
        let observed = |audience| self.audiences.get(audience).observes(id);
        // Who is about to be given the full state has no use for changes that build on what it missed.
        let owed = |object| {
            self.owed
                .get(&object)
                .is_some_and(|owed| owed.contains(&id))
        };
        limit.note(&self.rationing.notes, id, |note| {
            // Some may see the object no more since that was written, ahead of the update.
            let ahead = note.changes.is_none();
            let spawned = self.objects.get(note.net_id.0).filter(|_| ahead);
            let audience = spawned.map_or(note.audience, |spawned| spawned.audience);
            observed(audience) && !owed(note.net_id)
        });
        limit.waiting.retain(|waiting| {
            let spawned = self.objects.get(waiting.net_id.0);
            // One that is not announced is another object, which has been given the id of a former one.
            spawned.is_some_and(|spawned| spawned.announced && observed(spawned.audience))
        });
        self.choose(id, framing, limit);
        self.send_chosen(id, limit);
    }

    /// Chooses those whose turn has come, and writes again what has been missed.
    fn choose(&mut self, id: ConnectionId, framing: Framing, limit: &mut Limit) {
        let viewpoint = self
            .connections
            .get(id.0)
            .and_then(|connection| connection.viewpoint);
        let packet_size = self.config.gathered_size();
        let mut order = std::mem::take(&mut self.rationing.order);
        let priorities = &self.rationing.priorities;
        limit.order(&mut order, viewpoint, |id| {
            let priority = priorities.get(&id).copied().unwrap_or(1.0);
            let place = self.places.get(id.0).map(|place| place.position);
            (priority, place.unwrap_or_default())
        });
        if limit.again.encoding() == framing.encoding() {
            limit.again.truncate(0);
        } else {
            limit.again = NetworkWriter::with_encoding(framing.encoding());
        }
        for place in order.drain(..) {
            let Some(waiting) = limit.waiting.get(place).cloned() else {
                continue;
            };
            let net_id = waiting.net_id;
            let fresh = waiting
                .fresh
                .and_then(|note| self.rationing.notes.list.get(note))
                .and_then(|note| {
                    let changes = note.changes.as_ref()?;
                    Some((changes[Notes::place(framing.form())].clone(), note.audience))
                });
            if fresh.is_none() && self.has_operations(&waiting) && limit.postpone(place) {
                continue;
            }
            let (changes, shared) = match fresh {
                Some((changes, audience)) => (Some(changes), Some(audience)),
                None => (self.write_again(id, net_id, place, limit), None),
            };
            match &changes {
                Some(changes) => {
                    let bytes = update_length(framing.form(), net_id, changes.len());
                    if !limit.afford(framing, bytes, packet_size) {
                        break;
                    }
                }
                None => {
                    self.owe(net_id, &[id]);
                    self.schedule.queue_dirty(net_id);
                }
            }
            self.rationing.chosen.push(Chosen {
                place,
                changes,
                shared,
            });
        }
        order.clear();
        self.rationing.order = order;
        self.rationing
            .chosen
            .sort_unstable_by_key(|chosen| chosen.place);
    }

    /// Whether operations on an object wait for its send interval. If what a connection has missed were
    /// written again now, it would have them too, and everybody would have to be sent the collections
    /// whole: better wait until the operations have been sent.
    fn has_operations(&self, waiting: &Waiting) -> bool {
        let spawned = self.objects.get(waiting.net_id.0);
        let Some(spawned) = spawned.filter(|spawned| !spawned.unsent) else {
            return false;
        };
        let slots = self.pools.slots(spawned.at);
        let of_channel = |slot: &&dyn Slot| slot.info().channel == waiting.channel;
        slots.is_some_and(|slots| {
            let mut slots = slots.iter().filter(of_channel);
            slots.any(|slot| slot.dirty_bits() & slot.info().operation_bits != 0)
        })
    }

    /// Writes the fields of an object that a connection has missed, as they are now. Where that cannot
    /// be done, because changes are operations, because a value has no form on the wire or because
    /// it is too long for a message, it is to be
    /// given the full state, as soon as that can be written.
    fn write_again(
        &mut self,
        reader: ConnectionId,
        net_id: NetId,
        place: usize,
        limit: &mut Limit,
    ) -> Option<Range<usize>> {
        let spawned = self.objects.get(net_id.0)?;
        let is_owner = spawned.owner == Some(reader);
        let slots = self.pools.slots_mut(spawned.at)?;
        let Limit {
            waiting,
            masks,
            again,
            ..
        } = limit;
        let waiting = waiting.get(place)?;
        let of_channel = |slot: &&dyn Slot| slot.info().channel == waiting.channel;
        if !slots
            .iter()
            .filter(of_channel)
            .all(|slot| slot.info().resendable)
        {
            return None;
        }
        let framing = self.connections.get(reader.0)?.framing;
        let start = again.len();
        let mut masks = slice(masks, &waiting.masks).iter();
        slots.for_each_mut(|slot| {
            let missed = masks.next().copied().unwrap_or_default();
            if slot.info().channel == waiting.channel {
                let readable = slot.info().rules.readable(is_owner);
                slot.write_again(missed & readable, again);
            }
        });
        if let Some(error) = again.take_error() {
            again.truncate(start);
            self.events.push(describe_failure(net_id, error));
            return None;
        }
        let channel = self.config.channels.get(usize::from(waiting.channel));
        let room = self
            .config
            .room(channel.copied().unwrap_or(Channel::Reliable));
        // What was missed of several updates may be too long together.
        if !update_fits(framing.form(), net_id, again.len() - start, room) {
            again.truncate(start);
            return None;
        }
        Some(start..again.len())
    }

    /// Puts what was chosen into the connection's queue.
    fn send_chosen(&mut self, id: ConnectionId, limit: &mut Limit) {
        let mut chosen = std::mem::take(&mut self.rationing.chosen);
        let Some(connection) = self.connections.get_mut(id.0) else {
            return;
        };
        let (framing, packet_size) = (connection.framing, self.config.gathered_size());
        let Limit {
            waiting,
            again,
            outputs,
            ..
        } = limit;
        for Chosen {
            place,
            changes,
            shared,
        } in &chosen
        {
            let (Some(waiting), Some(changes)) = (waiting.get(*place), changes) else {
                continue;
            };
            let written = match shared {
                Some(audience) => self.audiences.written(*audience, framing, waiting.channel),
                None => again.as_bytes(),
            };
            let changes = written.get(changes.clone()).unwrap_or_default();
            while outputs.len() <= usize::from(waiting.channel) {
                outputs.push(framing.segments(packet_size));
            }
            let output = &mut outputs[usize::from(waiting.channel)];
            output.push_update(waiting.net_id, changes);
        }
        let mut sent = 0;
        for (channel, output) in (0_u8..).zip(outputs) {
            let pieces = self
                .stock
                .add(output.drain().inspect(|piece| sent += piece.len()));
            if !pieces.is_empty() {
                connection.push(Parcel { channel, pieces }, &mut self.stock);
                connection.list(&mut self.outgoing);
            }
        }
        limit.charge(sent);
        limit.take(chosen.iter().map(|chosen| chosen.place));
        chosen.clear();
        self.rationing.chosen = chosen;
    }
}
