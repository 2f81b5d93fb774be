//! Connections and the areas that they see.

use syncvar_runtime::unstable::ordered::IdPairs;

use super::{Area, ConnectionId};

/// Pairs of connections and areas, indexed from both sides. Unseen areas and connections without
/// areas take no memory.
#[derive(Debug, Default)]
pub(super) struct AreaViewers {
    areas: IdPairs<ConnectionId, Area>,
    viewers: IdPairs<Area, ConnectionId>,
    /// Connection that sees all areas: the observer of a recording.
    everywhere: Option<ConnectionId>,
}

impl AreaViewers {
    pub(super) fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.sees_all(connection) || self.areas.contains(connection, area)
    }

    /// Returns whether a connection sees all areas.
    pub(super) fn sees_all(&self, connection: ConnectionId) -> bool {
        self.everywhere == Some(connection)
    }

    /// Sets the connection that sees all areas.
    pub(super) fn set_everywhere(&mut self, connection: Option<ConnectionId>) {
        self.everywhere = connection;
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

    /// Returns the areas that a connection sees by name, ascending.
    pub(super) fn areas(&self, connection: ConnectionId) -> impl Iterator<Item = Area> {
        self.areas.of(connection)
    }

    /// Returns the connections that see an area.
    pub(super) fn viewers(&self, area: Area) -> impl Iterator<Item = ConnectionId> {
        self.viewers.of(area).chain(self.everywhere)
    }

    /// Returns whether no connection sees an area.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.areas.is_empty() && self.viewers.is_empty()
    }
}
