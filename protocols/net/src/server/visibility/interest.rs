//! Interest management of the server: areas of objects and viewers of areas.

#[cfg(test)]
mod tests;

use std::any::Any;

use rustc_hash::FxHashMap;
use syncvar_runtime::interest::{
    Area, Everyone, InterestChange, InterestChanges, InterestManagement,
};
use syncvar_runtime::unstable::ordered::IdPairs;
use syncvar_runtime::{ConnectionId, NetId};

use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::sessions::Sessions;
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::{Audiences, Base};

/// The interest management, and its reports.
#[derive(Debug)]
pub(crate) struct Interest {
    pub(crate) management: Box<dyn InterestManagement>,
    changes: InterestChanges,
    /// Areas of objects.
    areas: FxHashMap<NetId, Area>,
    /// Objects of areas.
    objects: IdPairs<Area, NetId>,
    /// Connections shown an object that is in no area. The base audience covers them, but in an
    /// area the exception matters again.
    shown: IdPairs<NetId, ConnectionId>,
    /// Connections that enter or leave an area with this update, in the order of the reports.
    area_changes: Vec<(ConnectionId, Area)>,
    /// Whether the connection sees the area after this update.
    pending_views: FxHashMap<(ConnectionId, Area), bool>,
    /// Areas that a connection enters with this update.
    entered: Vec<Area>,
}

impl Interest {
    pub(crate) fn new(management: Box<dyn InterestManagement>) -> Self {
        Self {
            management,
            changes: InterestChanges::default(),
            areas: FxHashMap::default(),
            objects: IdPairs::default(),
            shown: IdPairs::default(),
            area_changes: Vec::new(),
            pending_views: FxHashMap::default(),
            entered: Vec::new(),
        }
    }

    /// Returns the base of an object's audience.
    fn base(&self, object: NetId) -> Base {
        let area = self.areas.get(&object);
        area.map_or(Base::Everyone, |area| Base::Area(*area))
    }

    fn place(&mut self, object: NetId, area: Option<Area>) {
        let former = match area {
            Some(area) => self.areas.insert(object, area),
            None => self.areas.remove(&object),
        };
        if let Some(former) = former {
            self.objects.remove(former, object);
        }
        if let Some(area) = area {
            self.objects.insert(area, object);
        }
    }

    pub(crate) fn forget(&mut self, object: NetId) {
        self.place(object, None);
        self.take_shown(object);
        self.management.handle_despawn(object);
    }

    pub(crate) fn forget_connection(&mut self, connection: ConnectionId) {
        self.shown.remove_right(connection);
        self.management.handle_disconnect(connection);
    }

    /// Adds or removes a connection that was shown an object without an area. A server without
    /// areas stores none.
    pub(crate) fn remember_shown(&mut self, object: NetId, connection: ConnectionId, shown: bool) {
        let management: &dyn Any = &*self.management;
        if shown && !management.is::<Everyone>() {
            self.shown.insert(object, connection);
        } else {
            self.shown.remove(object, connection);
        }
    }

    /// Returns the connections that were shown an object without an area, ascending.
    pub(crate) fn shown_by_name(&self, object: NetId) -> impl Iterator<Item = ConnectionId> {
        self.shown.of(object)
    }

    /// Removes and returns the connections that were shown an object without an area.
    pub(crate) fn take_shown(&mut self, object: NetId) -> Vec<ConnectionId> {
        let shown: Vec<_> = self.shown.of(object).collect();
        for connection in &shown {
            self.shown.remove(object, *connection);
        }
        shown
    }

    /// Returns the objects in an area, ascending.
    pub(crate) fn objects(&self, area: Area) -> impl Iterator<Item = NetId> {
        self.objects.of(area)
    }
}

impl Interest {
    /// Returns whether a connection enters or leaves an area with this update.
    pub(crate) fn has_area_changes(&self) -> bool {
        !self.area_changes.is_empty()
    }

    /// Clears the pending area changes.
    pub(crate) fn clear_area_changes(&mut self) {
        self.area_changes.clear();
        self.pending_views.clear();
    }
}

impl Visibility {
    /// Lets the interest management choose the observers of an object, without exceptions.
    pub(crate) fn show_by_interest(
        &mut self,
        objects: &mut Objects,
        sessions: &Sessions,
        id: NetId,
    ) {
        let base = self.interest.base(id);
        let Some(replicated) = objects.world.objects.get_mut(id.0) else {
            return;
        };
        replicated.set(State::ByInterest, true);
        let owner = replicated.owner.filter(|owner| !sessions.is_local(*owner));
        self.interest.take_shown(id);
        self.set_target_audience(objects, id, |audiences, _| {
            audiences.rebase(Audiences::NOBODY, base, owner, &[])
        });
    }

    /// Updates an object's target audience after a change of its area or owner.
    pub(crate) fn update_base(&mut self, objects: &mut Objects, sessions: &Sessions, id: NetId) {
        let base = self.interest.base(id);
        let replicated = objects.world.objects.get_mut(id.0);
        let Some(replicated) = replicated.filter(|replicated| replicated.is(State::ByInterest))
        else {
            return;
        };
        let target = replicated.target_audience;
        let shown = match (self.audiences.base(target), base) {
            (Base::Everyone, Base::Area(_)) => self.interest.take_shown(id),
            (Base::Area(_), Base::Everyone) => {
                for connection in self.audiences.shown(target) {
                    self.interest.remember_shown(id, connection, true);
                }
                Vec::new()
            }
            _ => Vec::new(),
        };
        let owner = replicated.owner.filter(|owner| !sessions.is_local(*owner));
        let rebased = self.audiences.rebase(target, base, owner, &shown);
        if rebased != target {
            self.set_target_audience(objects, id, |_, _| rebased);
        }
    }

    /// Applies the reports of the interest management.
    pub(crate) fn apply_interest(&mut self, ground: &mut Ground<'_>) {
        let mut changes = std::mem::take(&mut self.interest.changes);
        self.interest.management.update(&mut changes);
        for change in changes.drain() {
            match change {
                InterestChange::Placed { object, area } => {
                    if ground.objects.world.objects.get(object.0).is_some() {
                        self.interest.place(object, area);
                        self.update_base(ground.objects, ground.sessions, object);
                    }
                }
                InterestChange::Revealed { connection, area } => {
                    self.queue_area_change(ground.sessions, connection, area, true);
                }
                InterestChange::Concealed { connection, area } => {
                    self.queue_area_change(ground.sessions, connection, area, false);
                }
            }
        }
        self.interest.changes = changes;
        self.flush_entered_areas(ground.objects);
    }

    fn queue_area_change(
        &mut self,
        sessions: &Sessions,
        connection: ConnectionId,
        area: Area,
        sees: bool,
    ) {
        if sessions.knows(connection) {
            let interest = &mut self.interest;
            interest.area_changes.push((connection, area));
            interest.pending_views.insert((connection, area), sees);
            if sees && sessions.is_ready(connection) && !sessions.is_local(connection) {
                interest.entered.push(area);
            }
        }
    }

    /// Queues the deltas of objects in entered areas: their observers need them before the
    /// snapshots.
    fn flush_entered_areas(&mut self, objects: &mut Objects) {
        let mut entered = std::mem::take(&mut self.interest.entered);
        entered.sort_unstable();
        entered.dedup();
        for area in entered.drain(..) {
            for object in self.interest.objects(area) {
                if let Some(replicated) = objects.world.objects.get_mut(object.0)
                    && self.audiences.base(replicated.audience) == Base::Area(area)
                {
                    replicated.set(State::SendNow, true);
                    objects.schedule.queue_dirty(object);
                }
            }
        }
        self.interest.entered = entered;
    }

    /// Returns whether a connection sees an area after this update.
    pub(crate) fn will_see(&self, connection: ConnectionId, area: Area) -> bool {
        let pending_views = &self.interest.pending_views;
        if !pending_views.is_empty()
            && let Some(sees) = pending_views.get(&(connection, area))
        {
            return *sees;
        }
        self.audiences.sees(connection, area)
    }

    /// Adds entering connections to the audiences, or removes leaving connections. Bytes written later
    /// reach the new observers.
    pub(super) fn apply_viewer_changes(&mut self, ground: &mut Ground<'_>, sees: bool) {
        let mut changed = Vec::new();
        let area_changes = std::mem::take(&mut self.interest.area_changes);
        for (connection, area) in area_changes.iter().copied() {
            let pending = self.interest.pending_views.get(&(connection, area));
            if pending != Some(&sees) {
                continue;
            }
            if ground.sessions.is_local(connection) {
                for object in self.interest.objects(area) {
                    ground.objects.note_local_change(object);
                }
            }
            let audiences = &mut self.audiences;
            if sees {
                audiences.reveal(connection, area, &mut changed);
            } else {
                audiences.conceal(connection, area, &mut changed);
            }
            self.viewer_changes.add(area, connection, &mut changed);
        }
        self.interest.area_changes = area_changes;
    }
}

impl Default for Interest {
    fn default() -> Self {
        Self::new(Box::new(Everyone))
    }
}
