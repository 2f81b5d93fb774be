//! Parents: positions of objects in the hierarchy.

use super::{ClientEvent, NetworkClient};
use crate::message::SetParent;
use syncvar_runtime::LifecycleCallback;
use syncvar_runtime::NetId;
use syncvar_runtime::relations::Relation;

impl NetworkClient {
    /// Returns the visible objects directly below an object, by ascending id. The object itself may be
    /// invisible to this client.
    pub fn children(&self, id: NetId) -> impl Iterator<Item = NetId> {
        let children = self.objects.world.relations.children(id);
        children.filter(|child| self.identity(*child).is_some())
    }

    /// Returns the parent of an object, the parent's parent, and so on.
    ///
    /// The chain ends at an object without a parent or one that this client does not see. It is finite
    /// even if the server sends a cycle.
    pub fn ancestors(&self, id: NetId) -> impl Iterator<Item = NetId> {
        self.objects.world.relations.ancestors(id)
    }

    /// Returns the scene id and the parent of an object.
    pub(crate) fn relation(&self, id: NetId) -> Relation {
        self.objects.world.relations.of(id)
    }

    pub(super) fn handle_parent(&mut self, message: &SetParent) {
        let SetParent { child, parent } = *message;
        // The snapshot of the child may follow.
        self.inbound.announced_parent = Some((child, parent));
        if self.objects.world.contains(child) {
            self.set_parent(child, parent_from_wire(parent));
        }
    }

    /// Sets the parent of an object, and reports a change. Returns whether it is a change.
    pub(super) fn set_parent(&mut self, child: NetId, parent: Option<NetId>) -> bool {
        let is_moved = self.objects.world.relations.set_parent(child, parent);
        if is_moved {
            self.report_parent(child);
        }
        is_moved
    }

    /// Removes the parent of all children of a destroyed object.
    pub(super) fn detach_children(&mut self, parent: NetId) {
        for child in self
            .objects
            .world
            .relations
            .children(parent)
            .collect::<Vec<_>>()
        {
            self.set_parent(child, None);
        }
    }

    /// Reports the new parent of a visible object. During a burst the report waits for its end.
    fn report_parent(&mut self, child: NetId) {
        if !self.objects.world.is_visible(child) {
            return;
        }
        if self.session.joining {
            self.inbound.reparented.insert(child);
            return;
        }
        let parent = self.objects.world.relations.parent(child);
        self.call_lifecycle(&[child], LifecycleCallback::ParentChanged(parent));
        if self.objects.world.contains(child) {
            let object = child;
            self.context
                .events
                .push(ClientEvent::ParentChanged { object, parent });
        }
    }

    /// Reports the parents that have changed during a burst.
    pub(super) fn report_parents(&mut self) {
        for child in std::mem::take(&mut self.inbound.reparented).iter() {
            self.report_parent(child);
        }
    }
}

/// Returns the parent with this id; 0 is no parent.
pub(super) fn parent_from_wire(parent: NetId) -> Option<NetId> {
    Some(parent).filter(|parent| *parent != NetId::NONE)
}
