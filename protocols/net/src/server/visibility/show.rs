//! Objects that enter a connection's view.

use syncvar_runtime::schema::Role;
use syncvar_runtime::{ConnectionId, NetId};

use crate::message::Void;
use crate::server::NetworkServer;
use crate::server::objects::replicated::State;
use crate::server::visibility::numbers;

impl NetworkServer {
    /// Moves objects to their target audiences. Entering connections receive snapshots; leaving
    /// ones [received a hide](Self::hide_objects) before.
    pub(in crate::server) fn show_objects(&mut self) {
        let mut moved = std::mem::take(&mut self.replication.scratch.objects);
        self.objects.schedule.take_view_changes(&mut moved);
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
        let Some(replicated) = self.objects.world.objects.get_mut(id.0) else {
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
        let entered = |c| self.visibility.viewer_changes.crossed.contains(former, c);
        entering.extend(
            after
                .ready()
                .filter(|c| !before.observes(*c) || entered(*c)),
        );
        let owed = self
            .visibility
            .pending_snapshots
            .remove(id)
            .unwrap_or_default();
        entering.extend(owed.iter().copied().filter(|c| after.observes(*c)));
        entering.sort_unstable();
        entering.dedup();
        self.send_void(id, &owed);
        let before = (!owed.is_empty()).then(|| self.snapshot_bytes());
        self.send_snapshot(id, &entering);
        if let Some(before) = before {
            self.charge_resync(&owed, self.snapshot_bytes() - before);
        }
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
            if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
                replicated.replace_audiences(&merged, &mut self.visibility.audiences);
            }
        }
        merged.retain(|(former, _)| self.visibility.audiences.is_used(*former));
        if !merged.is_empty() {
            for replicated in self.objects.world.objects.values_mut() {
                replicated.replace_audiences(&merged, &mut self.visibility.audiences);
            }
        }
    }

    /// Voids earlier messages about an object for connections without its snapshot. They belong to
    /// the audience, but the snapshot could not be encoded. The client would otherwise take the
    /// messages for early ones and keep them for the snapshot.
    pub(in crate::server) fn send_void(&mut self, net_id: NetId, owed: &[ConnectionId]) {
        if self.context.config.compare_schemas {
            for connection in owed {
                self.rooms().ground.send(*connection, &Void { net_id });
            }
        }
    }

    /// Drops the pending snapshots of a connection that is not ready any more.
    pub(in crate::server) fn cancel_snapshots(&mut self, connection: ConnectionId) {
        let mut concerned = Vec::new();
        for (id, owed) in self.visibility.pending_snapshots.iter_mut() {
            let before = owed.len();
            owed.retain(|other| *other != connection);
            if owed.len() < before {
                concerned.push(id);
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
            .get(id)
            .is_some_and(Vec::is_empty)
        {
            self.visibility.pending_snapshots.remove(id);
            if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
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
        tracing::trace!(object = %id, connections = ?numbers(receivers), "enters a view");
        let Some(owner) = self
            .objects
            .world
            .objects
            .get(id.0)
            .map(|replicated| replicated.owner)
        else {
            return;
        };
        if !self.write_snapshots(id, receivers) {
            self.request_snapshot(id, receivers);
            return;
        }
        self.note_snapshot(id, receivers);
        if let Some(owner) = owner.filter(|owner| receivers.contains(owner)) {
            self.flush_snapshots();
            self.rooms().ground.send_authority(owner, id, true);
            let rooms = self.rooms();
            let mut ground = rooms.ground;
            rooms.visibility.grant_permit(&mut ground, owner, id);
        }
    }

    /// Writes the snapshot for all receivers, with the fields of their roles.
    fn write_snapshots(&mut self, id: NetId, receivers: &[ConnectionId]) -> bool {
        if self
            .objects
            .policy(id)
            .is_none_or(|policy| policy.private() == 0)
        {
            return self.write_snapshot(id, receivers, Role::Observer);
        }
        let parts = self.divide_by_role(id, receivers.iter().copied());
        parts.into_iter().all(|(role, receivers)| {
            receivers.is_empty() || self.write_snapshot(id, &receivers, role)
        })
    }

    /// Records that connections need the snapshot of an object with the next update.
    pub(in crate::server) fn request_snapshot(&mut self, id: NetId, receivers: &[ConnectionId]) {
        self.visibility
            .request_snapshot(&mut self.objects, id, receivers);
    }
}
