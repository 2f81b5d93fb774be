//! Parents of objects.

use std::error::Error;
use std::fmt;

use syncvar_runtime::ordered::IdPairs;
use syncvar_runtime::relations::Relation;
use syncvar_runtime::world::{CheckOut, LifecycleEvent};
use syncvar_runtime::{LifecycleCallback, NetId};

use crate::MessageType;
use crate::message::{Message, SetParent};
use crate::server::NetworkServer;
use crate::server::objects::replicated::State;

/// Reason why a parent was not set.
///
/// ```
/// use syncvar::error::ParentError;
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
/// let door = server.spawn(Door::default());
/// let error = server.set_parent(door, Some(door)).unwrap_err();
/// assert!(matches!(error, ParentError::Circle { .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParentError {
    /// The object does not exist.
    NoSuchObject(NetId),
    /// The parent is the object itself, or a descendant of it.
    Circle {
        /// The child.
        child: NetId,
        /// The parent.
        parent: NetId,
    },
}

impl fmt::Display for ParentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchObject(object) => write!(f, "object {object} does not exist here"),
            Self::Circle { child, parent } => write!(
                f,
                "{child} cannot be below {parent}, which is itself or below it"
            ),
        }
    }
}

impl Error for ParentError {}

impl NetworkServer {
    /// Removes the parent of all children of a removed object.
    pub(crate) fn detach_children(&mut self, parent: NetId) {
        for child in self
            .objects
            .world
            .relations
            .children(parent)
            .collect::<Vec<_>>()
        {
            // A callback may have set another parent.
            if self.objects.world.relations.parent(child) == Some(parent) {
                self.change_parent(child, None);
            }
        }
    }

    /// Returns the scene id and the parent of an object.
    pub(crate) fn relation(&self, id: NetId) -> Relation {
        self.objects.world.relations.of(id)
    }

    pub(crate) fn change_parent(&mut self, child: NetId, parent: Option<NetId>) {
        if !self.objects.world.relations.set_parent(child, parent) {
            return;
        }
        let scene_id = self.objects.world.relations.scene_id(child);
        if let Some(replicated) = self.objects.world.objects.get_mut(child.0) {
            replicated.set(State::Related, parent.is_some() || scene_id.is_some());
        }
        self.parent_changed(child);
    }

    /// Queues the new parent of an object for its observers, and runs the callback.
    pub(crate) fn parent_changed(&mut self, child: NetId) {
        let replicated = self.objects.world.objects.get(child.0);
        // Snapshots contain the parent already.
        if self.context.config.compare_schemas
            && replicated.is_some_and(|replicated| replicated.is(State::Announced))
        {
            self.visibility.reparented.insert(child);
        }
        let parent = self.objects.world.relations.parent(child);
        let callback = LifecycleCallback::ParentChanged(parent);
        self.dispatch(child, LifecycleEvent::Call(callback));
    }

    /// Sends the changed parents. Objects with fewer ancestors come first, so that no client sees a
    /// cycle in between.
    pub(crate) fn send_parents(&mut self) {
        if self.visibility.reparented.is_empty() {
            return;
        }
        let reparented = std::mem::take(&mut self.visibility.reparented);
        let depths = self.objects.world.relations.depths(reparented.iter());
        let mut by_depth = IdPairs::default();
        for (depth, child) in depths.into_iter().zip(reparented.iter()) {
            by_depth.insert(depth as u64, child);
        }
        let (mut last, mut is_mixed) = (None, false);
        for (depth, child) in by_depth.iter() {
            let Some(replicated) = self.objects.world.objects.get(child.0) else {
                continue;
            };
            let audience = replicated.audience;
            let (above, former) = last.replace((depth, audience)).unwrap_or((depth, audience));
            is_mixed |= former != audience;
            // The outputs of different audiences have no order among them.
            if is_mixed && above != depth {
                self.deliver();
                is_mixed = false;
            }
            self.send_parent(child);
        }
        self.deliver();
    }

    pub(crate) fn send_parent(&mut self, child: NetId) {
        let Some(replicated) = self.objects.world.objects.get(child.0) else {
            return;
        };
        let audience = replicated.audience;
        if !replicated.is(State::Announced)
            || !self.visibility.audiences.get(audience).has_observers()
        {
            return;
        }
        let parent = self
            .objects
            .world
            .relations
            .parent(child)
            .unwrap_or(NetId::NONE);
        for segments in self.visibility.audiences.outputs(audience).channel(0) {
            SetParent { child, parent }.encode(segments.begin());
            let length = segments.commit();
            self.context
                .stats
                .count_encoded(MessageType::SetParent, length);
        }
    }
}
