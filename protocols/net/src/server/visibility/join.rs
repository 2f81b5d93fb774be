//! Spawns of new objects, and snapshots for joining connections.
//!
//! A join gives a ready connection the state of its visible objects. It is the last step of an update, behind the deltas:
//! pending changes have gone to the present observers, even before the end of a send interval. So the
//! snapshots have exactly the state that the deltas of the next update continue. From the join on the connection is a
//! member of its audiences.
//!
//! ```text
//! update:  hides, deltas ── shows, spawns ── join
//!                                             │ add_ready: member of its audiences
//! for all joining connections of a framing:   │
//!   runs of plain objects, by audience ───────┼─> chunks shared by the connections that the audience admits
//!   objects with a group, by readers ─────────┼─> chunks shared by members, and by the others
//! for each connection:                        │
//!   SpawnFinished(0), the chunks, objects with its private fields, authority, SpawnFinished(1)
//! ```
//!
//! Connections that join in one update share all chunks, except the snapshots of objects with private fields of the
//! connection: a thousand clients after a restart cost one snapshot of the world. Successive objects in a pool are
//! written as a run, without a look at single entries. Objects with a parent, a scene id or a position are written
//! alone, because their header is longer. The datagrams of the connection begin anew: earlier losses are void, and a probe
//! behind the burst shows its arrival.
//!
//! The observer of a recording joins like a connection; the burst is the keyframe.

mod runs;

pub(crate) use runs::SpareBuffers;

use bytes::Bytes;
use syncvar_runtime::schema::Role;
use syncvar_runtime::unstable::ordered::Ids;
use syncvar_runtime::{AudienceId, ConnectionId, NetId};

use crate::Framing;
use crate::message::SpawnFinished;
use crate::server::ServerEvent;
use crate::server::ground::Ground;
use crate::server::objects::replicated::State;
use crate::server::sessions::connection::ConnectionState;
use crate::server::visibility::Visibility;
use crate::server::visibility::group_snapshots::SnapshotReaders;
use crate::server::visibility::snapshot_batch::SnapshotOutput;

/// Snapshots of a join in one framing.
struct JoinChunks {
    /// Chunks by audience.
    audiences: Vec<(AudienceId, Vec<Bytes>)>,
    /// Chunks of objects with a group.
    groups: Vec<(SnapshotReaders, Vec<Bytes>)>,
}

impl Visibility {
    /// Spawns new objects on the clients of their audiences.
    pub(crate) fn announce(&mut self, ground: &mut Ground<'_>) {
        let mut new = std::mem::take(&mut self.scratch.objects);
        ground.objects.schedule.take_new(&mut new);
        let mut owners = Vec::new();
        for id in new.drain(..) {
            ground.objects.note_local_change(id);
            owners.extend(self.announce_object(ground, id));
        }
        self.scratch.objects = new;
        self.deliver(ground);
        for (owner, id) in owners {
            self.send_ownership(ground, owner, id);
        }
    }

    /// Announces an object. Returns its owner, if it is an observer.
    fn announce_object(
        &mut self,
        ground: &mut Ground<'_>,
        id: NetId,
    ) -> Option<(ConnectionId, NetId)> {
        if ground.objects.world.checked_out.contains(id) {
            ground.objects.schedule.queue_new(id);
            return None;
        }
        // Before the write: without observers, pending changes belong to the initial state.
        let tick = ground.tick();
        ground.objects.world.drop_changes(id, Some(tick));
        ground.objects.begin_history(ground.context, id, tick);
        let replicated = ground.objects.world.objects.get_mut(id.0)?;
        self.audiences.acquire(replicated.target_audience);
        self.audiences.release(replicated.audience);
        replicated.audience = replicated.target_audience;
        let id_of_audience = replicated.audience;
        let audience = self.audiences.get(id_of_audience);
        let owner = replicated.owner.filter(|owner| audience.observes(*owner));
        tracing::trace!(object = %id, observers = ?audience.ready().map(|it| it.0).collect::<Vec<_>>(), "announced an object");
        if audience.has_observers() {
            self.write_new(ground, id, id_of_audience, owner)?;
            self.note_new(ground.sessions, id, id_of_audience, tick);
        }
        let replicated = ground.objects.world.objects.get_mut(id.0)?;
        replicated.set(State::Announced, true);
        owner.map(|owner| (owner, id))
    }

    /// Writes the snapshot of a new object for its audience. None if it cannot be encoded.
    fn write_new(
        &mut self,
        ground: &mut Ground<'_>,
        id: NetId,
        audience: AudienceId,
        owner: Option<ConnectionId>,
    ) -> Option<()> {
        let policy = ground.objects.policy(id)?;
        let owner = owner.filter(|_| policy.private() != 0);
        let audiences = &mut self.audiences;
        let parts = if policy.group != 0 && self.groups.of(id).is_some() {
            let ready = audiences.get(audience).ready();
            let parts = self.groups.divide_by_role(ground.objects, id, ready);
            parts.map(|(role, observers)| Some((audiences.only_these(&observers), role)))
        } else if let Some(owner) = owner {
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
            if !self.encode_snapshot(ground, id, output, role) {
                return None;
            }
        }
        Some(())
    }

    /// Sends all visible objects to joining connections. Connections that join together share the
    /// snapshots by audience and framing.
    pub(crate) fn join(&mut self, ground: &mut Ground<'_>) {
        let joining = std::mem::take(&mut ground.sessions.pending.joining);
        for id in &joining {
            if let Some(framing) = ground.sessions.framing(*id) {
                self.audiences.add_ready(*id, framing);
            }
        }
        let apart = private_objects_of(ground, &joining);
        let mut grouped = self.groups.announced_objects(ground.objects);
        grouped.retain(|id| !apart.contains(*id));
        let apart_or_grouped: Ids<NetId> = apart.iter().chain(grouped.iter().copied()).collect();
        let states = [Framing::Unet, Framing::Compact].map(|framing| JoinChunks {
            audiences: self.encode_audiences(ground, framing, &joining, &apart_or_grouped),
            groups: self.encode_groups(ground, framing, &joining, &grouped),
        });
        for connection in joining {
            let Some(joiner) = ground.sessions.connections.get(connection.0) else {
                continue;
            };
            let (framing, records) = (joiner.framing, joiner.records());
            let chunks = match framing {
                Framing::Unet => &states[0],
                Framing::Compact => &states[1],
            };
            if records {
                ground.begin_keyframe();
                self.send_join(ground, connection, chunks, &apart);
                ground.end_keyframe();
                continue;
            }
            begin_ready(ground, connection);
            ground.send(connection, &SpawnFinished { state: 0 });
            self.send_join(ground, connection, chunks, &apart);
            self.send_owned_authority(ground, connection);
            ground.send(connection, &SpawnFinished { state: 1 });
            tracing::debug!(
                connection = connection.0,
                "sent all visible objects to a client"
            );
            let event = ServerEvent::Ready { connection };
            ground.context.events.push(event);
        }
    }

    /// Sends the snapshots of a join to one connection.
    fn send_join(
        &mut self,
        ground: &mut Ground<'_>,
        connection: ConnectionId,
        chunks: &JoinChunks,
        apart: &Ids<NetId>,
    ) {
        for (audience, chunks) in &chunks.audiences {
            if self.audiences.admits(*audience, connection) {
                ground.send_chunks(0, connection, chunks);
            }
        }
        for (readers, chunks) in &chunks.groups {
            if self.belongs_to(readers, connection) {
                ground.send_chunks(0, connection, chunks);
            }
        }
        for id in apart.iter() {
            self.send_private_snapshot(ground, id, connection);
        }
    }

    /// Sends the snapshot of such an object to a joining connection, if it observes the object.
    fn send_private_snapshot(
        &mut self,
        ground: &mut Ground<'_>,
        id: NetId,
        connection: ConnectionId,
    ) {
        let Some(replicated) = ground.objects.world.objects.get(id.0) else {
            return;
        };
        if !self.audiences.admits(replicated.audience, connection) {
            return;
        }
        let role = self.groups.role(ground.objects, id, connection);
        if self.write_snapshot(ground, id, &[connection], role) {
            self.flush_snapshots(ground);
        } else {
            self.request_snapshot(ground.objects, id, &[connection]);
        }
    }

    fn send_owned_authority(&mut self, ground: &mut Ground<'_>, connection: ConnectionId) {
        let joiner = ground.sessions.connections.get(connection.0);
        let owned = joiner.map(|joiner| joiner.ownership.objects.clone());
        for id in owned.unwrap_or_default().iter() {
            // An object that is not announced gets its authority later.
            let announced = ground.objects.announced(id);
            if announced.is_some_and(|it| self.audiences.admits(it.audience, connection)) {
                self.send_ownership(ground, connection, id);
            }
        }
    }
}

/// Makes a joining connection ready: the burst has all state up to this tick.
fn begin_ready(ground: &mut Ground<'_>, id: ConnectionId) {
    let (now, tick) = (ground.context.clock.now(), ground.tick());
    let Some(joiner) = ground.sessions.connections.get_mut(id.0) else {
        return;
    };
    joiner.state = ConnectionState::Ready;
    joiner.motion.shows.join(tick);
    let ledger = &mut joiner.ledger;
    ledger.detached_since = ledger.detached_since.map(|_| tick);
    if let Some(link) = &mut joiner.datagrams {
        // A probe behind it tells when it has arrived.
        link.restart(ledger, now, tick);
    }
}

/// Returns the objects with private fields that a joining connection owns.
fn private_objects_of(ground: &Ground<'_>, joining: &[ConnectionId]) -> Ids<NetId> {
    let connections = &ground.sessions.connections;
    let joiners = joining.iter().filter_map(|id| connections.get(id.0));
    let owned = joiners.flat_map(|joiner| joiner.ownership.objects.iter());
    let is_private = |id: &NetId| {
        let policy = ground.objects.policy(*id);
        let is_announced = ground.objects.announced(*id).is_some();
        is_announced && policy.is_some_and(|policy| policy.private() != 0)
    };
    owned.filter(is_private).collect()
}
