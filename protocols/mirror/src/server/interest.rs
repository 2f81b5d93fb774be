//! What the interest management says, and what follows from it.

use std::any::Any;
use std::collections::BTreeSet;

use syncvar_runtime::{
    Area, ConnectionId, Everyone, InterestChange, InterestChanges, InterestManagement, NetId,
};

use super::MirrorServer;
use crate::{MirrorPrefabs, MirrorServerConfig};

/// The interest management of a server, and what it has said.
#[derive(Debug)]
pub(super) struct Interest {
    pub(super) management: Box<dyn InterestManagement>,
    changes: InterestChanges,
    /// What is in which area.
    objects: BTreeSet<(Area, NetId)>,
    /// Who sees which area.
    viewers: BTreeSet<(Area, ConnectionId)>,
    /// The same from the other side.
    sights: BTreeSet<(ConnectionId, Area)>,
}

impl Default for Interest {
    fn default() -> Self {
        Self::new(Box::new(Everyone))
    }
}

impl Interest {
    fn new(management: Box<dyn InterestManagement>) -> Self {
        Self {
            management,
            changes: InterestChanges::default(),
            objects: BTreeSet::new(),
            viewers: BTreeSet::new(),
            sights: BTreeSet::new(),
        }
    }

    /// Whether a connection sees an area.
    pub(super) fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.viewers.contains(&(area, connection))
    }

    fn place(&mut self, object: NetId, former: Option<Area>, area: Option<Area>) {
        if let Some(former) = former {
            self.objects.remove(&(former, object));
        }
        if let Some(area) = area {
            self.objects.insert((area, object));
        }
    }

    /// An object is gone.
    pub(super) fn forget(&mut self, object: NetId, area: Option<Area>) {
        self.place(object, area, None);
        self.management.handle_despawn(object);
    }

    pub(super) fn forget_connection(&mut self, connection: ConnectionId) {
        let last = (connection, Area(u64::MAX));
        let sights = self.sights.range((connection, Area(0))..=last);
        let sights: Vec<_> = sights.copied().collect();
        for (connection, area) in sights {
            self.see(connection, area, false);
        }
        self.management.handle_disconnect(connection);
    }

    fn see(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        if sees {
            self.viewers.insert((area, connection));
            self.sights.insert((connection, area));
        } else {
            self.viewers.remove(&(area, connection));
            self.sights.remove(&(connection, area));
        }
    }

    /// The objects in an area, ascending.
    fn objects(&self, area: Area) -> Vec<NetId> {
        let last = (area, NetId(u32::MAX));
        let objects = self.objects.range((area, NetId(0))..=last);
        objects.map(|(_, object)| *object).collect()
    }

    /// Those who see one of two areas, ascending.
    fn viewers(&self, areas: [Area; 2]) -> BTreeSet<ConnectionId> {
        let viewers = areas.into_iter().flat_map(|area| {
            let last = (area, ConnectionId(u32::MAX));
            self.viewers.range((area, ConnectionId(0))..=last)
        });
        viewers.map(|(_, connection)| *connection).collect()
    }
}

impl MirrorServer {
    /// A server whose connections see what an interest management says, with settings of your own. What
    /// it says takes effect with the next update, or sooner: when an object is spawned or a connection is
    /// shown everything. The owner of an object sees it in any case.
    ///
    /// ```
    /// # use syncvar_mirror::*;
    /// # use syncvar_runtime::{SpatialGrid, Vector3};
    /// let grid = SpatialGrid::xz(20.0, 50.0);
    /// let config = MirrorServerConfig::default();
    /// let mut server = MirrorServer::with_interest(MirrorPrefabs::new(), config, grid);
    /// let connection = server.handle_connect(Limits::TELEPATHY);
    /// let grid: &mut SpatialGrid = server.interest_mut().unwrap();
    /// grid.watch(connection, Vector3::new(1.0, 0.0, 2.0));
    /// ```
    pub fn with_interest(
        prefabs: MirrorPrefabs,
        config: MirrorServerConfig,
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
    /// knowing: where viewers are, who is on which team.
    pub fn interest_mut<I: InterestManagement>(&mut self) -> Option<&mut I> {
        let any: &mut dyn Any = &mut *self.interest.management;
        any.downcast_mut()
    }

    /// Takes what the interest management has to say, and shows and hides objects as it says.
    pub(super) fn follow_interest(&mut self) {
        let mut changes = std::mem::take(&mut self.interest.changes);
        self.interest.management.update(&mut changes);
        for change in changes.drain() {
            match change {
                InterestChange::Placed { object, area } => self.place_in(object, area),
                InterestChange::Revealed { connection, area } => {
                    self.set_sight(connection, area, true);
                }
                InterestChange::Concealed { connection, area } => {
                    self.set_sight(connection, area, false);
                }
            }
        }
        self.interest.changes = changes;
    }

    fn place_in(&mut self, id: NetId, area: Option<Area>) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        let former = std::mem::replace(&mut object.area, area);
        self.interest.place(id, former, area);
        match (former, area) {
            (Some(former), Some(area)) => {
                for connection in self.interest.viewers([former, area]) {
                    self.look(id, connection);
                }
            }
            _ => self.look_all(id),
        }
    }

    fn set_sight(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        if !self.is_connected(connection) {
            return;
        }
        self.interest.see(connection, area, sees);
        if self.is_ready(connection) {
            for id in self.interest.objects(area) {
                self.look(id, connection);
            }
        }
    }
}
