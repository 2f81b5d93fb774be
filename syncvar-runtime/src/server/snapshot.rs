//! Full states: of objects that come into sight, of new objects, and of everything for those who
//! have become ready.

use bytes::Bytes;

use super::connection::ConnectionState;
use super::spawned::Spawned;
use super::update::describe_failure;
use super::{ConnectionId, NetworkServer, ServerEvent};
use crate::message::{ObjectHide, ObjectSpawn, SpawnFinished};
use crate::segments::Segments;
use crate::stats::Stats;
use crate::{Dialect, MessageType, NetId, NetworkWriter, WriteError};

impl NetworkServer {
    /// Moves objects to the audiences they should have: those who leave are told to forget the
    /// object, those who enter get it whole.
    pub(super) fn show_and_hide(&mut self) {
        let mut moved = std::mem::take(&mut self.scratch);
        self.schedule.take_moved(&mut moved);
        for id in moved.drain(..) {
            self.move_object(id);
        }
        self.scratch = moved;
    }

    fn move_object(&mut self, id: NetId) {
        let Some(spawned) = self.objects.get_mut(id.0) else {
            return;
        };
        spawned.moved = false;
        let former = std::mem::replace(&mut spawned.audience, spawned.wanted);
        self.audiences.acquire(spawned.audience);
        self.audiences.release(former);
        if !spawned.announced {
            return;
        }
        let before = self.audiences.get(former);
        let after = self.audiences.get(spawned.wanted);
        let leaving: Vec<_> = before.ready().filter(|c| !after.observes(*c)).collect();
        let mut entering: Vec<_> = after.ready().filter(|c| !before.observes(*c)).collect();
        let mut owed = std::mem::take(&mut spawned.owed);
        owed.retain(|c| after.observes(*c) && !entering.contains(c));
        entering.append(&mut owed);
        entering.sort_unstable();
        entering.dedup();
        for connection in leaving {
            self.send_own(connection, &ObjectHide { net_id: id });
        }
        self.spawn_for(id, entering);
    }

    /// A connection belongs to no audience any more. Objects that are seen by the same connections
    /// since then share one audience again; all objects are walked only if there are such.
    pub(super) fn leave_audiences(&mut self, connection: ConnectionId) {
        let merged = self.audiences.forget(connection);
        if !merged.is_empty() {
            for spawned in self.objects.values_mut() {
                spawned.follow(&merged, &mut self.audiences);
            }
        }
    }

    /// Sends the full state of one object to some connections: encoded once, shared by all.
    fn spawn_for(&mut self, id: NetId, receivers: Vec<ConnectionId>) {
        let Some(spawned) = self.objects.get_mut(id.0).filter(|_| !receivers.is_empty()) else {
            return;
        };
        if spawned.unsent {
            spawned.owed = receivers;
            return;
        }
        let mut segments = Segments::new(0);
        if let Err(error) = write_spawn(spawned, &mut segments, &mut self.stats) {
            spawned.owed = receivers;
            let event = describe_failure(id, error);
            self.events.push(event);
            return;
        }
        let owner = spawned.owner;
        let pieces: Vec<Bytes> = segments.drain().collect();
        for receiver in receivers {
            self.push(receiver, &pieces);
            if owner == Some(receiver) {
                self.tell_owner(receiver, id, true);
            }
        }
    }

    /// Puts pieces behind whatever already waits for a connection.
    fn push(&mut self, receiver: ConnectionId, pieces: &[Bytes]) {
        let Some(connection) = self.connections.get_mut(receiver.0) else {
            return;
        };
        connection.push(0, pieces);
        connection.list(&mut self.outgoing);
    }

    /// Spawns new objects on the clients of their audiences.
    pub(super) fn announce(&mut self) {
        let mut new = std::mem::take(&mut self.scratch);
        self.schedule.take_new(&mut new);
        let mut owners = Vec::new();
        for id in new.drain(..) {
            owners.extend(self.announce_object(id));
        }
        self.scratch = new;
        self.deliver();
        for (owner, net_id) in owners {
            self.tell_owner(owner, net_id, true);
        }
    }

    /// Returns the owner, if it is among those who were just given the object.
    fn announce_object(&mut self, id: NetId) -> Option<(ConnectionId, NetId)> {
        let spawned = self.objects.get_mut(id.0)?;
        self.audiences.acquire(spawned.wanted);
        self.audiences.release(spawned.audience);
        spawned.audience = spawned.wanted;
        // Before it is written: nobody observes it, so what is pending belongs to its first state.
        spawned.clear_dirty();
        let audience = self.audiences.get(spawned.audience);
        let owner = spawned.owner.filter(|owner| audience.observes(*owner));
        if audience.has_listeners() {
            let segments = self
                .audiences
                .segments(spawned.audience, Dialect::Unet, 0)?;
            if let Err(error) = write_spawn(spawned, segments, &mut self.stats) {
                let event = describe_failure(id, error);
                self.events.push(event);
                return None;
            }
        }
        spawned.announced = true;
        owner.map(|owner| (owner, id))
    }

    /// Gives everything to those who have become ready. The full state of an audience is encoded
    /// once, and shared by all who join in this update.
    pub(super) fn join(&mut self) {
        let joining = std::mem::take(&mut self.joining);
        for connection in &joining {
            self.audiences.add_ready(*connection, Dialect::Unet);
        }
        let states = self.encode_audiences(&joining);
        for connection in joining {
            if let Some(joiner) = self.connections.get_mut(connection.0) {
                joiner.state = ConnectionState::Ready;
            }
            self.send_own(connection, &SpawnFinished { state: 0 });
            for (audience, pieces) in &states {
                if self.audiences.admits(*audience, connection) {
                    self.push(connection, pieces);
                }
            }
            self.tell_what_it_owns(connection);
            self.send_own(connection, &SpawnFinished { state: 1 });
            self.events.push(ServerEvent::Ready { connection });
        }
    }

    /// The full state of every audience that one of the connections belongs to.
    fn encode_audiences(
        &mut self,
        joining: &[ConnectionId],
    ) -> Vec<(super::audience::AudienceId, Vec<Bytes>)> {
        let packet_size = self.config.gathered_size();
        let mut states: Vec<_> = self
            .audiences
            .ids()
            .map(|id| (id, Segments::new(packet_size)))
            .collect();
        for spawned in self
            .objects
            .values_mut()
            .filter(|spawned| spawned.announced)
        {
            let audience = spawned.audience;
            let admitted = |c: &&ConnectionId| self.audiences.admits(audience, **c);
            if !joining.iter().any(|c| admitted(&c)) {
                continue;
            }
            if spawned.unsent {
                spawned.owed.extend(joining.iter().filter(admitted));
                continue;
            }
            let segments = &mut states[audience.index()].1;
            if let Err(error) = write_spawn(spawned, segments, &mut self.stats) {
                spawned.owed.extend(joining.iter().filter(admitted));
                let id = spawned.identity.net_id();
                self.events.push(describe_failure(id, error));
            }
        }
        let frozen = states
            .into_iter()
            .map(|(id, mut segments)| (id, segments.drain().collect()));
        frozen.collect()
    }

    fn tell_what_it_owns(&mut self, connection: ConnectionId) {
        let owned = self
            .connections
            .get(connection.0)
            .map(|joiner| joiner.owned.clone());
        for net_id in owned.unwrap_or_default() {
            let audience = self.objects.get(net_id.0).map(|spawned| spawned.audience);
            if audience.is_some_and(|audience| self.audiences.admits(audience, connection)) {
                self.tell_owner(connection, net_id, true);
            }
        }
    }
}

/// Writes the full state of an object; takes everything back if a value has no form on the wire.
fn write_spawn(
    spawned: &mut Spawned,
    segments: &mut Segments,
    stats: &mut Stats,
) -> Result<(), WriteError> {
    let writer = segments.begin();
    let identity = &mut spawned.identity;
    let names = (identity.net_id(), identity.asset_id());
    let place = (identity.position, identity.rotation);
    ObjectSpawn::encode(writer, names, place, |writer: &mut NetworkWriter| {
        for index in 0..identity.behaviours.len() {
            let before = writer.len();
            if let Some(slot) = identity.behaviours.slot_mut(index) {
                slot.serialize(writer, true);
            }
            stats.count_behaviour(spawned.first_behaviour + index, true, writer.len() - before);
        }
        writer.at_behaviour(None);
    });
    if let Some(error) = writer.take_error() {
        segments.give_up();
        return Err(error);
    }
    stats.count_encoded(MessageType::ObjectSpawn, segments.commit());
    Ok(())
}
