//! Group tags: a connection sees untagged objects and objects of the groups it joined.

mod pairs;
#[cfg(test)]
mod tests;

use super::{Area, Everyone, InterestChange, InterestChanges, InterestManagement, Tag, ViewReason};
use crate::ordered::Relation;
use crate::table::Table;
use crate::{ConnectionId, NetId, ObjectError, Vector3};
use pairs::{Pairs, TagPair};

/// Group tags, on top of an inner interest management.
///
/// An object has at most one tag; a connection joins any number of tags. It sees an object if the
/// tag allows it *and* the inner interest management shows it. With [`Everyone`] inside, only tags
/// matter. With a [`SpatialGrid`](super::SpatialGrid) inside, a team sees its objects within the
/// view distance. Group tags inside group tags are teams in scenes.
///
/// Joining costs time in proportion to the areas with the tag: one for each inner area with such an
/// object. Objects with the same tag and inner area share bytes.
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
/// teams.tag(flag, Some(red)).unwrap();
/// teams.inner_mut().watch(player, base).unwrap();
/// teams.update(&mut changes);
/// assert_eq!(changes.drain().count(), 1, "the flag was placed; the player is not in the team");
///
/// teams.join(player, red).unwrap();
/// teams.update(&mut changes);
/// assert_eq!(changes.drain().count(), 1, "the flag is in view");
/// ```
#[derive(Debug, Default)]
pub struct GroupTags<I = Everyone> {
    inner: I,
    objects: Table<TaggedObject>,
    connections: Table<()>,
    joined: Relation<ConnectionId, Tag>,
    /// Inner areas that each connection sees.
    inner_seen: Relation<ConnectionId, Area>,
    /// Areas that each connection sees, as last reported.
    seen: Relation<ConnectionId, Area>,
    pairs: Pairs,
    /// Objects whose area may differ from the report.
    moved: Vec<NetId>,
    /// Joins and leaves since the last update.
    rejoined: Vec<(ConnectionId, Tag)>,
    /// Pairs to compare with the reports; kept for its memory.
    candidates: Vec<(ConnectionId, Area)>,
    /// New areas of objects; kept for its memory.
    placed: Vec<(NetId, Option<Area>)>,
    /// Reports of the inner interest management; kept for its memory.
    inner_changes: InterestChanges,
}

#[derive(Debug, Default)]
struct TaggedObject {
    pair: TagPair,
    /// Area as last reported; at first none.
    reported: Option<Area>,
    /// Set if the list of moved objects contains it.
    moved: bool,
}

impl TaggedObject {
    fn set(&mut self, id: NetId, pair: TagPair, moved: &mut Vec<NetId>) {
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
    /// Returns tags on top of an unused interest management.
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
            candidates: Vec::new(),
            placed: Vec::new(),
            inner_changes: InterestChanges::default(),
        }
    }

    /// Returns the inner interest management.
    pub fn inner(&self) -> &I {
        &self.inner
    }

    /// Returns the inner interest management for writing. It receives objects and connections from
    /// this one.
    ///
    /// ```
    /// # use syncvar::{prelude::*, interest::*, values::Vector3};
    /// let mut teams = GroupTags::new(SpatialGrid::xz(25.0, 50.0));
    /// teams.handle_connect(ConnectionId(1));
    /// teams.inner_mut().follow(ConnectionId(1), NetId(1)).unwrap();
    /// ```
    pub fn inner_mut(&mut self) -> &mut I {
        &mut self.inner
    }

    /// Sets or removes the tag of an object. Only connections that joined the tag see the object.
    ///
    /// ```
    /// # use syncvar::{prelude::*, interest::*, values::Vector3};
    /// let mut scenes = GroupTags::new(Everyone);
    /// let mut changes = InterestChanges::default();
    /// scenes.handle_spawn(NetId(1), Vector3::new(0.0, 0.0, 0.0));
    /// scenes.tag(NetId(1), Some(Tag(3))).unwrap();
    /// scenes.update(&mut changes);
    /// assert!(matches!(
    ///     changes.drain().next(),
    ///     Some(InterestChange::Placed { object: NetId(1), area: Some(_) })
    /// ));
    /// ```
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn tag(&mut self, object: NetId, tag: Option<Tag>) -> Result<(), ObjectError> {
        let found = self.objects.get_mut(object.0);
        let found = found.ok_or(ObjectError::NoSuchObject(object))?;
        let inner = found.pair.inner;
        found.set(object, TagPair { tag, inner }, &mut self.moved);
        Ok(())
    }

    /// Adds a connection to a group.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn join(&mut self, connection: ConnectionId, tag: Tag) -> Result<(), ObjectError> {
        if self.connections.get(connection.0).is_none() {
            return Err(ObjectError::NotConnected(connection));
        }
        if self.joined.insert(connection, tag) {
            self.rejoined.push((connection, tag));
        }
        Ok(())
    }

    /// Removes a connection from a group, if it is a member.
    pub fn leave(&mut self, connection: ConnectionId, tag: Tag) {
        if self.joined.remove(connection, tag) {
            self.rejoined.push((connection, tag));
        }
    }

    /// Returns whether a connection sees an area with objects.
    fn sees(&self, connection: ConnectionId, area: Area) -> bool {
        self.pairs.get(area).is_some_and(|TagPair { tag, inner }| {
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
                        found.set(object, TagPair { tag, inner }, &mut self.moved);
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
            self.candidates.extend(areas.map(|area| (connection, area)));
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

    /// Lists the pairs that may change: joins, leaves, new areas and areas without objects.
    fn list_candidates(&mut self) {
        for (connection, tag) in self.rejoined.drain(..) {
            let areas = self.pairs.with_tag(tag);
            self.candidates.extend(areas.map(|area| (connection, area)));
        }
        for area in self.pairs.made() {
            let Some(TagPair { tag, inner }) = self.pairs.get(*area) else {
                continue;
            };
            let (joined, seeing) = (self.joined.lefts(), self.inner_seen.lefts());
            let fewer_joined = match (tag, inner) {
                (Some(tag), Some(inner)) => joined.count(tag) < seeing.count(inner),
                _ => tag.is_some(),
            };
            if let Some(tag) = tag.filter(|_| fewer_joined) {
                self.candidates.extend(joined.of(tag).map(|c| (c, *area)));
            } else if let Some(inner) = inner {
                self.candidates.extend(seeing.of(inner).map(|c| (c, *area)));
            }
        }
        for area in self.pairs.unused() {
            let seeing = self.seen.lefts().of(*area);
            self.candidates.extend(seeing.map(|c| (c, *area)));
        }
    }
}

impl<I: InterestManagement> InterestManagement for GroupTags<I> {
    fn handle_spawn(&mut self, object: NetId, position: Vector3) {
        self.objects.insert(object.0, TaggedObject::default());
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
        self.list_candidates();
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|(connection, area)| {
            self.sees(*connection, *area) != self.seen.contains(*connection, *area)
        });
        for (connection, area) in &candidates {
            if !self.seen.contains(*connection, *area) {
                changes.reveal(*connection, *area);
            }
        }
        for (object, area) in self.placed.drain(..) {
            changes.place(object, area);
        }
        for (connection, area) in candidates.drain(..) {
            if self.seen.remove(connection, area) {
                changes.conceal(connection, area);
            } else {
                self.seen.insert(connection, area);
            }
        }
        self.candidates = candidates;
        self.pairs.clear_changes();
    }

    fn explain(&self, object: NetId, connection: ConnectionId) -> Option<ViewReason> {
        let TagPair { tag, inner } = self.objects.get(object.0)?.pair;
        if let Some(tag) = tag.filter(|tag| !self.joined.contains(connection, *tag)) {
            return Some(ViewReason::OutsideGroup(tag));
        }
        let explained = self.inner.explain(object, connection);
        let reason = inner.map(|area| {
            let sees = self.inner_seen.contains(connection, area);
            ViewReason::of_area(area, sees, explained)
        });
        match (reason, tag) {
            (Some(reason), _) if !reason.is_visible() => Some(reason),
            (_, Some(tag)) => Some(ViewReason::Group(tag)),
            (reason, None) => reason,
        }
    }
}
