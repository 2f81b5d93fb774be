//! Interest management: areas of objects, and the areas in view of every connection.

mod changes;
mod grid;
mod reason;
mod tag;
mod tags;

use std::any::{Any, type_name};
use std::error::Error;
use std::fmt;

use crate::ids::Id;
use crate::{ConnectionId, NetId, Vector3};

pub use changes::{InterestChange, InterestChanges};
pub use grid::SpatialGrid;
pub use reason::ViewReason;
pub use tag::Tag;
pub use tags::GroupTags;

/// A set of objects with the same viewers. The interest management chooses the number.
///
/// ```
/// use syncvar::interest::{Area, InterestChanges};
/// use syncvar::{ConnectionId, NetId};
///
/// const CAVE: Area = Area(3);
///
/// let mut changes = InterestChanges::default();
/// changes.place(NetId(1), Some(CAVE));
/// changes.reveal(ConnectionId(1), CAVE);
/// assert_eq!(changes.iter().count(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Area(pub u64);

impl Id for Area {
    #[inline]
    fn number(self) -> u64 {
        self.0
    }

    #[inline]
    fn with_number(number: u64) -> Self {
        Self(number)
    }
}

/// Chooses the observers of objects.
///
/// It assigns objects to *areas*, and areas to connections. The server keeps one buffer for each
/// area and shares it among its viewers. It sends snapshots and hides when an object changes its
/// area, and when a connection begins or ceases to see one.
///
/// An object without an area is visible to all connections. A connection sees no area until one is
/// revealed to it.
///
/// [`Everyone`], [`SpatialGrid`] and [`GroupTags`] are built in.
///
/// # Implementation
///
/// The server calls the `handle_*` methods for objects and connections. The game calls methods of
/// the implementation for viewers, teams and so on. Each update of the server collects the
/// differences since the last update, and only these: an area revealed and concealed in between is no
/// difference. The reports apply in their order. The built-in implementations report reveals first,
/// then placements, then conceals. An observer before and after the update therefore never loses
/// the object in between.
///
/// A dungeon: a connection sees its room and the corridors next to it.
///
/// ```
/// use std::collections::{BTreeMap, BTreeSet};
/// use syncvar::{ConnectionId, NetId, interest::{Area, InterestChange, InterestChanges, InterestManagement}, values::Vector3};
///
/// #[derive(Debug)]
/// struct Dungeon {
///     /// Each room with the corridors next to it.
///     doors: BTreeMap<Area, Vec<Area>>,
///     /// Rooms that connections entered since the last update.
///     entered: BTreeMap<ConnectionId, Area>,
///     /// Areas of objects placed since then.
///     placed: BTreeMap<NetId, Area>,
///     /// Areas reported as revealed to each connection.
///     seen: BTreeMap<ConnectionId, BTreeSet<Area>>,
/// }
///
/// impl Dungeon {
///     fn enter(&mut self, connection: ConnectionId, room: Area) {
///         self.entered.insert(connection, room);
///     }
/// }
///
/// impl InterestManagement for Dungeon {
///     fn handle_spawn(&mut self, object: NetId, position: Vector3) {
///         // Rooms and corridors are ten metres wide and stand in a row.
///         self.placed.insert(object, Area((position.x / 10.0) as u64));
///     }
///
///     fn handle_despawn(&mut self, object: NetId) {
///         self.placed.remove(&object);
///     }
///
///     fn handle_connect(&mut self, connection: ConnectionId) {
///         self.seen.insert(connection, BTreeSet::new());
///     }
///
///     fn handle_disconnect(&mut self, connection: ConnectionId) {
///         self.entered.remove(&connection);
///         self.seen.remove(&connection);
///     }
///
///     fn update(&mut self, changes: &mut InterestChanges) {
///         for (connection, room) in std::mem::take(&mut self.entered) {
///             let Some(seen) = self.seen.get_mut(&connection) else {
///                 continue;
///             };
///             let corridors = self.doors.get(&room).into_iter().flatten();
///             let now: BTreeSet<_> = corridors.copied().chain([room]).collect();
///             now.difference(seen).for_each(|area| changes.reveal(connection, *area));
///             seen.difference(&now).for_each(|area| changes.conceal(connection, *area));
///             *seen = now;
///         }
///         for (object, area) in std::mem::take(&mut self.placed) {
///             changes.place(object, Some(area));
///         }
///     }
/// }
///
/// let (hall, corridor, cave) = (Area(0), Area(1), Area(2));
/// let mut dungeon = Dungeon {
///     doors: BTreeMap::from([(hall, vec![corridor]), (cave, vec![corridor])]),
///     entered: BTreeMap::new(),
///     placed: BTreeMap::new(),
///     seen: BTreeMap::new(),
/// };
/// let player = ConnectionId(1);
/// let mut changes = InterestChanges::default();
/// dungeon.handle_connect(player);
/// dungeon.enter(player, hall);
/// dungeon.update(&mut changes);
/// assert_eq!(changes.drain().count(), 2);
///
/// dungeon.enter(player, cave);
/// dungeon.handle_spawn(NetId(7), Vector3::new(25.0, 0.0, 0.0));
/// dungeon.update(&mut changes);
/// assert!(changes.iter().eq(&[
///     InterestChange::Revealed { connection: player, area: cave },
///     InterestChange::Concealed { connection: player, area: hall },
///     InterestChange::Placed { object: NetId(7), area: Some(cave) },
/// ]));
/// ```
pub trait InterestManagement: Any + Send + Sync + fmt::Debug {
    /// Handles a new object at a position. Its id is reused only if the game chooses it again after
    /// a despawn.
    fn handle_spawn(&mut self, object: NetId, position: Vector3);

    /// Handles a call of `NetworkServer::set_transform`.
    fn handle_move(&mut self, object: NetId, position: Vector3) {
        let _ = (object, position);
    }

    /// Handles a despawn. A report of the object is optional.
    fn handle_despawn(&mut self, object: NetId);

    /// Handles a new connection, which may not be accepted yet.
    fn handle_connect(&mut self, connection: ConnectionId);

    /// Handles the end of a connection. Its number is never reused. It must not be reported.
    fn handle_disconnect(&mut self, connection: ConnectionId);

    /// Adds the differences since the last call to `changes`, at no cost without a difference.
    /// Called once in each update of the server.
    fn update(&mut self, changes: &mut InterestChanges);

    /// Explains to `why_visible` why a connection sees the area of an object, or does not; `None` by
    /// default. The server ignores an explanation that contradicts the last reports.
    fn explain(&self, object: NetId, connection: ConnectionId) -> Option<ViewReason> {
        let _ = (object, connection);
        None
    }

    /// Returns the name of the type, for errors.
    fn type_name(&self) -> &'static str {
        type_name::<Self>()
    }
}

impl dyn InterestManagement {
    /// Returns the interest management of a known type.
    ///
    /// # Errors
    ///
    /// When its type differs.
    pub fn downcast_ref<I: InterestManagement>(&self) -> Result<&I, WrongInterest> {
        let any: &dyn Any = self;
        any.downcast_ref().ok_or_else(|| self.is_not::<I>())
    }

    /// Returns the interest management of a known type, for writing.
    ///
    /// # Errors
    ///
    /// When its type differs.
    pub fn downcast_mut<I: InterestManagement>(&mut self) -> Result<&mut I, WrongInterest> {
        let error = self.is_not::<I>();
        let any: &mut dyn Any = self;
        any.downcast_mut().ok_or(error)
    }

    fn is_not<I: InterestManagement>(&self) -> WrongInterest {
        WrongInterest {
            expected: type_name::<I>(),
            actual: self.type_name(),
        }
    }
}

/// Error of a request for an interest management whose type is not the server's.
///
/// ```
/// use syncvar::interest::{Everyone, SpatialGrid};
/// use syncvar::prelude::*;
///
/// let server = NetworkServer::new(Prefabs::new());
/// let error = server.interest::<SpatialGrid>().unwrap_err();
/// assert!(error.expected.ends_with("SpatialGrid") && error.actual.ends_with("Everyone"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongInterest {
    /// Requested type.
    pub expected: &'static str,
    /// Type of the server's interest management.
    pub actual: &'static str,
}

impl fmt::Display for WrongInterest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, actual } = self;
        write!(
            f,
            "the server's interest management is a {actual}, not a {expected}"
        )
    }
}

impl Error for WrongInterest {}

/// Every connection observes every object.
///
/// Default of a server, and the innermost interest management of [`GroupTags`] if only tags matter.
///
/// ```
/// use syncvar::{NetId, interest::{Everyone, InterestChanges, InterestManagement}, values::Vector3};
///
/// let mut everyone = Everyone;
/// let mut changes = InterestChanges::default();
/// everyone.handle_spawn(NetId(1), Vector3::new(0.0, 0.0, 0.0));
/// everyone.update(&mut changes);
/// assert!(changes.is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Everyone;

impl InterestManagement for Everyone {
    fn handle_spawn(&mut self, _: NetId, _: Vector3) {}

    fn handle_despawn(&mut self, _: NetId) {}

    fn handle_connect(&mut self, _: ConnectionId) {}

    fn handle_disconnect(&mut self, _: ConnectionId) {}

    fn update(&mut self, _: &mut InterestChanges) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boxed_interest_management_is_found_by_its_type() {
        let mut boxed: Box<dyn InterestManagement> = Box::new(GroupTags::new(Everyone));
        assert!(boxed.downcast_mut::<GroupTags>().is_ok());
        assert!(boxed.downcast_mut::<SpatialGrid>().is_err());
    }
}
