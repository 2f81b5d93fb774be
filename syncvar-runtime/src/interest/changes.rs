//! Reports of an interest management.

use super::Area;
use crate::{ConnectionId, NetId};

/// A change of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterestChange {
    /// The area of an object has changed. Without an area, all connections observe it.
    Placed {
        /// The object.
        object: NetId,
        /// Its new area.
        area: Option<Area>,
    },
    /// A connection begins to see an area.
    Revealed {
        /// The connection.
        connection: ConnectionId,
        /// The area.
        area: Area,
    },
    /// A connection ceases to see an area.
    Concealed {
        /// The connection.
        connection: ConnectionId,
        /// The area.
        area: Area,
    },
}

/// Changes since the last update, in the order of application.
///
/// ```
/// use syncvar::{ConnectionId, NetId, interest::{Area, InterestChange, InterestChanges}};
///
/// let mut changes = InterestChanges::default();
/// changes.reveal(ConnectionId(1), Area(5));
/// changes.place(NetId(3), Some(Area(5)));
/// let (connection, area) = (ConnectionId(1), Area(5));
/// assert_eq!(changes.drain().next(), Some(InterestChange::Revealed { connection, area }));
/// assert!(changes.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct InterestChanges {
    list: Vec<InterestChange>,
}

impl InterestChanges {
    /// Reports the area of an object. Without an area, all connections observe it.
    pub fn place(&mut self, object: NetId, area: Option<Area>) {
        self.list.push(InterestChange::Placed { object, area });
    }

    /// Reports that a connection begins to see an area.
    pub fn reveal(&mut self, connection: ConnectionId, area: Area) {
        self.list
            .push(InterestChange::Revealed { connection, area });
    }

    /// Reports that a connection ceases to see an area.
    pub fn conceal(&mut self, connection: ConnectionId, area: Area) {
        self.list
            .push(InterestChange::Concealed { connection, area });
    }

    /// Returns whether no change was reported.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the changes in order.
    pub fn iter(&self) -> impl Iterator<Item = &InterestChange> {
        self.list.iter()
    }

    /// Removes the changes in order, and keeps the memory.
    pub fn drain(&mut self) -> impl Iterator<Item = InterestChange> {
        self.list.drain(..)
    }
}
