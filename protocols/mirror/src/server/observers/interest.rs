//! Interest management and its view changes.

use std::collections::BTreeSet;

use syncvar_runtime::{
    Area, ConnectionId, Everyone, InterestChange, InterestChanges, InterestManagement, NetId,
    WrongInterest,
};

use crate::server::MirrorServer;
use crate::server::world::object::Viewers;
use crate::{MirrorPrefabs, MirrorServerConfig};

/// The interest management and its current areas.
#[derive(Debug)]
pub(in crate::server) struct Interest {
    pub(in crate::server) management: Box<dyn InterestManagement>,
    changes: InterestChanges,
    /// Objects by area.
    objects: BTreeSet<(Area, NetId)>,
    /// Viewers by area.
    viewers: BTreeSet<(Area, ConnectionId)>,
    /// Areas by viewer.
    areas: BTreeSet<(ConnectionId, Area)>,
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
            areas: BTreeSet::new(),
        }
    }

    /// Returns whether a connection sees an area.
    pub(in crate::server) fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.viewers.contains(&(area, connection))
    }

    fn move_object(&mut self, object: NetId, former: Option<Area>, area: Option<Area>) {
        if let Some(former) = former {
            self.objects.remove(&(former, object));
        }
        if let Some(area) = area {
            self.objects.insert((area, object));
        }
    }

    /// Removes a despawned object.
    pub(in crate::server) fn remove_object(&mut self, object: NetId, area: Option<Area>) {
        self.move_object(object, area, None);
        self.management.handle_despawn(object);
    }

    pub(in crate::server) fn remove_connection(&mut self, connection: ConnectionId) {
        let last = (connection, Area(u64::MAX));
        let areas = self.areas.range((connection, Area(0))..=last);
        let areas: Vec<_> = areas.copied().collect();
        for (connection, area) in areas {
            self.set_visible(connection, area, false);
        }
        self.management.handle_disconnect(connection);
    }

    fn set_visible(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        if sees {
            self.viewers.insert((area, connection));
            self.areas.insert((connection, area));
        } else {
            self.viewers.remove(&(area, connection));
            self.areas.remove(&(connection, area));
        }
    }

    /// Returns the objects in an area, ascending.
    fn objects(&self, area: Area) -> Vec<NetId> {
        let last = (area, NetId(u32::MAX));
        let objects = self.objects.range((area, NetId(0))..=last);
        objects.map(|(_, object)| *object).collect()
    }

    /// Returns the viewers of one of two areas, ascending.
    fn viewers(&self, areas: [Area; 2]) -> BTreeSet<ConnectionId> {
        let viewers = areas.into_iter().flat_map(|area| {
            let last = (area, ConnectionId(u32::MAX));
            self.viewers.range((area, ConnectionId(0))..=last)
        });
        viewers.map(|(_, connection)| *connection).collect()
    }
}

impl MirrorServer {
    /// Creates a server with interest management and custom settings. View changes take effect with
    /// the next update; or earlier, with a spawn or the burst of a new connection. The owner of an
    /// object always sees it.
    ///
    /// ```
    /// # use syncvar::mirror::*;
    /// # use syncvar::{interest::SpatialGrid, values::Vector3};
    /// let grid = SpatialGrid::xz(20.0, 50.0);
    /// let config = MirrorServerConfig::default();
    /// let mut server = MirrorServer::with_interest(MirrorPrefabs::new(), config, grid);
    /// let connection = server.handle_connect(Limits::TELEPATHY);
    /// let grid: &mut SpatialGrid = server.interest_mut().unwrap();
    /// grid.watch(connection, Vector3::new(1.0, 0.0, 2.0)).unwrap();
    /// ```
    pub fn with_interest(
        prefabs: MirrorPrefabs,
        config: MirrorServerConfig,
        interest: impl InterestManagement,
    ) -> Self {
        let mut server = Self::with_config(prefabs, config);
        server.observers.interest = Interest::new(Box::new(interest));
        server
    }

    /// Returns the interest management of a known type.
    ///
    /// # Errors
    ///
    /// When it has another type.
    pub fn interest<I: InterestManagement>(&self) -> Result<&I, WrongInterest> {
        <dyn InterestManagement>::downcast_ref(&*self.observers.interest.management)
    }

    /// Returns the interest management of a known type, for input from the game: positions of
    /// viewers, teams.
    ///
    /// # Errors
    ///
    /// When it has another type.
    pub fn interest_mut<I: InterestManagement>(&mut self) -> Result<&mut I, WrongInterest> {
        <dyn InterestManagement>::downcast_mut(&mut *self.observers.interest.management)
    }

    /// Applies the view changes of the interest management.
    pub(in crate::server) fn apply_interest(&mut self) {
        let mut changes = std::mem::take(&mut self.observers.interest.changes);
        self.observers.interest.management.update(&mut changes);
        for change in changes.drain() {
            match change {
                InterestChange::Placed { object, area } => self.set_area(object, area),
                InterestChange::Revealed { connection, area } => {
                    self.set_area_visible(connection, area, true);
                }
                InterestChange::Concealed { connection, area } => {
                    self.set_area_visible(connection, area, false);
                }
            }
        }
        self.observers.interest.changes = changes;
    }

    fn set_area(&mut self, id: NetId, area: Option<Area>) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        let viewers = area.map_or(Viewers::All, Viewers::Area);
        let former = std::mem::replace(&mut object.viewers, viewers).area();
        self.observers.interest.move_object(id, former, area);
        match (former, area) {
            (Some(former), Some(area)) => {
                for connection in self.observers.interest.viewers([former, area]) {
                    self.update_observer(id, connection);
                }
            }
            _ => self.update_observers(id),
        }
    }

    fn set_area_visible(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        if !self.is_connected(connection) {
            return;
        }
        self.observers.interest.set_visible(connection, area, sees);
        if self.is_ready(connection) {
            for id in self.observers.interest.objects(area) {
                self.update_observer(id, connection);
            }
        }
    }
}
