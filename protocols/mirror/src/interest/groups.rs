//! Objects by group, and the groups whose observers change.

use std::collections::{BTreeMap, BTreeSet};

use syncvar_runtime::{ConnectionId, NetId};

use crate::MirrorServer;

/// Objects by match, team or scene.
#[derive(Clone, Debug)]
pub(super) struct InterestGroups<K> {
    /// Groups with objects.
    members: BTreeMap<K, BTreeSet<NetId>>,
    group_of: BTreeMap<NetId, K>,
    /// Groups to rebuild in this frame.
    dirty: BTreeSet<K>,
}

impl<K> Default for InterestGroups<K> {
    fn default() -> Self {
        Self {
            members: BTreeMap::new(),
            group_of: BTreeMap::new(),
            dirty: BTreeSet::new(),
        }
    }
}

impl<K: Ord + Clone> InterestGroups<K> {
    /// Puts an object into a group, or into none, and marks the groups before and after.
    pub(super) fn put(&mut self, object: NetId, group: Option<K>) {
        let former = self.group_of.get(&object);
        if former == group.as_ref() {
            return;
        }
        if let Some(former) = former.cloned() {
            self.leave(object, former);
        }
        self.dirty.extend(group.clone());
        self.join(object, group);
    }

    /// Puts a new object into a group, without a mark.
    pub(super) fn join(&mut self, object: NetId, group: Option<K>) {
        if let Some(group) = group {
            let members = self.members.entry(group.clone()).or_default();
            members.insert(object);
            self.group_of.insert(object, group);
        }
    }

    /// Removes an object.
    pub(super) fn remove(&mut self, object: NetId) {
        if let Some(group) = self.group_of.get(&object).cloned() {
            self.leave(object, group);
        }
    }

    fn leave(&mut self, object: NetId, group: K) {
        self.group_of.remove(&object);
        if let Some(members) = self.members.get_mut(&group) {
            members.remove(&object);
            if members.is_empty() {
                self.members.remove(&group);
            }
        }
        self.dirty.insert(group);
    }

    /// Marks a group for a rebuild.
    pub(super) fn mark(&mut self, group: K) {
        self.dirty.insert(group);
    }

    /// Adds the objects of the marked groups, and withdraws the marks.
    pub(super) fn take_dirty(&mut self, rebuilds: &mut BTreeSet<NetId>) {
        for group in std::mem::take(&mut self.dirty) {
            rebuilds.extend(self.members.get(&group).into_iter().flatten());
        }
    }

    /// Adds the owners of the objects in a group.
    pub(super) fn owners(&self, server: &MirrorServer, group: &K, into: &mut Vec<ConnectionId>) {
        let members = self.members.get(group).into_iter().flatten();
        into.extend(members.filter_map(|object| server.owner(*object)));
    }
}
