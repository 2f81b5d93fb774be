//! Group tags: a connection sees what has no tag, and what has one that it has joined.

mod pairs;
#[cfg(test)]
mod tests;

use super::relation::Relation;
use super::{Area, Everyone, InterestChange, InterestChanges, InterestManagement};
use crate::table::Table;
use crate::{ConnectionId, NetId, Vector3};
use pairs::{Pair, Pairs};

/// The name of a group: a team, a match, a scene. The number is the game's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub u64);

/// Group tags, on top of another interest management.
///
/// An object has a tag or none, a connection has joined any number of tags. A connection sees an
/// object if the object has no tag or one that the connection has joined, *and* the inner interest
/// management shows it. With [`Everyone`] as the inner one only tags matter; with a
/// [`SpatialGrid`](super::SpatialGrid) a team sees its own things as far as it sees at all. Group
/// tags in group tags are teams in scenes.
///
/// Joining costs as much as there are areas with that tag: one for each inner area that has such
/// an object. Objects with the same tag in the same inner area share their bytes.
///
/// ```
/// use syncvar::{ConnectionId, NetId, interest::{GroupTags, InterestChanges, InterestManagement, SpatialGrid, Tag}, values::Vector3};
///
/// let mut teams = GroupTags::new(SpatialGrid::xz(25.0, 50.0));
/// let mut changes = InterestChanges::default();
/// let (red, player, flag) = (Tag(1), ConnectionId(1), NetId(7));
/// let base = Vector3::new(0.0, 0.0, 0.0);
///
/// teams.handle_connect(player);
/// teams.handle_spawn(flag, base);
/// teams.tag(flag, Some(red));
/// teams.inner_mut().watch(player, base);
/// teams.update(&mut changes);
/// assert_eq!(changes.drain().count(), 1, "the flag was placed; the player is not in the team");
///
/// teams.join(player, red);
/// teams.update(&mut changes);
/// assert_eq!(changes.drain().count(), 1, "the flag is there to see");
/// ```
#[derive(Debug, Default)]
pub struct GroupTags<I = Everyone> {
    inner: I,
    objects: Table<Object>,
    connections: Table<()>,
    joined: Relation<ConnectionId, Tag>,
    /// Which inner areas each connection sees.
    inner_seen: Relation<ConnectionId, Area>,
    /// Which areas each connection was last reported to see.
    seen: Relation<ConnectionId, Area>,
    pairs: Pairs,
    /// Objects that may be elsewhere than reported.
    moved: Vec<NetId>,
    /// Who may see something else because of which tag.
    rejoined: Vec<(ConnectionId, Tag)>,
    /// Who may see which area, or not, unlike reported; kept for its memory.
    concerned: Vec<(ConnectionId, Area)>,
    /// Where objects are now; kept for its memory.
    placed: Vec<(NetId, Option<Area>)>,
    /// What the inner one reports; kept for its memory.
    inner_changes: InterestChanges,
}

#[derive(Debug, Default)]
struct Object {
    pair: Pair,
    /// Where it was last reported; at first nowhere.
    reported: Option<Area>,
    /// Whether it is in the list of those that may be elsewhere.
    moved: bool,
}

impl Object {
    fn set(&mut self, id: NetId, pair: Pair, moved: &mut Vec<NetId>) {
        if self.pair != pair {
            self.pair = pair;
            if !self.moved {
                self.moved = true;
                moved.push(id);
            }
        }
    }
}

impl<I: InterestManagement> GroupTags<I> {
    /// Tags on top of an interest management that has not been told of anything yet.
    ///
    /// ```
    /// # use syncvar::interest::{Everyone, GroupTags};
    /// let matches = GroupTags::new(Everyone);
    /// let teams_in_matches = GroupTags::new(matches);
    /// ```
    pub fn new(inner: I) -> Self {
        Self {
            inner,
            objects: Table::default(),
            connections: Table::default(),
            joined: Relation::default(),
            inner_seen: Relation::default(),
            seen: Relation::default(),
            pairs: Pairs::default(),
            moved: Vec::new(),
            rejoined: Vec::new(),
            concerned: Vec::new(),
            placed: Vec::new(),
            inner_changes: InterestChanges::default(),
        }
    }

    /// The interest management below the tags.
    pub fn inner(&self) -> &I {
        &self.inner
    }

    /// The interest management below the tags, to tell it what only it understands. What is there
    /// and who is connected it is told by this one.
    ///
    /// ```
    /// # use syncvar::*;
    /// let mut teams = GroupTags::new(SpatialGrid::xz(25.0, 50.0));
    /// teams.handle_connect(ConnectionId(1));
    /// teams.inner_mut().follow(ConnectionId(1), NetId(1));
    /// ```
    pub fn inner_mut(&mut self) -> &mut I {
        &mut self.inner
    }

    /// Only connections that have joined this tag see an object; without one, as at first, it makes
    /// no difference what they have joined.
    ///
    /// Does nothing for an object that is not there.
    ///
    /// ```
    /// # use syncvar::*;
    /// let mut scenes = GroupTags::new(Everyone);
    /// let mut changes = InterestChanges::default();
    /// scenes.handle_spawn(NetId(1), Vector3::new(0.0, 0.0, 0.0));
    /// scenes.tag(NetId(1), Some(Tag(3)));
    /// scenes.update(&mut changes);
    /// assert!(matches!(
    ///     changes.drain().next(),
    ///     Some(InterestChange::Placed { object: NetId(1), area: Some(_) })
    /// ));
    /// ```
    pub fn tag(&mut self, object: NetId, tag: Option<Tag>) {
        if let Some(found) = self.objects.get_mut(object.0) {
            let inner = found.pair.inner;
            found.set(object, Pair { tag, inner }, &mut self.moved);
        }
    }

    /// A connection sees objects with this tag from now on.
    ///
    /// Does nothing for a connection that the server does not have.
    pub fn join(&mut self, connection: ConnectionId, tag: Tag) {
        if self.connections.get(connection.0).is_some() && self.joined.insert(connection, tag) {
            self.rejoined.push((connection, tag));
        }
    }

    /// A connection sees objects with this tag no more.
    pub fn leave(&mut self, connection: ConnectionId, tag: Tag) {
        if self.joined.remove(connection, tag) {
            self.rejoined.push((connection, tag));
        }
    }

    /// Whether a connection sees the objects of an area, of which there are some.
    fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.pairs.get(area).is_some_and(|Pair { tag, inner }| {
            tag.is_none_or(|tag| self.joined.contains(connection, tag))
                && inner.is_none_or(|inner| self.inner_seen.contains(connection, inner))
        })
    }

    fn take_inner_changes(&mut self) {
        self.inner.update(&mut self.inner_changes);
        for change in self.inner_changes.drain() {
            let (connection, area) = match change {
                InterestChange::Placed { object, area } => {
                    if let Some(found) = self.objects.get_mut(object.0) {
                        let (tag, inner) = (found.pair.tag, area);
                        found.set(object, Pair { tag, inner }, &mut self.moved);
                    }
                    continue;
                }
                InterestChange::Revealed { connection, area } => {
                    if self.connections.get(connection.0).is_some() {
                        self.inner_seen.insert(connection, area);
                    }
                    (connection, area)
                }
                InterestChange::Concealed { connection, area } => {
                    self.inner_seen.remove(connection, area);
                    (connection, area)
                }
            };
            let areas = self.pairs.with_inner(area);
            self.concerned.extend(areas.map(|area| (connection, area)));
        }
    }

    fn place_objects(&mut self) {
        for id in self.moved.drain(..) {
            let Some(object) = self.objects.get_mut(id.0) else {
                continue;
            };
            object.moved = false;
            let area = self.pairs.acquire(object.pair);
            self.pairs.release(object.reported);
            if area != object.reported {
                object.reported = area;
                self.placed.push((id, area));
            }
        }
    }

    /// Lists everyone who may see an area with its first object, or has seen one that has lost its
    /// last, or has joined or left.
    fn list_concerned(&mut self) {
        for (connection, tag) in self.rejoined.drain(..) {
            let areas = self.pairs.with_tag(tag);
            self.concerned.extend(areas.map(|area| (connection, area)));
        }
        for area in self.pairs.made() {
            let Some(Pair { tag, inner }) = self.pairs.get(*area) else {
                continue;
            };
            let (joined, seeing) = (self.joined.lefts(), self.inner_seen.lefts());
            let fewer_joined = match (tag, inner) {
                (Some(tag), Some(inner)) => joined.count(tag) < seeing.count(inner),
                _ => tag.is_some(),
            };
            if let Some(tag) = tag.filter(|_| fewer_joined) {
                self.concerned.extend(joined.of(tag).map(|c| (c, *area)));
            } else if let Some(inner) = inner {
                self.concerned.extend(seeing.of(inner).map(|c| (c, *area)));
            }
        }
        for area in self.pairs.unused() {
            let seeing = self.seen.lefts().of(*area);
            self.concerned.extend(seeing.map(|c| (c, *area)));
        }
    }
}

impl<I: InterestManagement> InterestManagement for GroupTags<I> {
    fn handle_spawn(&mut self, object: NetId, position: Vector3) {
        self.objects.insert(object.0, Object::default());
        self.inner.handle_spawn(object, position);
    }

    fn handle_move(&mut self, object: NetId, position: Vector3) {
        self.inner.handle_move(object, position);
    }

    fn handle_despawn(&mut self, object: NetId) {
        if let Some(object) = self.objects.remove(object.0) {
            self.pairs.release(object.reported);
        }
        self.inner.handle_despawn(object);
    }

    fn handle_connect(&mut self, connection: ConnectionId) {
        self.connections.insert(connection.0, ());
        self.inner.handle_connect(connection);
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.connections.remove(connection.0);
        self.joined.forget(connection);
        self.inner_seen.forget(connection);
        self.seen.forget(connection);
        self.inner.handle_disconnect(connection);
    }

    fn update(&mut self, changes: &mut InterestChanges) {
        self.take_inner_changes();
        self.place_objects();
        self.list_concerned();
        let mut concerned = std::mem::take(&mut self.concerned);
        concerned.sort_unstable();
        concerned.dedup();
        concerned.retain(|(connection, area)| {
            self.sees(*connection, *area) != self.seen.contains(*connection, *area)
        });
        for (connection, area) in &concerned {
            if !self.seen.contains(*connection, *area) {
                changes.reveal(*connection, *area);
            }
        }
        for (object, area) in self.placed.drain(..) {
            changes.place(object, area);
        }
        for (connection, area) in concerned.drain(..) {
            if self.seen.remove(connection, area) {
                changes.conceal(connection, area);
            } else {
                self.seen.insert(connection, area);
            }
        }
        self.concerned = concerned;
        self.pairs.settle();
    }
}
