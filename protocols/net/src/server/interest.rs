//! What the interest management says, and what follows from it.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::NetworkServer;
use super::audience::{Audiences, Base};
use crate::ConnectionId;
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
    /// Who was shown an object of which the interest management says for now that everyone sees it.
    /// An audience of everyone does not keep that; in an area it matters again.
    shown: BTreeSet<(NetId, ConnectionId)>,
    /// Who begins or ceases to see which area with the update under way, in the order in which the
    /// interest management has said so.
    crossings: Vec<(ConnectionId, Area)>,
    /// Whether they will see it then.
    sight: FxHashMap<(ConnectionId, Area), bool>,
    /// The areas that somebody begins to see with the update under way.
    entered: Vec<Area>,
}

impl Interest {
    pub(super) fn new(management: Box<dyn InterestManagement>) -> Self {
        Self {
            management,
            changes: InterestChanges::default(),
            areas: FxHashMap::default(),
            objects: BTreeSet::new(),
            shown: BTreeSet::new(),
            crossings: Vec::new(),
            sight: FxHashMap::default(),
            entered: Vec::new(),
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
        self.take_shown(object);
        self.management.handle_despawn(object);
    }

    pub(super) fn forget_connection(&mut self, connection: ConnectionId) {
        self.shown.retain(|(_, shown)| *shown != connection);
        self.management.handle_disconnect(connection);
    }

    /// Remembers, or no longer, that a connection was shown an object that everyone sees for now. A
    /// server without areas has no use for it.
    pub(super) fn set_shown(&mut self, object: NetId, connection: ConnectionId, shown: bool) {
        let management: &dyn Any = &*self.management;
        if shown && !management.is::<Everyone>() {
            self.shown.insert((object, connection));
        } else {
            self.shown.remove(&(object, connection));
        }
    }

    /// Those who were shown an object that everyone sees for now; they are not remembered any more.
    pub(super) fn take_shown(&mut self, object: NetId) -> Vec<ConnectionId> {
        let (first, last) = (ConnectionId(0), ConnectionId(u32::MAX));
        let shown = self.shown.range((object, first)..=(object, last));
        let shown: Vec<_> = shown.map(|(_, connection)| *connection).collect();
        for connection in &shown {
            self.shown.remove(&(object, *connection));
        }
        shown
    }

    /// The objects in an area, ascending.
    pub(super) fn objects(&self, area: Area) -> impl Iterator<Item = NetId> {
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
    /// # use syncvar::*;
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
        let owner = owner.filter(|owner| !self.is_local(*owner));
        self.interest.take_shown(id);
        self.set_view_of_local(id, None);
        self.set_wanted(id, |audiences, _| {
            audiences.rebase(Audiences::NOBODY, base, owner, &[])
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
        let shown = match (self.audiences.base(spawned.wanted), base) {
            (Base::Everyone, Base::Area(_)) => self.interest.take_shown(id),
            (Base::Area(_), Base::Everyone) => {
                for connection in self.audiences.shown(spawned.wanted) {
                    self.interest.set_shown(id, connection, true);
                }
                Vec::new()
            }
            _ => Vec::new(),
        };
        let (wanted, owner) = (spawned.wanted, spawned.owner);
        let owner = owner.filter(|owner| !self.is_local(*owner));
        let rebased = self.audiences.rebase(wanted, base, owner, &shown);
        if rebased != wanted {
            self.set_wanted(id, |_, _| rebased);
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
        self.force_entered();
    }

    fn begin_crossing(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        if self.knows(connection) {
            self.interest.crossings.push((connection, area));
            self.interest.sight.insert((connection, area), sees);
            if sees && self.is_ready(connection) && !self.is_local(connection) {
                self.interest.entered.push(area);
            }
        }
    }

    /// Has the changes written of the objects that somebody is about to see because of their area.
    fn force_entered(&mut self) {
        let mut entered = std::mem::take(&mut self.interest.entered);
        entered.sort_unstable();
        entered.dedup();
        for area in entered.drain(..) {
            for object in self.interest.objects(area) {
                if let Some(spawned) = self.objects.get_mut(object.0)
                    && self.audiences.base(spawned.audience) == Base::Area(area)
                {
                    spawned.forced = true;
                    self.schedule.queue_dirty(object);
                }
            }
        }
        self.interest.entered = entered;
    }

    /// Whether a connection sees an area when the update under way, if there is one, is over.
    pub(super) fn will_see(&self, connection: ConnectionId, area: Area) -> bool {
        let sight = &self.interest.sight;
        if !sight.is_empty()
            && let Some(sees) = sight.get(&(connection, area))
        {
            return *sees;
        }
        self.audiences.sees(connection, area)
    }

    /// Whether somebody begins or ceases to see an area with the update under way.
    pub(super) fn is_crossing(&self) -> bool {
        !self.interest.crossings.is_empty()
    }

    /// Those who begin to see areas see them from now on, or those who cease to see them no more: what
    /// is written next is for the former, and not for the latter.
    pub(super) fn cross_over(&mut self, sees: bool) {
        let mut changed = Vec::new();
        let crossings = std::mem::take(&mut self.interest.crossings);
        for (connection, area) in &crossings {
            let (connection, area) = (*connection, *area);
            if self.interest.sight.get(&(connection, area)) != Some(&sees) {
                continue;
            }
            if self.is_local(connection) {
                self.touch_area_for_local(area);
            }
            if sees {
                self.audiences.reveal(connection, area, &mut changed);
            } else {
                self.audiences.conceal(connection, area, &mut changed);
            }
            self.turnover.add(area, connection, &mut changed);
        }
        self.interest.crossings = crossings;
    }

    /// Everybody sees what they are to see.
    pub(super) fn end_crossing(&mut self) {
        self.interest.crossings.clear();
        self.interest.sight.clear();
    }
}

impl Default for Interest {
    fn default() -> Self {
        Self::new(Box::new(Everyone))
    }
}
