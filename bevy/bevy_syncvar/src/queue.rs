//! Structural changes since the last collection.

use std::any::TypeId;

use bevy_ecs::prelude::*;
use syncvar::NetId;

/// Structural changes of entities, filled by hooks and observers. An app without a server has none.
#[derive(Resource, Debug, Default)]
pub(crate) struct ServerQueue {
    /// Entities that became `Replicated`.
    pub(crate) spawned: Vec<Entity>,
    /// Entities that are `Replicated` no longer, with their objects.
    pub(crate) despawned: Vec<(Entity, NetId)>,
    /// Entities that lost a component, or match its filter in a different way.
    pub(crate) filtered: Vec<(TypeId, Entity)>,
    /// Entities whose parent changed.
    pub(crate) moved: Vec<Entity>,
    /// Entities of a bundle that have other components now.
    pub(crate) misfits: Vec<Entity>,
}
