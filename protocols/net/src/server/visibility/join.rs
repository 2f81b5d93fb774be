//! Spawns of new objects, and snapshots for joining connections.

mod runs;

pub(in crate::server) use runs::SpareBuffers;

use syncvar_runtime::ordered::Ids;
use syncvar_runtime::schema::Role;
use syncvar_runtime::{AudienceId, ConnectionId, NetId};

use crate::Framing;
use crate::message::SpawnFinished;
use crate::server::objects::replicated::State;
use crate::server::sessions::connection::ConnectionState;
use crate::server::visibility::snapshot_batch::SnapshotOutput;
use crate::server::{NetworkServer, ServerEvent};

impl NetworkServer {
    /// Spawns new objects on the clients of their audiences.
    pub(in crate::server) fn announce(&mut self) {
        let mut new = std::mem::take(&mut self.replication.scratch.objects);
        self.objects.schedule.take_new(&mut new);
        let mut owners = Vec::new();
        for id in new.drain(..) {
            self.objects.note_local_change(id);
            owners.extend(self.announce_object(id));
        }
        self.replication.scratch.objects = new;
        self.deliver();
        for (owner, net_id) in owners {
            self.rooms().ground.send_authority(owner, net_id, true);
            let rooms = self.rooms();
            let mut ground = rooms.ground;
            rooms.visibility.grant_permit(&mut ground, owner, net_id);
        }
    }

    /// Announces an object. Returns its owner, if it is an observer.
    fn announce_object(&mut self, id: NetId) -> Option<(ConnectionId, NetId)> {
        if self.objects.world.checked_out.contains(id) {
            self.objects.schedule.queue_new(id);
            return None;
        }
        // Before the write: without observers, pending changes belong to the initial state.
        let tick = self.outbound.store.tick;
        self.objects.world.drop_changes(id, Some(tick));
        self.begin_history(id, tick);
        let replicated = self.objects.world.objects.get_mut(id.0)?;
        self.visibility
            .audiences
            .acquire(replicated.target_audience);
        self.visibility.audiences.release(replicated.audience);
        replicated.audience = replicated.target_audience;
        let audience = self.visibility.audiences.get(replicated.audience);
        let owner = replicated.owner.filter(|owner| audience.observes(*owner));
        tracing::trace!(object = %id, observers = ?audience.ready().map(|it| it.0).collect::<Vec<_>>(), "announced an object");
        if audience.has_observers() {
            let audience = replicated.audience;
            self.write_new(id, audience, owner)?;
            self.note_new(id, audience);
        }
        self.objects
            .world
            .objects
            .get_mut(id.0)?
            .set(State::Announced, true);
        owner.map(|owner| (owner, id))
    }

    /// Writes the snapshot of a new object for its audience. None if it cannot be encoded.
    fn write_new(
        &mut self,
        id: NetId,
        audience: AudienceId,
        owner: Option<ConnectionId>,
    ) -> Option<()> {
        let policy = self.objects.policy(id)?;
        let owner = owner.filter(|_| policy.private() != 0);
        let parts = if self.is_grouped(id) {
            let ready = self.visibility.audiences.get(audience).ready();
            let parts = self.divide_by_role(id, ready);
            let audiences = &mut self.visibility.audiences;
            parts.map(|(role, observers)| Some((audiences.only_these(&observers), role)))
        } else if let Some(owner) = owner {
            let audiences = &mut self.visibility.audiences;
            [
                Some((audiences.without(audience, owner), Role::Observer)),
                Some((audiences.only(owner), Role::Owner)),
                None,
            ]
        } else {
            [Some((audience, Role::Observer)), None, None]
        };
        for (audience, role) in parts.into_iter().flatten() {
            let output = SnapshotOutput::Audience(audience);
            if !self.encode_snapshot(id, output, role) {
                return None;
            }
        }
        Some(())
    }

    /// Sends all visible objects to joining connections. Connections that join together share the
    /// snapshots of each audience and framing.
    pub(in crate::server) fn join(&mut self) {
        let joining = std::mem::take(&mut self.sessions.joining);
        for id in &joining {
            if let Some(joiner) = self.sessions.connections.get(id.0) {
                self.visibility.audiences.add_ready(*id, joiner.framing);
            }
        }
        let apart = self.private_objects_of(&joining);
        let mut grouped = self.grouped_objects();
        grouped.retain(|id| !apart.contains(*id));
        let apart_or_grouped: Ids<NetId> = apart.iter().chain(grouped.iter().copied()).collect();
        let states = [Framing::Unet, Framing::Compact].map(|framing| {
            let all = self.encode_audiences(framing, &joining, &apart_or_grouped);
            (all, self.encode_groups(framing, &joining, &grouped))
        });
        for connection in joining {
            let Some(joiner) = self.sessions.connections.get_mut(connection.0) else {
                continue;
            };
            let states = match joiner.framing {
                Framing::Unet => &states[0],
                Framing::Compact => &states[1],
            };
            let records = joiner.records();
            if records {
                self.rooms().ground.begin_keyframe();
            } else {
                joiner.state = ConnectionState::Ready;
                // The burst has all state up to this tick.
                let (now, tick) = (self.context.clock.now(), self.outbound.store.tick);
                joiner.shows.join(tick);
                joiner.detached_since = joiner.detached_since.map(|_| tick);
                if let Some(datagrams) = &mut joiner.datagrams {
                    // A probe behind it tells when it has arrived.
                    datagrams.restart(now, tick);
                }
                self.rooms()
                    .ground
                    .send(connection, &SpawnFinished { state: 0 });
            }
            for (audience, chunks) in &states.0 {
                if self.visibility.audiences.admits(*audience, connection) {
                    self.rooms().ground.send_chunks(0, connection, chunks);
                }
            }
            for (readers, chunks) in &states.1 {
                if self.belongs_to(readers, connection) {
                    self.rooms().ground.send_chunks(0, connection, chunks);
                }
            }
            for id in apart.iter() {
                self.send_private_snapshot(id, connection);
            }
            if records {
                self.rooms().ground.end_keyframe();
                continue;
            }
            self.send_owned_authority(connection);
            self.rooms()
                .ground
                .send(connection, &SpawnFinished { state: 1 });
            tracing::debug!(
                connection = connection.0,
                "sent all visible objects to a client"
            );
            self.context.events.push(ServerEvent::Ready { connection });
        }
    }

    /// Returns the objects with private fields that a joining connection owns.
    fn private_objects_of(&self, joining: &[ConnectionId]) -> Ids<NetId> {
        let joiners = joining
            .iter()
            .filter_map(|id| self.sessions.connections.get(id.0));
        let owned = joiners.flat_map(|joiner| joiner.owned.iter());
        let is_private = |id: &NetId| {
            let policy = self.objects.policy(*id);
            let announced = self
                .objects
                .world
                .objects
                .get(id.0)
                .is_some_and(|replicated| replicated.is(State::Announced));
            announced && policy.is_some_and(|policy| policy.private() != 0)
        };
        owned.filter(is_private).collect()
    }

    /// Sends the snapshot of such an object to a joining connection, if it observes the object.
    fn send_private_snapshot(&mut self, id: NetId, connection: ConnectionId) {
        let Some(replicated) = self.objects.world.objects.get(id.0) else {
            return;
        };
        let role = self.role(id, connection);
        if !self
            .visibility
            .audiences
            .admits(replicated.audience, connection)
        {
            return;
        }
        if self.write_snapshot(id, &[connection], role) {
            self.flush_snapshots();
        } else {
            self.request_snapshot(id, &[connection]);
        }
    }

    fn send_owned_authority(&mut self, connection: ConnectionId) {
        let owned = self
            .sessions
            .connections
            .get(connection.0)
            .map(|joiner| joiner.owned.clone());
        for net_id in owned.unwrap_or_default().iter() {
            let replicated = self.objects.world.objects.get(net_id.0);
            // An object that is not announced gets its authority later.
            let announced = replicated.filter(|replicated| replicated.is(State::Announced));
            if announced.is_some_and(|it| self.visibility.audiences.admits(it.audience, connection))
            {
                self.rooms().ground.send_authority(connection, net_id, true);
                let rooms = self.rooms();
                let mut ground = rooms.ground;
                rooms
                    .visibility
                    .grant_permit(&mut ground, connection, net_id);
            }
        }
    }
}
