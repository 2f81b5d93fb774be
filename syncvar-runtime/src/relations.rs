//! Places of objects, scene ids and parents.

use std::collections::HashMap;

use crate::ordered::{IdMap, IdPairs};
use crate::{NetId, NetworkSceneId, Quaternion, Vector3};

/// Position and rotation of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Position in space.
    pub position: Vector3,
    /// Rotation in space.
    pub rotation: Quaternion,
}

impl Default for Place {
    fn default() -> Self {
        Self {
            position: Vector3::default(),
            rotation: Quaternion::IDENTITY,
        }
    }
}

/// Scene ids and parents of objects. An object without either takes no memory. On a client the server
/// chooses the ids, so the tables have random keys.
#[derive(Debug, Default)]
pub struct Relations {
    scene_ids: HashMap<NetId, NetworkSceneId>,
    /// Inverse of `scene_ids`.
    scene_objects: IdMap<NetworkSceneId, NetId>,
    parents: HashMap<NetId, NetId>,
    /// Inverse of `parents`: pairs of parent and child.
    children: IdPairs<NetId, NetId>,
}

/// Scene id and parent of an object, as in its snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    /// Scene id, if both ends create the object as part of a scene.
    pub scene_id: Option<NetworkSceneId>,
    /// Parent, if the object has one.
    pub parent: Option<NetId>,
}

impl Relations {
    /// Returns the scene id and the parent of an object.
    #[inline]
    pub fn of(&self, object: NetId) -> Relation {
        Relation {
            scene_id: self.scene_id(object),
            parent: self.parent(object),
        }
    }

    /// Returns the scene id of an object.
    #[inline]
    pub fn scene_id(&self, object: NetId) -> Option<NetworkSceneId> {
        if self.scene_ids.is_empty() {
            return None;
        }
        self.scene_ids.get(&object).copied()
    }

    /// Returns the object with a scene id.
    pub fn scene_object(&self, scene_id: NetworkSceneId) -> Option<NetId> {
        self.scene_objects.get(scene_id).copied()
    }

    /// Returns all scene ids with their objects, ascending.
    pub fn scene_objects(&self) -> impl Iterator<Item = (NetworkSceneId, NetId)> {
        self.scene_objects.iter().map(|(scene, id)| (scene, *id))
    }

    /// Returns the number of objects with a scene id.
    pub fn scene_count(&self) -> usize {
        self.scene_objects.len()
    }

    /// Gives a scene id to an object. A previous object with this scene id loses it.
    pub fn set_scene_id(&mut self, object: NetId, scene_id: NetworkSceneId) {
        self.take_scene_id(object);
        if let Some(former) = self.scene_objects.insert(scene_id, object) {
            self.scene_ids.remove(&former);
        }
        self.scene_ids.insert(object, scene_id);
    }

    /// Removes and returns the scene id of an object.
    pub fn take_scene_id(&mut self, object: NetId) -> Option<NetworkSceneId> {
        let scene_id = self.scene_ids.remove(&object)?;
        self.scene_objects.remove(scene_id);
        Some(scene_id)
    }

    /// Returns the parent of an object.
    #[inline]
    pub fn parent(&self, child: NetId) -> Option<NetId> {
        self.parents.get(&child).copied()
    }

    /// Returns the parent of an object, the parent's parent, and so on. Ends even on a cycle, which a
    /// malicious server can send.
    #[inline]
    pub fn ancestors(&self, object: NetId) -> impl Iterator<Item = NetId> {
        std::iter::successors(self.parent(object), |id| self.parent(*id)).take(self.parents.len())
    }

    /// Returns whether an object is below an ancestor.
    ///
    /// Searches upwards and downwards at once, and ends with the shorter search. Hierarchies of n objects
    /// therefore grow in n log n steps, whatever their depth.
    pub fn is_below(&self, object: NetId, ancestor: NetId) -> bool {
        let mut above = self.ancestors(object);
        let mut below = vec![self.children(ancestor)];
        while let Some(level) = below.last_mut() {
            match level.next() {
                Some(child) if child == object => return true,
                Some(child) => below.push(self.children(child)),
                None => _ = below.pop(),
            }
            match above.next() {
                Some(id) if id == ancestor => return true,
                Some(_) => {}
                None => return false,
            }
        }
        false
    }

    /// Returns the number of ancestors of every object, in the order of the objects. Each ancestor is
    /// visited once.
    pub fn depths(&self, objects: impl Iterator<Item = NetId>) -> Vec<usize> {
        let (mut known, mut path) = (HashMap::new(), Vec::new());
        let depth_of = |object| {
            path.push(object);
            let mut above = self.ancestors(object);
            let mut depth = loop {
                match above.next() {
                    None => break 0,
                    Some(id) => match known.get(&id) {
                        Some(depth) => break depth + 1,
                        None => path.push(id),
                    },
                }
            };
            while let Some(id) = path.pop() {
                known.insert(id, depth);
                depth += 1;
            }
            depth - 1
        };
        objects.map(depth_of).collect()
    }

    /// Returns whether any object has a parent.
    #[inline]
    pub fn has_children(&self) -> bool {
        !self.children.is_empty()
    }

    /// Returns the children of an object, ascending.
    pub fn children(&self, parent: NetId) -> impl Iterator<Item = NetId> {
        self.children.of(parent)
    }

    /// Sets or removes the parent of an object. Returns whether this is a change.
    #[inline]
    pub fn set_parent(&mut self, child: NetId, parent: Option<NetId>) -> bool {
        (parent.is_some() || !self.parents.is_empty()) && self.change_parent(child, parent)
    }

    fn change_parent(&mut self, child: NetId, parent: Option<NetId>) -> bool {
        let former = match parent {
            Some(parent) => self.parents.insert(child, parent),
            None => self.parents.remove(&child),
        };
        if former == parent {
            return false;
        }
        if let Some(former) = former {
            self.children.remove(former, child);
        }
        if let Some(parent) = parent {
            self.children.insert(parent, child);
        }
        true
    }

    /// Removes the scene id and the parent of an object. Its children keep it as their parent.
    #[inline]
    pub fn forget(&mut self, object: NetId) {
        if !self.scene_ids.is_empty() {
            self.take_scene_id(object);
        }
        self.set_parent(object, None);
    }

    /// Removes the scene ids of the objects for which `stays` is false.
    pub fn retain_scene_ids(&mut self, stays: impl Fn(NetId) -> bool) {
        let objects: Vec<_> = self.scene_ids.keys().copied().collect();
        for object in objects.into_iter().filter(|object| !stays(*object)) {
            self.take_scene_id(object);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Relations;
    use crate::{NetId, NetworkSceneId};

    #[test]
    fn both_sides_say_the_same() {
        let mut relations = Relations::default();
        assert!(relations.set_parent(NetId(2), Some(NetId(1))));
        assert!(relations.set_parent(NetId(3), Some(NetId(1))));
        assert!(!relations.set_parent(NetId(3), Some(NetId(1))));
        assert!(relations.set_parent(NetId(2), Some(NetId(3))));
        assert_eq!(relations.children(NetId(1)).collect::<Vec<_>>(), [NetId(3)]);
        assert_eq!(relations.children(NetId(3)).collect::<Vec<_>>(), [NetId(2)]);
        let ancestors: Vec<_> = relations.ancestors(NetId(2)).collect();
        assert_eq!(ancestors, [NetId(3), NetId(1)]);
        relations.forget(NetId(3));
        assert_eq!(relations.children(NetId(1)).count(), 0);
        assert_eq!(relations.parent(NetId(2)), Some(NetId(3)), "that stays");
    }

    #[test]
    fn a_circle_has_an_end() {
        let mut relations = Relations::default();
        for (child, parent) in [(1, 2), (2, 3), (3, 1), (4, 4)] {
            relations.set_parent(NetId(child), Some(NetId(parent)));
        }
        assert_eq!(relations.ancestors(NetId(1)).count(), 4);
        assert_eq!(relations.ancestors(NetId(4)).count(), 4);
        assert_eq!(relations.ancestors(NetId(5)).count(), 0);
    }

    #[test]
    fn depth_counts_ancestors_and_below_includes_all_of_them() {
        let mut relations = Relations::default();
        for (child, parent) in [(2, 1), (3, 2), (4, 2), (5, 4), (7, 6)] {
            relations.set_parent(NetId(child), Some(NetId(parent)));
        }
        let depths = relations.depths([3, 5, 1, 4, 7, 8].map(NetId).into_iter());
        assert_eq!(depths, [2, 3, 0, 2, 1, 0]);
        for object in 1..=8 {
            for ancestor in 1..=8 {
                let is_above = relations
                    .ancestors(NetId(object))
                    .any(|id| id.0 == ancestor);
                let is_below = relations.is_below(NetId(object), NetId(ancestor));
                assert_eq!(is_below, is_above, "{object} below {ancestor}");
            }
        }
    }

    #[test]
    fn a_scene_id_has_one_object_and_an_object_one_scene_id() {
        let mut relations = Relations::default();
        let [first, second] = [NetworkSceneId(1), NetworkSceneId(2)];
        relations.set_scene_id(NetId(5), first);
        relations.set_scene_id(NetId(6), first);
        assert_eq!(relations.scene_id(NetId(5)), None);
        relations.set_scene_id(NetId(6), second);
        assert_eq!(relations.scene_object(first), None);
        assert_eq!(relations.scene_object(second), Some(NetId(6)));
        relations.retain_scene_ids(|_| false);
        assert_eq!(relations.scene_id(NetId(6)), None);
        assert_eq!(relations.scene_count(), 0);
    }
}
