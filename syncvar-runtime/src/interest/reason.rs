//! `ViewReason`: the rule that decides whether a connection sees an object.

use std::fmt;

use super::{Area, Tag};

/// Rule that shows an object to a connection, or hides it.
///
/// A server returns it by `why_visible(object, connection)`.
///
/// ```
/// use syncvar::interest::ViewReason;
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let (door, connection) = (net.server.spawn(Door::default()), net.connection(0));
/// net.settle();
/// assert_eq!(net.server.why_visible(door, connection), Ok(ViewReason::Everyone));
///
/// net.server.hide(door, connection).unwrap();
/// let reason = net.server.why_visible(door, connection).unwrap();
/// assert_eq!(reason, ViewReason::HiddenByName);
/// assert!(!reason.is_visible());
/// assert_eq!(reason.to_string(), "hidden: `hide` names the connection");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViewReason {
    /// Visible: the interest management puts the object in no area.
    Everyone,
    /// Visible: the connection sees the area of the object.
    Area(Area),
    /// Visible: the connection has joined the group of the object.
    Group(Tag),
    /// Visible: the connection owns the object.
    Owner,
    /// Visible: `show` names the connection.
    ShownByName,
    /// Visible: a call shows the object to all connections.
    ShownToAll,
    /// Visible: the last rebuild of the object's observers chose the connection.
    Chosen,
    /// Hidden: the last rebuild of the object's observers did not choose the connection.
    NotChosen,
    /// Hidden: the connection does not see the area of the object.
    OutsideArea(Area),
    /// Hidden: the connection has not joined the group of the object.
    OutsideGroup(Tag),
    /// Hidden: `hide` names the connection.
    HiddenByName,
    /// Hidden: a call or the spawn hides the object from all connections.
    HiddenFromAll,
    /// Hidden: the connection is not ready, and receives no objects.
    NotReady,
    /// Hidden: the spawn callbacks of the object have not run yet.
    NotSpawned,
}

impl ViewReason {
    /// Returns whether the rule shows the object.
    pub fn is_visible(self) -> bool {
        match self {
            Self::Everyone
            | Self::Area(_)
            | Self::Group(_)
            | Self::Owner
            | Self::Chosen
            | Self::ShownByName
            | Self::ShownToAll => true,
            Self::NotChosen
            | Self::OutsideArea(_)
            | Self::OutsideGroup(_)
            | Self::HiddenByName
            | Self::HiddenFromAll
            | Self::NotReady
            | Self::NotSpawned => false,
        }
    }

    /// Returns the rule of an area, or the explanation of the interest management if that has the same
    /// result.
    pub fn of_area(area: Area, sees: bool, explained: Option<Self>) -> Self {
        let rule = if sees {
            Self::Area(area)
        } else {
            Self::OutsideArea(area)
        };
        explained
            .filter(|reason| reason.is_visible() == sees)
            .unwrap_or(rule)
    }
}

impl fmt::Display for ViewReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_visible() {
            "visible: "
        } else {
            "hidden: "
        })?;
        match self {
            Self::Everyone => f.write_str("the object is in no area"),
            Self::Area(area) => write!(f, "the connection sees area {}", area.0),
            Self::Group(tag) => write!(f, "the connection is in group {}", tag.0),
            Self::Owner => f.write_str("the connection owns the object"),
            Self::Chosen => f.write_str("the last rebuild chose the connection"),
            Self::NotChosen => f.write_str("the last rebuild did not choose the connection"),
            Self::ShownByName => f.write_str("`show` names the connection"),
            Self::ShownToAll => f.write_str("the object is shown to all"),
            Self::OutsideArea(area) => write!(f, "the connection does not see area {}", area.0),
            Self::OutsideGroup(tag) => write!(f, "the connection is not in group {}", tag.0),
            Self::HiddenByName => f.write_str("`hide` names the connection"),
            Self::HiddenFromAll => f.write_str("the object is hidden from all"),
            Self::NotReady => f.write_str("the connection is not ready"),
            Self::NotSpawned => f.write_str("the spawn callbacks have not run"),
        }
    }
}
