//! Interest management and its view changes.

use std::collections::BTreeSet;

use syncvar_runtime::{Area, ConnectionId, Everyone, InterestChanges, InterestManagement, NetId};

use crate::server::objects::entry::{Observed, Viewers};

/// The interest management and its current areas.
#[derive(Debug)]
pub(crate) struct ObserverInterest {
    pub(crate) management: Box<dyn InterestManagement>,
    changes: InterestChanges,
    /// Objects by area.
    objects: BTreeSet<(Area, NetId)>,
    /// Viewers by area.
    viewers: BTreeSet<(Area, ConnectionId)>,
    /// Areas by viewer.
    areas: BTreeSet<(ConnectionId, Area)>,
}

impl Default for ObserverInterest {
    fn default() -> Self {
        Self::new(Box::new(Everyone))
    }
}

impl ObserverInterest {
    pub(crate) fn new(management: Box<dyn InterestManagement>) -> Self {
        Self {
            management,
            changes: InterestChanges::default(),
            objects: BTreeSet::new(),
            viewers: BTreeSet::new(),
            areas: BTreeSet::new(),
        }
    }

    /// Returns whether a connection sees an area.
    pub(crate) fn sees(&self, connection: ConnectionId, area: Area) -> bool {
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
    pub(crate) fn remove_object(&mut self, object: NetId, area: Option<Area>) {
        self.move_object(object, area, None);
        self.management.handle_despawn(object);
    }

    pub(crate) fn remove_connection(&mut self, connection: ConnectionId) {
        let last = (connection, Area(u64::MAX));
        let areas = self.areas.range((connection, Area(0))..=last);
        let areas: Vec<_> = areas.copied().collect();
        for (connection, area) in areas {
            self.set_visible(connection, area, false);
        }
        self.management.handle_disconnect(connection);
    }

    pub(crate) fn set_visible(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        if sees {
            self.viewers.insert((area, connection));
            self.areas.insert((connection, area));
        } else {
            self.viewers.remove(&(area, connection));
            self.areas.remove(&(connection, area));
        }
    }

    /// Returns the objects in an area, ascending.
    pub(crate) fn objects(&self, area: Area) -> Vec<NetId> {
        let last = (area, NetId(u32::MAX));
        let objects = self.objects.range((area, NetId(0))..=last);
        objects.map(|(_, object)| *object).collect()
    }

    /// Returns the viewers of two areas together, ascending.
    fn viewers(&self, areas: [Area; 2]) -> BTreeSet<ConnectionId> {
        let viewers = areas.into_iter().flat_map(|area| {
            let last = (area, ConnectionId(u32::MAX));
            self.viewers.range((area, ConnectionId(0))..=last)
        });
        viewers.map(|(_, connection)| *connection).collect()
    }
}

/// Connections that may enter or leave the view of an object.
pub(crate) enum Affected {
    All,
    Viewers(BTreeSet<ConnectionId>),
}

impl ObserverInterest {
    /// Takes the view changes since the last call; [`return_changes`](Self::return_changes) keeps the memory.
    pub(crate) fn take_changes(&mut self) -> InterestChanges {
        let mut changes = std::mem::take(&mut self.changes);
        self.management.update(&mut changes);
        changes
    }

    pub(crate) fn return_changes(&mut self, changes: InterestChanges) {
        self.changes = changes;
    }

    /// Moves an object to an area, or out of all areas.
    pub(crate) fn place(
        &mut self,
        id: NetId,
        object: &mut Observed,
        area: Option<Area>,
    ) -> Affected {
        let viewers = area.map_or(Viewers::All, Viewers::Area);
        let former = std::mem::replace(&mut object.view.viewers, viewers).area();
        self.move_object(id, former, area);
        match (former, area) {
            (Some(former), Some(area)) => Affected::Viewers(self.viewers([former, area])),
            _ => Affected::All,
        }
    }
}
