//! Parents: which object is below which.

use super::NetworkServer;
use crate::LifecycleCallback;
use crate::lend::{Errand, Tells};
use crate::message::{Message, SetParent};
use crate::relations::Relation;
use crate::{MessageType, NetId};

/// An object that could not be given a parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParentError {
    /// There is no such object.
    #[error("there is no object {0}")]
    UnknownObject(NetId),
    /// The object is to be its own parent, or that of an object that it is below.
    #[error("{child} cannot be below {parent}, which is itself or below it")]
    Circle {
        /// The object that was to be given a parent.
        child: NetId,
        /// Its parent to be.
        parent: NetId,
    },
}

impl NetworkServer {
    /// Puts an object below another one, or below none. With the next update those who see the object
    /// are told so ([`ClientEvent::ParentChanged`](crate::ClientEvent::ParentChanged)), whether they see
    /// its parent or not; whoever is given the object later knows its parent from the beginning.
    ///
    /// Nothing follows from being below another object: it is hidden, owned and despawned apart. When an
    /// object is despawned, its children have no parent any more.
    ///
    /// # Errors
    ///
    /// When one of the objects is not there, or when the parent is the object itself or below it;
    /// nothing is changed then.
    pub fn set_parent(&mut self, child: NetId, parent: Option<NetId>) -> Result<(), ParentError> {
        for id in [Some(child), parent].into_iter().flatten() {
            if self.objects.get(id.0).is_none() {
                return Err(ParentError::UnknownObject(id));
            }
        }
        if let Some(parent) = parent
            && (parent == child || self.relations.ancestors(parent).any(|id| id == child))
        {
            return Err(ParentError::Circle { child, parent });
        }
        self.change_parent(child, parent);
        Ok(())
    }

    /// The objects directly below an object, by ascending id.
    pub fn children(&self, id: NetId) -> impl Iterator<Item = NetId> {
        self.relations.children(id)
    }

    /// The parent of an object, the parent of that, and so on up to one that has none.
    pub fn ancestors(&self, id: NetId) -> impl Iterator<Item = NetId> {
        self.relations.ancestors(id)
    }

    /// An object is gone: those below it have no parent.
    pub(super) fn detach_children(&mut self, parent: NetId) {
        for child in self.relations.children(parent).collect::<Vec<_>>() {
            // A callback may have put it below another one.
            if self.relations.parent(child) == Some(parent) {
                self.change_parent(child, None);
            }
        }
    }

    /// The scene id and the parent of an object.
    pub(crate) fn relation(&self, id: NetId) -> Relation {
        self.relations.of(id)
    }

    fn change_parent(&mut self, child: NetId, parent: Option<NetId>) {
        if !self.relations.set_parent(child, parent) {
            return;
        }
        let scene_id = self.relations.scene_id(child);
        if let Some(spawned) = self.objects.get_mut(child.0) {
            spawned.related = parent.is_some() || scene_id.is_some();
        }
        self.parent_changed(child);
    }

    /// An object has another parent: those who see it are told with the next update.
    fn parent_changed(&mut self, child: NetId) {
        let spawned = self.objects.get(child.0);
        // The others are told by its full state.
        if self.config.compare_schemas && spawned.is_some_and(|spawned| spawned.announced) {
            self.reparented.insert(child);
        }
        let parent = self.relations.parent(child);
        let callback = LifecycleCallback::ParentChanged(parent);
        self.tell(child, Errand::Call(callback));
    }

    /// Tells who is below whom now. Those with fewer ancestors come first: no client sees a circle on the
    /// way from one order to another.
    pub(super) fn send_parents(&mut self) {
        if self.reparented.is_empty() {
            return;
        }
        let reparented = std::mem::take(&mut self.reparented).into_iter();
        let depth = |id: &NetId| self.relations.ancestors(*id).count();
        let mut reparented: Vec<_> = reparented.map(|id| (depth(&id), id)).collect();
        reparented.sort_unstable();
        let mut last = 0;
        for (depth, child) in reparented {
            // Those who see them may belong to different audiences.
            if std::mem::replace(&mut last, depth) != depth {
                self.deliver();
            }
            self.send_parent(child);
        }
        self.deliver();
    }

    fn send_parent(&mut self, child: NetId) {
        let Some(spawned) = self.objects.get(child.0) else {
            return;
        };
        let audience = spawned.audience;
        if !spawned.announced || !self.audiences.get(audience).has_listeners() {
            return;
        }
        let parent = self.relations.parent(child).unwrap_or(NetId::NONE);
        for segments in self.audiences.outputs(audience).channel(0) {
            SetParent { child, parent }.encode(segments.begin());
            let length = segments.commit();
            self.stats.count_encoded(MessageType::SetParent, length);
        }
    }
}
