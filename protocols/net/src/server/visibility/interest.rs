//! Interest management of the server: areas of objects and viewers of areas.

#[cfg(test)]
mod tests;

use std::any::Any;

use rustc_hash::FxHashMap;
use syncvar_runtime::interest::{
    Area, Everyone, InterestChange, InterestChanges, InterestManagement, WrongInterest,
};
use syncvar_runtime::ordered::IdPairs;
use syncvar_runtime::{ConnectionId, NetId, ObjectError, Prefabs};

use crate::ServerConfig;
use crate::server::NetworkServer;
use crate::server::objects::replicated::State;
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::{Audiences, Base};

/// The interest management, and its reports.
#[derive(Debug)]
pub(in crate::server) struct Interest {
    pub(in crate::server) management: Box<dyn InterestManagement>,
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
    /// Whether each of them sees the area after this update.
    pending_views: FxHashMap<(ConnectionId, Area), bool>,
    /// Areas that a connection enters with this update.
    entered: Vec<Area>,
}

impl Interest {
    pub(in crate::server) fn new(management: Box<dyn InterestManagement>) -> Self {
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

    pub(in crate::server) fn forget(&mut self, object: NetId) {
        self.place(object, None);
        self.take_shown(object);
        self.management.handle_despawn(object);
    }

    pub(in crate::server) fn forget_connection(&mut self, connection: ConnectionId) {
        self.shown.remove_right(connection);
        self.management.handle_disconnect(connection);
    }

    /// Adds or removes a connection that was shown an object without an area. A server without
    /// areas stores none.
    pub(in crate::server) fn remember_shown(
        &mut self,
        object: NetId,
        connection: ConnectionId,
        shown: bool,
    ) {
        let management: &dyn Any = &*self.management;
        if shown && !management.is::<Everyone>() {
            self.shown.insert(object, connection);
        } else {
            self.shown.remove(object, connection);
        }
    }

    /// Removes and returns the connections that were shown an object without an area.
    pub(in crate::server) fn take_shown(&mut self, object: NetId) -> Vec<ConnectionId> {
        let shown: Vec<_> = self.shown.of(object).collect();
        for connection in &shown {
            self.shown.remove(object, *connection);
        }
        shown
    }

    /// Returns the objects in an area, ascending.
    pub(in crate::server) fn objects(&self, area: Area) -> impl Iterator<Item = NetId> {
        self.objects.of(area)
    }
}

impl Visibility {
    /// Returns whether a connection will see an area after the pending changes.
    pub(crate) fn will_see(&self, connection: ConnectionId, area: Area) -> bool {
        let pending_views = &self.interest.pending_views;
        if !pending_views.is_empty()
            && let Some(sees) = pending_views.get(&(connection, area))
        {
            return *sees;
        }
        self.audiences.sees(connection, area)
    }
}

impl NetworkServer {
    /// Returns a server with an interest management.
    ///
    /// Connections that see an area, and the owner, observe the objects in it. For one connection,
    /// [`show`](Self::show) and [`hide`](Self::hide) have precedence. For all,
    /// [`show_to_all`](Self::show_to_all) and [`hide_from_all`](Self::hide_from_all) have it, until
    /// [`show_by_interest`](Self::show_by_interest).
    ///
    /// ```
    /// # use syncvar::*;
    /// # use syncvar::interest::SpatialGrid;
    /// # use syncvar::values::Vector3;
    /// let grid = SpatialGrid::xz(20.0, 50.0);
    /// let mut server = NetworkServer::with_interest(Prefabs::new(), ServerConfig::default(), grid);
    /// let connection = server.handle_connect();
    /// let grid: &mut SpatialGrid = server.interest_mut().unwrap();
    /// grid.watch(connection, Vector3::new(1.0, 0.0, 2.0)).unwrap();
    /// ```
    pub fn with_interest(
        prefabs: Prefabs,
        config: ServerConfig,
        interest: impl InterestManagement,
    ) -> Self {
        let mut server = Self::with_config(prefabs, config);
        server.visibility.interest = Interest::new(Box::new(interest));
        server
    }

    /// Returns the interest management of a known type.
    ///
    /// # Errors
    ///
    /// When it has another type.
    pub fn interest<I: InterestManagement>(&self) -> Result<&I, WrongInterest> {
        <dyn InterestManagement>::downcast_ref(&*self.visibility.interest.management)
    }

    /// Returns the interest management of a known type, for writing. Pass it the positions of
    /// viewers or the members of teams. Changes take effect with the next update.
    ///
    /// # Errors
    ///
    /// When it has another type.
    pub fn interest_mut<I: InterestManagement>(&mut self) -> Result<&mut I, WrongInterest> {
        <dyn InterestManagement>::downcast_mut(&mut *self.visibility.interest.management)
    }

    /// Lets the interest management choose the observers of an object, without exceptions.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn show_by_interest(&mut self, id: NetId) -> Result<(), ObjectError> {
        let base = self.visibility.interest.base(id);
        let replicated = self.objects.world.objects.get_mut(id.0);
        let replicated = replicated.ok_or(ObjectError::NoSuchObject(id))?;
        replicated.set(State::ByInterest, true);
        let owner = replicated.owner;
        let owner = owner.filter(|owner| !self.is_local(*owner));
        self.visibility.interest.take_shown(id);
        if let Some(host) = &mut self.host {
            host.set_view(&mut self.objects, id, None);
        }
        self.visibility
            .set_target_audience(&mut self.objects, id, |audiences, _| {
                audiences.rebase(Audiences::NOBODY, base, owner, &[])
            });
        Ok(())
    }

    /// Updates an object's target audience after a change of its area or owner.
    pub(in crate::server) fn update_base(&mut self, id: NetId) {
        let base = self.visibility.interest.base(id);
        let Some(replicated) = self
            .objects
            .world
            .objects
            .get_mut(id.0)
            .filter(|replicated| replicated.is(State::ByInterest))
        else {
            return;
        };
        let shown = match (
            self.visibility.audiences.base(replicated.target_audience),
            base,
        ) {
            (Base::Everyone, Base::Area(_)) => self.visibility.interest.take_shown(id),
            (Base::Area(_), Base::Everyone) => {
                for connection in self.visibility.audiences.shown(replicated.target_audience) {
                    self.visibility
                        .interest
                        .remember_shown(id, connection, true);
                }
                Vec::new()
            }
            _ => Vec::new(),
        };
        let (wanted, owner) = (replicated.target_audience, replicated.owner);
        let owner = owner.filter(|owner| !self.is_local(*owner));
        let rebased = self
            .visibility
            .audiences
            .rebase(wanted, base, owner, &shown);
        if rebased != wanted {
            self.visibility
                .set_target_audience(&mut self.objects, id, |_, _| rebased);
        }
    }

    /// Applies the reports of the interest management.
    pub(in crate::server) fn apply_interest(&mut self) {
        let mut changes = std::mem::take(&mut self.visibility.interest.changes);
        self.visibility.interest.management.update(&mut changes);
        for change in changes.drain() {
            match change {
                InterestChange::Placed { object, area } => {
                    if self.objects.world.objects.get(object.0).is_some() {
                        self.visibility.interest.place(object, area);
                        self.update_base(object);
                    }
                }
                InterestChange::Revealed { connection, area } => {
                    self.queue_area_change(connection, area, true);
                }
                InterestChange::Concealed { connection, area } => {
                    self.queue_area_change(connection, area, false);
                }
            }
        }
        self.visibility.interest.changes = changes;
        self.flush_entered_areas();
    }

    fn queue_area_change(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        if self.sessions.knows(connection) {
            self.visibility
                .interest
                .area_changes
                .push((connection, area));
            self.visibility
                .interest
                .pending_views
                .insert((connection, area), sees);
            if sees && self.is_ready(connection) && !self.is_local(connection) {
                self.visibility.interest.entered.push(area);
            }
        }
    }

    /// Queues the deltas of objects in entered areas: their observers need them before the
    /// snapshots.
    fn flush_entered_areas(&mut self) {
        let mut entered = std::mem::take(&mut self.visibility.interest.entered);
        entered.sort_unstable();
        entered.dedup();
        for area in entered.drain(..) {
            for object in self.visibility.interest.objects(area) {
                if let Some(replicated) = self.objects.world.objects.get_mut(object.0)
                    && self.visibility.audiences.base(replicated.audience) == Base::Area(area)
                {
                    replicated.set(State::SendNow, true);
                    self.objects.schedule.queue_dirty(object);
                }
            }
        }
        self.visibility.interest.entered = entered;
    }

    /// Returns whether a connection sees an area after this update.
    pub(in crate::server) fn will_see(&self, connection: ConnectionId, area: Area) -> bool {
        self.visibility.will_see(connection, area)
    }

    /// Returns whether a connection enters or leaves an area with this update.
    pub(in crate::server) fn has_area_changes(&self) -> bool {
        !self.visibility.interest.area_changes.is_empty()
    }

    /// Adds entering connections to the audiences, or removes leaving ones. Bytes written later
    /// reach the new observers.
    pub(in crate::server) fn apply_viewer_changes(&mut self, sees: bool) {
        let mut changed = Vec::new();
        let area_changes = std::mem::take(&mut self.visibility.interest.area_changes);
        for (connection, area) in &area_changes {
            let (connection, area) = (*connection, *area);
            if self
                .visibility
                .interest
                .pending_views
                .get(&(connection, area))
                != Some(&sees)
            {
                continue;
            }
            if self.is_local(connection) {
                for object in self.visibility.interest.objects(area) {
                    self.objects.note_local_change(object);
                }
            }
            if sees {
                self.visibility
                    .audiences
                    .reveal(connection, area, &mut changed);
            } else {
                self.visibility
                    .audiences
                    .conceal(connection, area, &mut changed);
            }
            self.visibility
                .viewer_changes
                .add(area, connection, &mut changed);
        }
        self.visibility.interest.area_changes = area_changes;
    }

    /// Clears the pending area changes.
    pub(in crate::server) fn clear_area_changes(&mut self) {
        self.visibility.interest.area_changes.clear();
        self.visibility.interest.pending_views.clear();
    }
}

impl Default for Interest {
    fn default() -> Self {
        Self::new(Box::new(Everyone))
    }
}
