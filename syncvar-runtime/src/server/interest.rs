//! What the interest management says, and what follows from it.

use std::any::Any;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::audience::{AudienceId, Base};
use super::show::Turnover;
use super::{ConnectionId, NetworkServer};
use crate::interest::{Area, Everyone, InterestChange, InterestChanges, InterestManagement};
use crate::{NetId, Prefabs, ServerConfig};

/// The interest management of a server, and what it has said.
#[derive(Debug)]
pub(super) struct Interest {
    pub(super) management: Box<dyn InterestManagement>,
    changes: InterestChanges,
    /// The area of each object that is in one.
    areas: FxHashMap<NetId, Area>,
    /// The same from the other side.
    objects: BTreeSet<(Area, NetId)>,
    /// Who begins (`true`) or ceases to see which area with the update under way.
    crossings: Vec<(ConnectionId, Area, bool)>,
}

impl Interest {
    pub(super) fn new(management: Box<dyn InterestManagement>) -> Self {
        Self {
            management,
            changes: InterestChanges::default(),
            areas: FxHashMap::default(),
            objects: BTreeSet::new(),
            crossings: Vec::new(),
        }
    }

    /// Who sees an object, as far as the interest management goes.
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
            self.objects.remove(&(former, object));
        }
        if let Some(area) = area {
            self.objects.insert((area, object));
        }
    }

    pub(super) fn forget(&mut self, object: NetId) {
        self.place(object, None);
        self.management.handle_despawn(object);
    }

    /// The objects in an area, ascending.
    fn objects(&self, area: Area) -> impl Iterator<Item = NetId> {
        let (first, last) = (NetId(0), NetId(u32::MAX));
        let objects = self.objects.range((area, first)..=(area, last));
        objects.map(|(_, object)| *object)
    }
}

impl NetworkServer {
    /// A server whose connections see what an interest management says, with settings of your own.
    ///
    /// An object that the interest management has placed in an area is seen by those who see the
    /// area, and by its owner. [`show`](Self::show) and [`hide`](Self::hide) come before that, for one
    /// connection; [`show_to_all`](Self::show_to_all) and [`hide_from_all`](Self::hide_from_all) for
    /// all of them, until [`show_by_interest`](Self::show_by_interest).
    ///
    /// ```
    /// # use syncvar_runtime::*;
    /// let grid = SpatialGrid::xz(20.0, 50.0);
    /// let mut server = NetworkServer::with_interest(Prefabs::new(), ServerConfig::default(), grid);
    /// let connection = server.handle_connect();
    /// let grid: &mut SpatialGrid = server.interest_mut().unwrap();
    /// grid.watch(connection, Vector3::new(1.0, 0.0, 2.0));
    /// ```
    pub fn with_interest(
        prefabs: Prefabs,
        config: ServerConfig,
        interest: impl InterestManagement,
    ) -> Self {
        let mut server = Self::with_config(prefabs, config);
        server.interest = Interest::new(Box::new(interest));
        server
    }

    /// The interest management, if it is of this type.
    pub fn interest<I: InterestManagement>(&self) -> Option<&I> {
        let any: &dyn Any = &*self.interest.management;
        any.downcast_ref()
    }

    /// The interest management, if it is of this type, to be told of what it has no other way of
    /// knowing: where viewers are, who is on which team. It takes effect with the next update.
    pub fn interest_mut<I: InterestManagement>(&mut self) -> Option<&mut I> {
        let any: &mut dyn Any = &mut *self.interest.management;
        any.downcast_mut()
    }

    /// Leaves it to the interest management again who sees an object; nobody is shown it or kept from
    /// it in particular any more. Returns whether there is such an object.
    pub fn show_by_interest(&mut self, id: NetId) -> bool {
        let base = self.interest.base(id);
        let Some(spawned) = self.objects.get_mut(id.0) else {
            return false;
        };
        spawned.by_interest = true;
        let owner = spawned.owner;
        self.set_wanted(id, |audiences, _| {
            audiences.rebase(super::audience::Audiences::NOBODY, base, owner)
        })
    }

    /// An object has another area or another owner: it may be for other connections.
    pub(super) fn follow_object(&mut self, id: NetId) {
        let base = self.interest.base(id);
        let Some(spawned) = self
            .objects
            .get_mut(id.0)
            .filter(|spawned| spawned.by_interest)
        else {
            return;
        };
        let wanted = self.audiences.rebase(spawned.wanted, base, spawned.owner);
        if wanted != spawned.wanted {
            self.set_wanted(id, |_, _| wanted);
        }
    }

    /// Takes what the interest management has to say. Objects that somebody begins to see have their
    /// changes written first, like all that are about to be shown.
    pub(super) fn follow_interest(&mut self) {
        let mut changes = std::mem::take(&mut self.interest.changes);
        self.interest.management.update(&mut changes);
        for change in changes.drain() {
            match change {
                InterestChange::Placed { object, area } => {
                    if self.objects.get(object.0).is_some() {
                        self.interest.place(object, area);
                        self.follow_object(object);
                    }
                }
                InterestChange::Revealed { connection, area } => {
                    self.begin_crossing(connection, area, true);
                }
                InterestChange::Concealed { connection, area } => {
                    self.begin_crossing(connection, area, false);
                }
            }
        }
        self.interest.changes = changes;
        for (_, area, _) in self.interest.crossings.iter().filter(|(.., sees)| *sees) {
            for object in self.interest.objects(*area) {
                if let Some(spawned) = self.objects.get_mut(object.0) {
                    spawned.forced = true;
                    self.schedule.queue_dirty(object);
                }
            }
        }
    }

    fn begin_crossing(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        if self.knows(connection) {
            self.interest.crossings.push((connection, area, sees));
        }
    }

    /// Connections see other areas from now on: what has been written so far was for those who saw
    /// them before.
    pub(super) fn cross_over(&mut self) {
        let mut changed = Vec::new();
        for (connection, area, sees) in self.interest.crossings.drain(..) {
            if sees {
                self.audiences.reveal(connection, area, &mut changed);
            } else {
                self.audiences.conceal(connection, area, &mut changed);
            }
            for audience in changed.drain(..) {
                self.turnover.turn(audience, connection, sees);
            }
        }
    }

    /// Shows the objects of areas to those who have begun to see them, and hides them from those who
    /// have ceased to. `moved` are objects, ascending, for which that has been done.
    pub(super) fn show_areas(&mut self, moved: &[NetId]) {
        let turnover = std::mem::take(&mut self.turnover);
        let mut objects = Vec::new();
        for audience in turnover.audiences() {
            let entered: Vec<_> = Turnover::of(&turnover.entered, audience).collect();
            let left: Vec<_> = Turnover::of(&turnover.left, audience).collect();
            objects.extend(self.members_of_area(audience));
            for id in objects.drain(..) {
                let spawned = self.objects.get(id.0);
                let stays = |spawned: &&_| {
                    let super::Spawned {
                        audience: named,
                        announced,
                        ..
                    } = spawned;
                    *announced && *named == audience
                };
                if spawned.filter(stays).is_some() && moved.binary_search(&id).is_err() {
                    self.hide_from(id, &left);
                    self.show_to(id, &entered);
                }
            }
        }
    }

    /// The objects in the area that an audience is based on.
    fn members_of_area(&self, audience: AudienceId) -> impl Iterator<Item = NetId> {
        let area = match self.audiences.base(audience) {
            Base::Area(area) => Some(area),
            Base::Everyone | Base::Nobody => None,
        };
        area.into_iter()
            .flat_map(|area| self.interest.objects(area))
    }
}

impl Default for Interest {
    fn default() -> Self {
        Self::new(Box::new(Everyone))
    }
}
