//! Objects that leave a connection's view. They leave before the deltas of an update are written,
//! so no later change reaches the connection.

use syncvar_runtime::{AudienceId, ConnectionId, NetId};

use crate::message::ObjectHide;
use crate::server::NetworkServer;
use crate::server::objects::replicated::State;
use crate::server::visibility::numbers;

impl NetworkServer {
    /// Sends hides, and removes leaving connections from the audiences. Deltas written afterwards
    /// reach the remaining observers. Entering ones get snapshots [later](Self::show_objects).
    pub(in crate::server) fn hide_objects(&mut self) {
        if !self.has_area_changes() && !self.objects.schedule.has_view_changes() {
            return;
        }
        // Earlier bytes belong to the former observers.
        self.deliver();
        self.apply_viewer_changes(false);
        let mut moved = std::mem::take(&mut self.replication.scratch.objects);
        self.objects.schedule.copy_view_changes(&mut moved);
        for id in &moved {
            self.drop_leaving_observers(*id);
        }
        self.for_each_area_change(&moved, Self::hide_from);
        moved.clear();
        self.replication.scratch.objects = moved;
    }

    /// Removes leaving observers of one object at once, before a message to all of them.
    pub(in crate::server) fn hide_at_once(&mut self, id: NetId) {
        if self
            .objects
            .world
            .objects
            .get(id.0)
            .is_some_and(|replicated| replicated.is(State::VisibilityDirty))
        {
            self.drop_leaving_observers(id);
        }
    }

    /// Moves an object to an audience of its remaining observers, and hides it from the others.
    fn drop_leaving_observers(&mut self, id: NetId) {
        let replicated = self
            .objects
            .world
            .objects
            .get(id.0)
            .filter(|replicated| replicated.is(State::Announced));
        let Some((former, latter)) =
            replicated.map(|replicated| (replicated.audience, replicated.target_audience))
        else {
            return;
        };
        let scratch = &mut self.replication.scratch;
        let mut staying = std::mem::take(&mut scratch.entering);
        let mut leaving = std::mem::take(&mut scratch.leaving);
        let is_changed = self.divide_observers(former, latter, &mut staying, &mut leaving);
        if is_changed {
            // Earlier bytes belong to the former observers.
            if self.visibility.audiences.is_written() {
                self.deliver();
            }
            let narrowed = self.visibility.audiences.exactly(&staying);
            self.visibility.audiences.acquire(narrowed);
            self.visibility.audiences.release(former);
            if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
                replicated.audience = narrowed;
            }
        }
        self.hide_from(id, &leaving);
        staying.clear();
        leaving.clear();
        let scratch = &mut self.replication.scratch;
        (scratch.entering, scratch.leaving) = (staying, leaving);
    }

    /// Divides the observers of an object with a new target audience. Returns whether the staying ones
    /// differ from the former audience.
    fn divide_observers(
        &self,
        former: AudienceId,
        target: AudienceId,
        staying: &mut Vec<ConnectionId>,
        leaving: &mut Vec<ConnectionId>,
    ) -> bool {
        let audiences = &self.visibility.audiences;
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
        for connection in self.visibility.viewer_changes.of(former) {
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
    pub(in crate::server) fn for_each_area_change(
        &mut self,
        handled: &[NetId],
        f: impl Fn(&mut Self, NetId, &[ConnectionId]),
    ) {
        let turnover = std::mem::take(&mut self.visibility.viewer_changes);
        let (mut objects, mut last, mut viewers) = (Vec::new(), None, Vec::new());
        for area in &turnover.areas {
            objects.extend(self.visibility.interest.objects(*area));
            for id in objects.drain(..) {
                let replicated = self
                    .objects
                    .world
                    .objects
                    .get(id.0)
                    .filter(|replicated| replicated.is(State::Announced));
                let Some(audience) = replicated.map(|replicated| replicated.audience) else {
                    continue;
                };
                if handled.binary_search(&id).is_ok() {
                    continue;
                }
                // Successive objects often have the same audience.
                if last.replace(audience) != Some(audience) {
                    viewers.clear();
                    viewers.extend(turnover.of(audience));
                }
                f(self, id, &viewers);
            }
        }
    }

    /// Hides an object from connections, and drops their pending snapshots of it.
    pub(in crate::server) fn hide_from(&mut self, id: NetId, leaving: &[ConnectionId]) {
        if !leaving.is_empty() {
            tracing::trace!(object = %id, connections = ?numbers(leaving), "leaves a view");
            self.note_end(id);
        }
        for connection in leaving {
            self.rooms()
                .ground
                .send(*connection, &ObjectHide { net_id: id });
        }
        if !leaving.is_empty()
            && let Some(owed) = self.visibility.pending_snapshots.get_mut(id)
        {
            let (left, stay): (Vec<_>, Vec<_>) =
                owed.drain(..).partition(|owed| leaving.contains(owed));
            *owed = stay;
            self.send_void(id, &left);
            self.prune_pending_snapshots(id);
        }
    }
}
