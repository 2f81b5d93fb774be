//! What an interest management reports.

use super::Area;
use crate::{ConnectionId, NetId};

/// One thing that has become different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterestChange {
    /// An object is in another area, or in none: then everyone sees it.
    Placed {
        /// Which object.
        object: NetId,
        /// Where it is now.
        area: Option<Area>,
    },
    /// A connection begins to see an area.
    Revealed {
        /// Which connection.
        connection: ConnectionId,
        /// What it sees.
        area: Area,
    },
    /// A connection ceases to see an area.
    Concealed {
        /// Which connection.
        connection: ConnectionId,
        /// What it sees no more.
        area: Area,
    },
}

/// What has become different since the last update, in the order in which it takes effect.
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
    /// An object is in this area now; in none, and everyone sees it.
    pub fn place(&mut self, object: NetId, area: Option<Area>) {
        self.list.push(InterestChange::Placed { object, area });
    }

    /// A connection sees this area from now on.
    pub fn reveal(&mut self, connection: ConnectionId, area: Area) {
        self.list
            .push(InterestChange::Revealed { connection, area });
    }

    /// A connection sees this area no more.
    pub fn conceal(&mut self, connection: ConnectionId, area: Area) {
        self.list
            .push(InterestChange::Concealed { connection, area });
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The changes, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &InterestChange> {
        self.list.iter()
    }

    /// Takes the changes out, in their order. The memory stays.
    pub fn drain(&mut self) -> impl Iterator<Item = InterestChange> {
        self.list.drain(..)
    }
}
