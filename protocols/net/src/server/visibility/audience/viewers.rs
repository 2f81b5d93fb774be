//! Connections and the areas that they see.

use std::collections::BTreeSet;

use super::{Area, ConnectionId};

/// Pairs of connections and areas, indexed from both sides. Unseen areas and connections without
/// areas take no memory.
#[derive(Debug, Default)]
pub(super) struct AreaViewers {
    areas: BTreeSet<(ConnectionId, Area)>,
    viewers: BTreeSet<(Area, ConnectionId)>,
}

impl AreaViewers {
    pub(super) fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.areas.contains(&(connection, area))
    }

    /// Adds or removes an area of a connection. Returns whether it changed.
    pub(super) fn set(&mut self, connection: ConnectionId, area: Area, sees: bool) -> bool {
        if sees {
            self.viewers.insert((area, connection));
            self.areas.insert((connection, area))
        } else {
            self.viewers.remove(&(area, connection));
            self.areas.remove(&(connection, area))
        }
    }

    /// Returns the areas that a connection sees, ascending.
    pub(super) fn areas(&self, connection: ConnectionId) -> impl Iterator<Item = Area> {
        let (first, last) = (Area(0), Area(u64::MAX));
        let areas = self.areas.range((connection, first)..=(connection, last));
        areas.map(|(_, area)| *area)
    }

    /// Returns the connections that see an area, ascending.
    pub(super) fn viewers(&self, area: Area) -> impl Iterator<Item = ConnectionId> {
        let (first, last) = (ConnectionId(0), ConnectionId(u32::MAX));
        let viewers = self.viewers.range((area, first)..=(area, last));
        viewers.map(|(_, connection)| *connection)
    }

    /// Returns whether no connection sees an area.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.areas.is_empty() && self.viewers.is_empty()
    }
}
