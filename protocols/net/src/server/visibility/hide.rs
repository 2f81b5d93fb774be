//! Objects that leave a connection's view. They leave before the deltas of an update are written,
//! so no later change reaches the connection.

use syncvar_runtime::{AudienceId, ConnectionId, NetId};

use crate::message::ObjectHide;
use crate::server::ground::Ground;
use crate::server::objects::replicated::State;
use crate::server::visibility::show::send_void;
use crate::server::visibility::{Visibility, numbers};

impl Visibility {
    /// Sends hides, and removes leaving connections from the audiences. Deltas written afterwards
    /// reach the remaining observers. Entering connections get snapshots [later](Self::show_objects).
    pub(crate) fn hide_objects(&mut self, ground: &mut Ground<'_>) {
        if !self.interest.has_area_changes() && !ground.objects.schedule.has_view_changes() {
            return;
        }
        // Earlier bytes belong to the observers before the hide.
        self.deliver(ground);
        self.apply_viewer_changes(ground, false);
        let mut moved = std::mem::take(&mut self.scratch.objects);
        ground.objects.schedule.copy_view_changes(&mut moved);
        for id in &moved {
            self.drop_leaving_observers(ground, *id);
        }
        self.for_each_area_change(ground, &moved, Self::hide_from);
        moved.clear();
        self.scratch.objects = moved;
    }

    /// Removes leaving observers of an object at once, before a message to its audience.
    pub(crate) fn hide_at_once(&mut self, ground: &mut Ground<'_>, id: NetId) {
        let replicated = ground.objects.world.objects.get(id.0);
        if replicated.is_some_and(|replicated| replicated.is(State::VisibilityDirty)) {
            self.drop_leaving_observers(ground, id);
        }
    }

    /// Moves an object to an audience of its remaining observers, and hides the object from leaving observers.
    fn drop_leaving_observers(&mut self, ground: &mut Ground<'_>, id: NetId) {
        let Some(replicated) = ground.objects.announced(id) else {
            return;
        };
        let (former, latter) = (replicated.audience, replicated.target_audience);
        let mut staying = std::mem::take(&mut self.scratch.entering);
        let mut leaving = std::mem::take(&mut self.scratch.leaving);
        let is_changed = self.divide_observers(former, latter, &mut staying, &mut leaving);
        if is_changed {
            // Earlier bytes belong to the observers before the hide.
            if self.audiences.is_written() {
                self.deliver(ground);
            }
            let narrowed = self.audiences.exactly(&staying);
            self.audiences.acquire(narrowed);
            self.audiences.release(former);
            if let Some(replicated) = ground.objects.world.objects.get_mut(id.0) {
                replicated.audience = narrowed;
            }
        }
        self.hide_from(ground, id, &leaving);
        staying.clear();
        leaving.clear();
        (self.scratch.entering, self.scratch.leaving) = (staying, leaving);
    }

    /// Divides the observers of an object with a new target audience. Returns whether the staying observers
    /// differ from the present audience.
    fn divide_observers(
        &self,
        former: AudienceId,
        target: AudienceId,
        staying: &mut Vec<ConnectionId>,
        leaving: &mut Vec<ConnectionId>,
    ) -> bool {
        let audiences = &self.audiences;
        let (before, after) = (audiences.get(former), audiences.get(target));
        let stays = |connection: ConnectionId| {
            let will_see = |area| self.will_see(connection, area);
            after.observes(connection) || audiences.admits_if(target, connection, will_see)
        };
        for connection in before.ready() {
            if stays(connection) {
                staying.push(connection);
            } else {
                leaving.push(connection);
            }
        }
        let mut is_changed = !leaving.is_empty();
        // They left this audience in the same update, and may belong to the target audience.
        for connection in self.viewer_changes.of(former) {
            if stays(connection) {
                staying.push(connection);
                is_changed = true;
            } else {
                leaving.push(connection);
            }
        }
        is_changed
    }

    /// Calls `f` for every object in an area with view changes, with the connections concerned.
    /// Skips the objects in `handled`, ascending. Costs time in proportion to the objects of these
    /// areas.
    pub(super) fn for_each_area_change(
        &mut self,
        ground: &mut Ground<'_>,
        handled: &[NetId],
        f: impl Fn(&mut Self, &mut Ground<'_>, NetId, &[ConnectionId]),
    ) {
        let changes = std::mem::take(&mut self.viewer_changes);
        let (mut objects, mut last, mut viewers) = (Vec::new(), None, Vec::new());
        for area in &changes.areas {
            objects.extend(self.interest.objects(*area));
            for id in objects.drain(..) {
                let announced = ground.objects.announced(id);
                let Some(audience) = announced.map(|replicated| replicated.audience) else {
                    continue;
                };
                if handled.binary_search(&id).is_ok() {
                    continue;
                }
                // Successive objects often have the same audience.
                if last.replace(audience) != Some(audience) {
                    viewers.clear();
                    viewers.extend(changes.of(audience));
                }
                f(self, ground, id, &viewers);
            }
        }
    }

    /// Hides an object from connections, and drops their pending snapshots of it.
    fn hide_from(&mut self, ground: &mut Ground<'_>, id: NetId, leaving: &[ConnectionId]) {
        if leaving.is_empty() {
            return;
        }
        tracing::trace!(object = %id, connections = ?numbers(leaving), "leaves a view");
        ground.objects.ended_ids.add(id);
        for connection in leaving {
            ground.send(*connection, &ObjectHide { net_id: id });
        }
        if let Some(pending) = self.pending_snapshots.get_mut(id) {
            let (left, stay): (Vec<_>, Vec<_>) = pending
                .drain(..)
                .partition(|receiver| leaving.contains(receiver));
            *pending = stay;
            send_void(ground, id, &left);
            self.prune_pending_snapshots(ground.objects, id);
        }
    }
}
