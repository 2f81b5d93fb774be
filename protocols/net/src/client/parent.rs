//! Parents: which object is below which.

use super::{ClientEvent, NetworkClient};
use crate::LifecycleCallback;
use crate::NetId;
use crate::message::SetParent;
use crate::relations::Relation;

impl NetworkClient {
    /// The objects directly below an object, by ascending id, as far as this client sees them. It may
    /// not see the object itself.
    pub fn children(&self, id: NetId) -> impl Iterator<Item = NetId> {
        let children = self.relations.children(id);
        children.filter(|child| self.identity(*child).is_some())
    }

    /// The parent of an object, the parent of that, and so on, up to one that has none or that this
    /// client does not see. It ends, whatever the server says.
    pub fn ancestors(&self, id: NetId) -> impl Iterator<Item = NetId> {
        self.relations.ancestors(id)
    }

    /// The scene id and the parent of an object.
    pub(crate) fn relation(&self, id: NetId) -> Relation {
        self.relations.of(id)
    }

    pub(super) fn handle_parent(&mut self, message: &SetParent) {
        let SetParent { child, parent } = *message;
        // It may be about the full state that comes next.
        self.said_parent = Some((child, parent));
        if self.objects.get(child.0).is_some() {
            self.take_parent(child, some(parent));
        }
    }

    /// Takes what the server says is the parent of an object that is there.
    pub(super) fn take_parent(&mut self, child: NetId, parent: Option<NetId>) {
        if self.relations.set_parent(child, parent) {
            self.parent_changed(child);
        }
    }

    /// An object is gone for everyone: those below it have no parent.
    pub(super) fn detach_children(&mut self, parent: NetId) {
        for child in self.relations.children(parent).collect::<Vec<_>>() {
            self.take_parent(child, None);
        }
    }

    /// An object has another parent. The application is told, if it knows the object; in a burst when
    /// everything has come.
    pub(super) fn parent_changed(&mut self, child: NetId) {
        let replica = self.objects.get(child.0);
        if !replica.is_some_and(|replica| replica.announced) {
            return;
        }
        if self.joining {
            self.reparented.insert(child);
            return;
        }
        let parent = self.relations.parent(child);
        self.call_lifecycle(&[child], LifecycleCallback::ParentChanged(parent));
        if self.objects.get(child.0).is_some() {
            let object = child;
            self.events
                .push(ClientEvent::ParentChanged { object, parent });
        }
    }

    /// Tells what has been kept back in a burst that is over.
    pub(super) fn tell_parents(&mut self) {
        for child in std::mem::take(&mut self.reparented) {
            self.parent_changed(child);
        }
    }
}

/// 0 is no parent.
pub(super) fn some(parent: NetId) -> Option<NetId> {
    Some(parent).filter(|parent| *parent != NetId::NONE)
}
