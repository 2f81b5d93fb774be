//! Objects that enter a connection's view.

use syncvar_runtime::schema::Role;
use syncvar_runtime::{ConnectionId, NetId};

use crate::message::Void;
use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::visibility::resync::{charge_resync, snapshot_bytes};
use crate::server::visibility::{Visibility, numbers};

impl Visibility {
    /// Moves objects to their target audiences. Entering connections receive snapshots; leaving connections
    /// [received a hide](Self::hide_objects) before. Without a frame, objects that await a frame stay queued.
    pub(crate) fn show_objects(&mut self, ground: &mut Ground<'_>, has_frame: bool) {
        let mut moved = std::mem::take(&mut self.scratch.objects);
        ground.objects.schedule.take_view_changes(&mut moved);
        self.apply_viewer_changes(ground, true);
        if !has_frame {
            self.postpone_shows(ground, &mut moved);
        }
        for id in &moved {
            self.apply_target_audience(ground, *id);
        }
        self.for_each_area_change(ground, &moved, Self::send_snapshot);
        self.flush_snapshots(ground);
        self.interest.clear_area_changes();
        moved.clear();
        self.scratch.objects = moved;
    }

    /// Queues objects that await a frame for the next update, and removes them from `moved`. Connections that entered
    /// their areas leave their audiences until then.
    #[cold]
    fn postpone_shows(&mut self, ground: &mut Ground<'_>, moved: &mut Vec<NetId>) {
        let config = &ground.context.config;
        let areas = self.viewer_changes.areas.iter();
        let mut postponed: Vec<_> = areas
            .flat_map(|area| self.interest.objects(*area))
            .chain(moved.iter().copied())
            .filter(|id| ground.objects.announced(*id).is_some())
            .filter(|id| ground.objects.awaits_frame(*id, config))
            .collect();
        postponed.sort_unstable();
        postponed.dedup();
        moved.retain(|id| postponed.binary_search(id).is_err());
        for id in postponed {
            let Some(replicated) = ground.objects.world.objects.get_mut(id.0) else {
                continue;
            };
            let former = replicated.audience;
            let crossed = &self.viewer_changes.crossed;
            if crossed.of(former).next().is_some() {
                let stays = |observer: &ConnectionId| !crossed.contains(former, *observer);
                let staying: Vec<_> = self.audiences.get(former).ready().filter(stays).collect();
                replicated.audience = self.audiences.exactly(&staying);
                self.audiences.acquire(replicated.audience);
                self.audiences.release(former);
            }
            let schedule = &mut ground.objects.schedule;
            schedule.queue_written_view_change(id, replicated);
        }
    }

    fn apply_target_audience(&mut self, ground: &mut Ground<'_>, id: NetId) {
        let Some(replicated) = ground.objects.world.objects.get_mut(id.0) else {
            return;
        };
        replicated.set(State::VisibilityDirty, false);
        let former = std::mem::replace(&mut replicated.audience, replicated.target_audience);
        let latter = replicated.audience;
        self.audiences.acquire(latter);
        self.audiences.release(former);
        if !replicated.is(State::Announced) {
            return;
        }
        replicated.set(State::SnapshotPending, false);
        let mut entering = std::mem::take(&mut self.scratch.entering);
        let (before, after) = (self.audiences.get(former), self.audiences.get(latter));
        let entered = |connection| self.viewer_changes.crossed.contains(former, connection);
        entering.extend(
            after
                .ready()
                .filter(|observer| !before.observes(*observer) || entered(*observer)),
        );
        let pending = self.pending_snapshots.remove(id).unwrap_or_default();
        let observers = pending.iter().copied();
        entering.extend(observers.filter(|receiver| after.observes(*receiver)));
        entering.sort_unstable();
        entering.dedup();
        send_void(ground, id, &pending);
        let before = (!pending.is_empty()).then(|| snapshot_bytes(&ground.context.stats));
        self.send_snapshot(ground, id, &entering);
        if let Some(before) = before {
            charge_resync(ground, &pending, before);
        }
        entering.clear();
        self.scratch.entering = entering;
    }

    /// Removes a connection from all audiences. Objects with equal observers share one audience
    /// again. Visits the objects that the connection owned, and all objects only if it had exceptions elsewhere.
    pub(crate) fn leave_audiences(
        &mut self,
        objects: &mut Objects,
        connection: ConnectionId,
        owned: &[NetId],
    ) {
        let mut merged = self.audiences.forget(connection);
        if merged.is_empty() {
            return;
        }
        for id in owned {
            if let Some(replicated) = objects.world.objects.get_mut(id.0) {
                self.audiences.replace_merged(replicated, &merged);
            }
        }
        merged.retain(|(former, _)| self.audiences.is_used(*former));
        if !merged.is_empty() {
            for replicated in objects.world.objects.values_mut() {
                self.audiences.replace_merged(replicated, &merged);
            }
        }
    }

    /// Forgets a closed connection with the objects that it owned.
    pub(crate) fn forget_connection(
        &mut self,
        ground: &mut Ground<'_>,
        connection: ConnectionId,
        owned: &[NetId],
    ) {
        self.leave_audiences(ground.objects, connection, owned);
        self.cancel_snapshots(ground, connection);
        self.interest.forget_connection(connection);
        self.groups.forget_connection(connection);
    }

    /// Drops the pending snapshots of a connection that is not ready any more.
    pub(crate) fn cancel_snapshots(&mut self, ground: &mut Ground<'_>, connection: ConnectionId) {
        let mut concerned = Vec::new();
        for (id, pending) in self.pending_snapshots.iter_mut() {
            let before = pending.len();
            pending.retain(|receiver| *receiver != connection);
            if pending.len() < before {
                concerned.push(id);
            }
        }
        let stays = ground.sessions.is_connected(connection);
        for id in concerned {
            if stays {
                send_void(ground, id, &[connection]);
            }
            self.prune_pending_snapshots(ground.objects, id);
        }
    }

    /// Removes an empty list of pending snapshots.
    pub(super) fn prune_pending_snapshots(&mut self, objects: &mut Objects, id: NetId) {
        let pending = self.pending_snapshots.get(id);
        if pending.is_some_and(Vec::is_empty) {
            self.pending_snapshots.remove(id);
            if let Some(replicated) = objects.world.objects.get_mut(id.0) {
                replicated.set(State::SnapshotPending, false);
            }
        }
    }

    /// Sends the snapshot of an object to connections. Its bytes go out with the next snapshots for
    /// the same receivers, at the latest with [`flush_snapshots`](Self::flush_snapshots).
    pub(crate) fn send_snapshot(
        &mut self,
        ground: &mut Ground<'_>,
        id: NetId,
        receivers: &[ConnectionId],
    ) {
        if receivers.is_empty() {
            return;
        }
        tracing::trace!(object = %id, connections = ?numbers(receivers), "enters a view");
        let replicated = ground.objects.world.objects.get(id.0);
        let Some(owner) = replicated.map(|replicated| replicated.owner) else {
            return;
        };
        if !self.write_snapshots(ground, id, receivers) {
            self.request_snapshot(ground.objects, id, receivers);
            return;
        }
        ground.note_show(id, receivers);
        let tick = ground.tick();
        ground.sessions.note_snapshot(id, receivers, tick);
        if let Some(owner) = owner.filter(|owner| receivers.contains(owner)) {
            self.flush_snapshots(ground);
            self.send_ownership(ground, owner, id);
        }
    }

    /// Tells an owner that it owns an object that it has just received.
    pub(super) fn send_ownership(
        &mut self,
        ground: &mut Ground<'_>,
        owner: ConnectionId,
        id: NetId,
    ) {
        ground.send_authority(owner, id, true);
        self.grant_permit(ground, owner, id);
    }

    /// Writes the snapshot for all receivers, with the fields of their roles.
    fn write_snapshots(
        &mut self,
        ground: &mut Ground<'_>,
        id: NetId,
        receivers: &[ConnectionId],
    ) -> bool {
        let policy = ground.objects.policy(id);
        if policy.is_none_or(|policy| policy.private() == 0) {
            return self.write_snapshot(ground, id, receivers, Role::Observer);
        }
        let receivers = receivers.iter().copied();
        let parts = self.groups.divide_by_role(ground.objects, id, receivers);
        parts.into_iter().all(|(role, receivers)| {
            receivers.is_empty() || self.write_snapshot(ground, id, &receivers, role)
        })
    }
}

/// Voids earlier messages about an object for connections without its snapshot. They belong to
/// the audience, but the snapshot could not be encoded. The client would otherwise take the
/// messages for early messages and keep these for the snapshot.
pub(super) fn send_void(ground: &mut Ground<'_>, net_id: NetId, receivers: &[ConnectionId]) {
    if ground.context.config.compare_schemas {
        for receiver in receivers {
            ground.send(*receiver, &Void { net_id });
        }
    }
}
