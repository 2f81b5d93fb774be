//! Objects that leave somebody's sight. They do so before the changes of an update are written: whoever is
//! to see an object no more is sent nothing of what has been written to it since.

use super::NetworkServer;
use crate::ConnectionId;
use crate::NetId;
use crate::message::ObjectHide;

impl NetworkServer {
    /// Tells connections to forget the objects that they are to see no more. What is written from here
    /// on is for those who have seen an object and still will; those who begin to see it get it whole
    /// [later](Self::show_objects).
    pub(super) fn hide_objects(&mut self) {
        if !self.is_crossing() && !self.schedule.has_moved() {
            return;
        }
        // What was written before is for those who saw the objects then.
        self.deliver();
        self.cross_over(false);
        let mut moved = std::mem::take(&mut self.scratch.objects);
        self.schedule.copy_moved(&mut moved);
        for id in &moved {
            self.narrow(*id);
        }
        self.cross_areas(&moved, Self::hide_from);
        moved.clear();
        self.scratch.objects = moved;
    }

    /// Does the same for one object at once: something is about to be said to all who see it.
    pub(super) fn hide_at_once(&mut self, id: NetId) {
        if self.objects.get(id.0).is_some_and(|spawned| spawned.moved) {
            self.narrow(id);
        }
    }

    /// Takes an object to an audience of those who see it and still will, and tells the others to forget
    /// it.
    fn narrow(&mut self, id: NetId) {
        let spawned = self.objects.get(id.0).filter(|spawned| spawned.announced);
        let Some((former, latter)) = spawned.map(|spawned| (spawned.audience, spawned.wanted))
        else {
            return;
        };
        let mut staying = std::mem::take(&mut self.scratch.entering);
        let mut leaving = std::mem::take(&mut self.scratch.leaving);
        let (before, after) = (self.audiences.get(former), self.audiences.get(latter));
        let stays = |connection: ConnectionId| {
            let will_see = |area| self.will_see(connection, area);
            after.observes(connection) || self.audiences.admits_if(latter, connection, will_see)
        };
        for connection in before.ready() {
            if stays(connection) {
                staying.push(connection);
            } else {
                leaving.push(connection);
            }
        }
        let mut others = !leaving.is_empty();
        // They have just left this audience, and may be in the one to come.
        for connection in self.turnover.of(former) {
            if stays(connection) {
                staying.push(connection);
                others = true;
            } else {
                leaving.push(connection);
            }
        }
        if others {
            // What was written before is for those who saw the object then.
            if self.audiences.is_written() {
                self.deliver();
            }
            let narrowed = self.audiences.exactly(&staying);
            self.audiences.acquire(narrowed);
            self.audiences.release(former);
            if let Some(spawned) = self.objects.get_mut(id.0) {
                spawned.audience = narrowed;
            }
        }
        self.hide_from(id, &leaving);
        staying.clear();
        leaving.clear();
        (self.scratch.entering, self.scratch.leaving) = (staying, leaving);
    }

    /// Does something about each object of the areas that somebody has begun to see, or ceased to, with
    /// those who have. `moved` are objects, ascending, for which it has been done. Costs as much as there
    /// is in those areas.
    pub(super) fn cross_areas(
        &mut self,
        moved: &[NetId],
        tell: impl Fn(&mut Self, NetId, &[ConnectionId]),
    ) {
        let turnover = std::mem::take(&mut self.turnover);
        let (mut objects, mut last, mut crossed) = (Vec::new(), None, Vec::new());
        for area in &turnover.areas {
            objects.extend(self.interest.objects(*area));
            for id in objects.drain(..) {
                let spawned = self.objects.get(id.0).filter(|spawned| spawned.announced);
                let Some(audience) = spawned.map(|spawned| spawned.audience) else {
                    continue;
                };
                if moved.binary_search(&id).is_ok() {
                    continue;
                }
                // Neighbours mostly have the same one.
                if last.replace(audience) != Some(audience) {
                    crossed.clear();
                    crossed.extend(turnover.of(audience));
                }
                tell(self, id, &crossed);
            }
        }
    }

    /// Tells connections to forget an object. It is owed to them no more.
    pub(super) fn hide_from(&mut self, id: NetId, leaving: &[ConnectionId]) {
        for connection in leaving {
            self.send_own(*connection, &ObjectHide { net_id: id });
        }
        if !leaving.is_empty()
            && let Some(owed) = self.owed.get_mut(&id)
        {
            let (left, stay): (Vec<_>, Vec<_>) =
                owed.drain(..).partition(|owed| leaving.contains(owed));
            *owed = stay;
            self.void(id, &left);
            self.settle_owed(id);
        }
    }
}
