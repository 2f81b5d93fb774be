//! Objects that enter a connection's view.

use crate::server::objects::replicated::State;
use std::collections::BTreeSet;

use bytes::Bytes;
use rustc_hash::FxHashSet;

use crate::Framing;
use crate::message::Void;
use crate::server::NetworkServer;
use crate::server::replication::update::encode_failure;
use crate::server::visibility::snapshot::{Reports, Snapshot};
use syncvar_runtime::AudienceId;
use syncvar_runtime::ConnectionId;
use syncvar_runtime::interest::Area;
use syncvar_runtime::object::Location;
use syncvar_runtime::packet::Segments;
use syncvar_runtime::relations::Relation;
use syncvar_runtime::{Channel, NetId};

/// Connections that joined audiences because of the areas they enter, or left them because of the
/// areas they leave. One direction at a time.
#[derive(Debug, Default)]
pub(in crate::server) struct ViewerChanges {
    pub(in crate::server) crossed: BTreeSet<(AudienceId, ConnectionId)>,
    /// The areas of these changes, each once, in the order of the interest management: it may
    /// report the nearest ones first.
    pub(in crate::server) areas: Vec<Area>,
    listed: FxHashSet<Area>,
}

impl ViewerChanges {
    /// Adds a connection that joined or left these audiences because of an area.
    pub(in crate::server) fn add(
        &mut self,
        area: Area,
        connection: ConnectionId,
        audiences: &mut Vec<AudienceId>,
    ) {
        if !audiences.is_empty() && self.listed.insert(area) {
            self.areas.push(area);
        }
        let pairs = audiences.drain(..).map(|audience| (audience, connection));
        self.crossed.extend(pairs);
    }

    /// Returns the connections that joined or left an audience, ascending.
    pub(in crate::server) fn of(&self, id: AudienceId) -> impl Iterator<Item = ConnectionId> {
        let (first, last) = (ConnectionId(0), ConnectionId(u32::MAX));
        let pairs = self.crossed.range((id, first)..=(id, last));
        pairs.map(|(_, connection)| *connection)
    }
}

/// Snapshots for the same connections, encoded once for each of their framings.
#[derive(Debug)]
pub(in crate::server) struct SnapshotBatch {
    receivers: Vec<ConnectionId>,
    /// Whether a receiver has the framing, and the bytes in it.
    unet: (bool, Segments),
    compact: (bool, Segments),
}

/// Destination of a snapshot.
pub(in crate::server) enum SnapshotOutput<'a> {
    /// The buffers of an audience.
    Audience(AudienceId),
    /// The batch of these connections.
    Batch(&'a [ConnectionId]),
    /// A buffer for connections that join.
    Join(&'a mut Segments),
}

impl SnapshotBatch {
    pub(in crate::server) fn new(packet_size: usize) -> Self {
        let segments = |framing: Framing| framing.segments(packet_size);
        Self {
            receivers: Vec::new(),
            unet: (false, segments(Framing::Unet)),
            compact: (false, segments(Framing::Compact)),
        }
    }

    fn spoken(&mut self) -> impl Iterator<Item = &mut Segments> {
        let both = [&mut self.unet, &mut self.compact];
        both.into_iter()
            .filter_map(|(spoken, segments)| spoken.then_some(segments))
    }
}

impl NetworkServer {
    /// Moves objects to their target audiences. Entering connections receive snapshots; leaving
    /// ones [received a hide](Self::hide_objects) before.
    pub(in crate::server) fn show_objects(&mut self) {
        let mut moved = std::mem::take(&mut self.replication.scratch.objects);
        self.replication.schedule.take_view_changes(&mut moved);
        self.apply_viewer_changes(true);
        for id in &moved {
            self.apply_target_audience(*id);
        }
        self.for_each_area_change(&moved, Self::send_snapshot);
        self.flush_snapshots();
        self.clear_area_changes();
        moved.clear();
        self.replication.scratch.objects = moved;
    }

    fn apply_target_audience(&mut self, id: NetId) {
        let Some(replicated) = self.world.objects.get_mut(id.0) else {
            return;
        };
        replicated.set(State::VisibilityDirty, false);
        let former = std::mem::replace(&mut replicated.audience, replicated.target_audience);
        let latter = replicated.audience;
        self.visibility.audiences.acquire(latter);
        self.visibility.audiences.release(former);
        if !replicated.is(State::Announced) {
            return;
        }
        replicated.set(State::SnapshotPending, false);
        let mut entering = std::mem::take(&mut self.replication.scratch.entering);
        let (before, after) = (
            self.visibility.audiences.get(former),
            self.visibility.audiences.get(latter),
        );
        let entered = |c| {
            self.visibility
                .viewer_changes
                .crossed
                .contains(&(former, c))
        };
        entering.extend(
            after
                .ready()
                .filter(|c| !before.observes(*c) || entered(*c)),
        );
        let owed = self
            .visibility
            .pending_snapshots
            .remove(&id)
            .unwrap_or_default();
        entering.extend(owed.iter().copied().filter(|c| after.observes(*c)));
        entering.sort_unstable();
        entering.dedup();
        self.send_void(id, &owed);
        self.send_snapshot(id, &entering);
        entering.clear();
        self.replication.scratch.entering = entering;
    }

    /// Removes a connection from all audiences. Objects with equal observers share one audience
    /// again. Visits the objects that it owned, and all objects only if it had exceptions on
    /// others.
    pub(in crate::server) fn leave_audiences(&mut self, connection: ConnectionId, owned: &[NetId]) {
        let mut merged = self.visibility.audiences.forget(connection);
        if merged.is_empty() {
            return;
        }
        for id in owned {
            if let Some(replicated) = self.world.objects.get_mut(id.0) {
                replicated.replace_audiences(&merged, &mut self.visibility.audiences);
            }
        }
        merged.retain(|former, _| self.visibility.audiences.is_used(*former));
        if !merged.is_empty() {
            for replicated in self.world.objects.values_mut() {
                replicated.replace_audiences(&merged, &mut self.visibility.audiences);
            }
        }
    }

    /// Voids earlier messages about an object for connections without its snapshot. They belong to
    /// the audience, but the snapshot could not be encoded. The client would otherwise take the
    /// messages for early ones and keep them for the snapshot.
    pub(in crate::server) fn send_void(&mut self, net_id: NetId, owed: &[ConnectionId]) {
        if self.config.compare_schemas {
            for connection in owed {
                self.send_own(*connection, &Void { net_id });
            }
        }
    }

    /// Drops the pending snapshots of a connection that is not ready any more.
    pub(in crate::server) fn cancel_snapshots(&mut self, connection: ConnectionId) {
        let mut concerned = Vec::new();
        for (id, owed) in &mut self.visibility.pending_snapshots {
            let before = owed.len();
            owed.retain(|other| *other != connection);
            if owed.len() < before {
                concerned.push(*id);
            }
        }
        let stays = self.is_connected(connection);
        for id in concerned {
            if stays {
                self.send_void(id, &[connection]);
            }
            self.prune_pending_snapshots(id);
        }
    }

    /// Removes an empty list of pending snapshots.
    pub(in crate::server) fn prune_pending_snapshots(&mut self, id: NetId) {
        if self
            .visibility
            .pending_snapshots
            .get(&id)
            .is_some_and(Vec::is_empty)
        {
            self.visibility.pending_snapshots.remove(&id);
            if let Some(replicated) = self.world.objects.get_mut(id.0) {
                replicated.set(State::SnapshotPending, false);
            }
        }
    }

    /// Sends the snapshot of an object to connections. Its bytes go out with the next snapshots for
    /// the same receivers, at the latest with [`flush_snapshots`](Self::flush_snapshots).
    pub(in crate::server) fn send_snapshot(&mut self, id: NetId, receivers: &[ConnectionId]) {
        if receivers.is_empty() {
            return;
        }
        let Some(owner) = self
            .world
            .objects
            .get(id.0)
            .map(|replicated| replicated.owner)
        else {
            return;
        };
        if !self.write_snapshots(id, receivers, owner) {
            self.request_snapshot(id, receivers);
            return;
        }
        for receiver in receivers {
            let connection = self.sessions.connections.get_mut(receiver.0);
            if let Some(backlog) = connection.and_then(|connection| connection.backlog.as_mut()) {
                backlog.remove_object(id);
            }
        }
        if let Some(owner) = owner.filter(|owner| receivers.contains(owner)) {
            self.flush_snapshots();
            self.send_authority(owner, id, true);
            self.grant_lease(owner, id);
        }
    }

    /// Writes the snapshot for all receivers, with the private fields for the owner.
    fn write_snapshots(
        &mut self,
        id: NetId,
        receivers: &[ConnectionId],
        owner: Option<ConnectionId>,
    ) -> bool {
        let private = self
            .snapshot(id)
            .is_some_and(|(_, it)| it.info.policy.private);
        let Some(owner) = owner.filter(|owner| private && receivers.contains(owner)) else {
            return self.write_snapshot(id, receivers, false);
        };
        let others: Vec<_> = receivers.iter().copied().filter(|c| *c != owner).collect();
        (others.is_empty() || self.write_snapshot(id, &others, false))
            && self.write_snapshot(id, &[owner], true)
    }

    /// Writes a snapshot for these connections. Returns whether it was written.
    pub(in crate::server) fn write_snapshot(
        &mut self,
        id: NetId,
        receivers: &[ConnectionId],
        for_owner: bool,
    ) -> bool {
        self.encode_snapshot(id, SnapshotOutput::Batch(receivers), for_owner)
    }

    /// Encodes the snapshot of an object to all buffers of an output, or to none. Returns whether
    /// it was encoded.
    pub(in crate::server) fn encode_snapshot(
        &mut self,
        id: NetId,
        output: SnapshotOutput<'_>,
        for_owner: bool,
    ) -> bool {
        let Some((at, snapshot)) = self.snapshot(id) else {
            return false;
        };
        let snapshot = Snapshot {
            for_owner,
            ..snapshot
        };
        let replicated = self.world.objects.get(id.0);
        if replicated.is_some_and(|replicated| replicated.is(State::WriteFailed)) {
            return false;
        }
        if let SnapshotOutput::Batch(receivers) = output
            && self.visibility.snapshot_batch.receivers != receivers
        {
            self.flush_snapshots();
            self.open_snapshot_batch(receivers);
        }
        // An object that is checked out gets its snapshot later.
        let Some(slots) = self.world.pools.slots_mut(at) else {
            return false;
        };
        let reports = Reports {
            stats: &mut self.stats,
            events: &mut self.events,
        };
        let visibility = &mut self.visibility;
        let result = match output {
            SnapshotOutput::Audience(audience) => {
                let mut outputs = visibility.audiences.outputs(audience);
                snapshot.write_all(slots, outputs.channel(0), reports)
            }
            SnapshotOutput::Batch(_) => {
                snapshot.write_all(slots, visibility.snapshot_batch.spoken(), reports)
            }
            SnapshotOutput::Join(segments) => {
                snapshot.write_all(slots, std::iter::once(segments), reports)
            }
        };
        if let Err(error) = result {
            self.events.push(encode_failure(id, error));
            return false;
        }
        self.requeue_if_dirty(id, snapshot.info);
        true
    }

    /// Records that connections need the snapshot of an object with the next update.
    pub(in crate::server) fn request_snapshot(&mut self, id: NetId, receivers: &[ConnectionId]) {
        if let Some(replicated) = self.world.objects.get_mut(id.0) {
            replicated.set(State::SnapshotPending, true);
            let owed = self.visibility.pending_snapshots.entry(id).or_default();
            owed.extend(
                receivers
                    .iter()
                    .filter(|c| !owed.contains(c))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
    }

    /// Returns the location of an object's behaviours and the header of its snapshot.
    #[inline]
    pub(in crate::server) fn snapshot(&self, id: NetId) -> Option<(Location, Snapshot)> {
        let replicated = self.world.objects.get(id.0)?;
        let at = replicated.at;
        let mut relation = Relation::default();
        if replicated.is(State::Related) {
            relation = self.world.relations.of(id);
            // A peer without schema comparison is a UNet client, which has no parents.
            relation.parent = relation.parent.filter(|_| self.config.compare_schemas);
        }
        let snapshot = Snapshot {
            net_id: id,
            info: *self.prefab_info(at.pool)?,
            place: self.world.place(id),
            relation,
            room: self.config.room(Channel::Reliable),
            for_owner: false,
        };
        Some((at, snapshot))
    }

    fn open_snapshot_batch(&mut self, receivers: &[ConnectionId]) {
        let connections = receivers
            .iter()
            .filter_map(|c| self.sessions.connections.get(c.0));
        let framings = connections.map(|connection| connection.framing);
        let (mut unet, mut compact) = (false, false);
        for framing in framings {
            unet |= framing == Framing::Unet;
            compact |= framing == Framing::Compact;
        }
        self.visibility
            .snapshot_batch
            .receivers
            .extend_from_slice(receivers);
        (
            self.visibility.snapshot_batch.unet.0,
            self.visibility.snapshot_batch.compact.0,
        ) = (unet, compact);
    }

    /// Queues the snapshots of the batch for their receivers.
    pub(in crate::server) fn flush_snapshots(&mut self) {
        if self.visibility.snapshot_batch.receivers.is_empty() {
            return;
        }
        let receivers = std::mem::take(&mut self.visibility.snapshot_batch.receivers);
        let unet: Vec<Bytes> = self.visibility.snapshot_batch.unet.1.drain().collect();
        let compact: Vec<Bytes> = self.visibility.snapshot_batch.compact.1.drain().collect();
        for receiver in receivers {
            let connection = self.sessions.connections.get(receiver.0);
            match connection.map(|connection| connection.framing) {
                Some(Framing::Unet) => self.send_chunks(0, receiver, &unet),
                Some(Framing::Compact) => self.send_chunks(0, receiver, &compact),
                None => {}
            }
        }
    }

    /// Appends chunks to a connection's queue.
    pub(in crate::server) fn send_chunks(
        &mut self,
        channel: u8,
        receiver: ConnectionId,
        chunks: &[Bytes],
    ) {
        if let Some(connection) = self.sessions.connections.get_mut(receiver.0) {
            self.outbound.send(connection, channel, chunks);
        }
    }
}
