//! Parents of objects.

use std::error::Error;
use std::fmt;

use syncvar_runtime::NetId;

use crate::server::objects::Objects;
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

impl Objects {
    /// Returns an error if a parent does not exist, or would be below its child.
    pub(crate) fn check_parent(
        &self,
        child: NetId,
        parent: Option<NetId>,
    ) -> Result<(), ParentError> {
        for id in [Some(child), parent].into_iter().flatten() {
            if !self.world.contains(id) {
                return Err(ParentError::NoSuchObject(id));
            }
        }
        match parent {
            Some(parent) if parent == child || self.world.relations.is_below(parent, child) => {
                Err(ParentError::Circle { child, parent })
            }
            _ => Ok(()),
        }
    }

    /// Sets or removes the parent of an object. Returns whether the parent has changed.
    pub(crate) fn set_parent(&mut self, child: NetId, parent: Option<NetId>) -> bool {
        let relations = &mut self.world.relations;
        if !relations.set_parent(child, parent) {
            return false;
        }
        let scene_id = relations.scene_id(child);
        if let Some(journal) = &mut self.journal {
            journal.reparented.insert(child);
        }
        if let Some(replicated) = self.world.objects.get_mut(child.0) {
            replicated.set(State::Related, parent.is_some() || scene_id.is_some());
        }
        true
    }
}
