//! Who sees which area.

use std::collections::BTreeSet;

use super::{Area, ConnectionId};

/// Which connection sees which area, to be asked from both sides. Those who see nothing and areas
/// that are not seen take no memory.
#[derive(Debug, Default)]
pub(super) struct Sight {
    areas: BTreeSet<(ConnectionId, Area)>,
    viewers: BTreeSet<(Area, ConnectionId)>,
}

impl Sight {
    pub(super) fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.areas.contains(&(connection, area))
    }

    /// A connection sees an area now, or no longer. Returns whether that is news.
    pub(super) fn set(&mut self, connection: ConnectionId, area: Area, sees: bool) -> bool {
        if sees {
            self.viewers.insert((area, connection));
            self.areas.insert((connection, area))
        } else {
            self.viewers.remove(&(area, connection));
            self.areas.remove(&(connection, area))
        }
    }

    /// The areas that a connection sees, ascending.
    pub(super) fn areas(&self, connection: ConnectionId) -> impl Iterator<Item = Area> {
        let (first, last) = (Area(0), Area(u64::MAX));
        let areas = self.areas.range((connection, first)..=(connection, last));
        areas.map(|(_, area)| *area)
    }

    /// Those who see an area, ascending.
    pub(super) fn viewers(&self, area: Area) -> impl Iterator<Item = ConnectionId> {
        let (first, last) = (ConnectionId(0), ConnectionId(u32::MAX));
        let viewers = self.viewers.range((area, first)..=(area, last));
        viewers.map(|(_, connection)| *connection)
    }

    /// Whether nobody sees anything.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.areas.is_empty() && self.viewers.is_empty()
    }
}
