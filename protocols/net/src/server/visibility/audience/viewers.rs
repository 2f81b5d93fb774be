//! Connections and the areas that they see.

use syncvar_runtime::ordered::IdPairs;

use super::{Area, ConnectionId};

/// Pairs of connections and areas, indexed from both sides. Unseen areas and connections without
/// areas take no memory.
#[derive(Debug, Default)]
pub(super) struct AreaViewers {
    areas: IdPairs<ConnectionId, Area>,
    viewers: IdPairs<Area, ConnectionId>,
}

impl AreaViewers {
    pub(super) fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.areas.contains(connection, area)
    }

    /// Adds or removes an area of a connection. Returns whether it changed.
    pub(super) fn set(&mut self, connection: ConnectionId, area: Area, sees: bool) -> bool {
        if sees {
            self.viewers.insert(area, connection);
            self.areas.insert(connection, area)
        } else {
            self.viewers.remove(area, connection);
            self.areas.remove(connection, area)
        }
    }

    /// Returns the areas that a connection sees, ascending.
    pub(super) fn areas(&self, connection: ConnectionId) -> impl Iterator<Item = Area> {
        self.areas.of(connection)
    }

    /// Returns the connections that see an area, ascending.
    pub(super) fn viewers(&self, area: Area) -> impl Iterator<Item = ConnectionId> {
        self.viewers.of(area)
    }

    /// Returns whether no connection sees an area.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.areas.is_empty() && self.viewers.is_empty()
    }
}
