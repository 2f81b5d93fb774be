//! Interest management: in which area each object is, and which areas each connection sees.

mod changes;
mod grid;
mod relation;
mod tags;

use std::any::Any;
use std::fmt;

use crate::{ConnectionId, NetId, Vector3};

pub use changes::{InterestChange, InterestChanges};
pub use grid::SpatialGrid;
pub use tags::{GroupTags, Tag};

/// A set of objects that are always seen alike. The number is the interest management's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Area(pub u64);

/// Decides who sees what.
///
/// It puts objects into *areas* and says which areas each connection sees. The server keeps one
/// buffer for an area and shares it among all who see it; it sends full states and hides when an
/// object comes into another area, and when a connection begins or ceases to see one.
///
/// An object that was never placed, or that was placed in no area, is seen by everyone. A
/// connection sees no area until one is revealed to it.
///
/// [`Everyone`], [`SpatialGrid`] and [`GroupTags`] are ready to use.
///
/// # Writing one
///
/// The server tells it, by the `handle_*` methods, what there is; the game tells it the rest by
/// methods of its own. At each update of the server it reports what has become different since the
/// last one, and nothing else: a pair that was revealed and concealed in between is not reported at
/// all. Reports take effect in their order. Those of the built-in ones are ordered so that whoever
/// saw an object before and sees it after does not lose sight of it in between: first what is
/// revealed, then where objects are, then what is concealed.
///
/// A dungeon, where one sees the room one is in and the corridors next to it:
///
/// ```
/// use std::collections::{BTreeMap, BTreeSet};
/// use syncvar::{ConnectionId, NetId, interest::{Area, InterestChange, InterestChanges, InterestManagement}, values::Vector3};
///
/// #[derive(Debug)]
/// struct Dungeon {
///     /// Each room with the corridors next to it.
///     doors: BTreeMap<Area, Vec<Area>>,
///     /// Who has gone into which room since the last update.
///     entered: BTreeMap<ConnectionId, Area>,
///     /// Where objects have been put since then.
///     placed: BTreeMap<NetId, Area>,
///     /// What each connection was said to see.
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
    /// An object is there, at this position. Its number comes back only if the game chooses it again
    /// for another object, when this one is gone.
    fn handle_spawn(&mut self, object: NetId, position: Vector3);

    /// An object was moved by `NetworkServer::set_transform`.
    fn handle_move(&mut self, object: NetId, position: Vector3) {
        let _ = (object, position);
    }

    /// An object is gone. It need not be placed anywhere any more.
    fn handle_despawn(&mut self, object: NetId);

    /// The server has a new connection, which may not be let in yet.
    fn handle_connect(&mut self, connection: ConnectionId);

    /// A connection is gone, and its number never comes back. Nothing needs to be
    /// concealed from it, and nothing may be revealed to it any more.
    fn handle_disconnect(&mut self, connection: ConnectionId);

    /// Adds to `changes` what has become different since the last call, and nothing else. Costs
    /// nothing if nothing has. Called once in each update of the server.
    fn update(&mut self, changes: &mut InterestChanges);
}

/// Every object is seen by everyone.
///
/// What a server does without an interest management, and the innermost one of [`GroupTags`] when
/// only tags matter.
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
        let any: &mut dyn Any = &mut *boxed;
        assert!(any.downcast_mut::<GroupTags>().is_some());
        assert!(any.downcast_mut::<SpatialGrid>().is_none());
    }
}
