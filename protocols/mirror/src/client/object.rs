//! The client's entry of an object.

use syncvar_runtime::Vector3;
use syncvar_runtime::object::Location;
use syncvar_runtime::world::WorldObject;

use super::write::BaselineState;
use crate::SceneId;
use crate::unreliable::Unreliable;

/// The client's entry of an object.
#[derive(Debug)]
pub struct Replica {
    /// Row of its behaviours; empty while checked out.
    pub(super) at: Location,
    /// Number of this object among all created ones: the server may reuse ids.
    pub(super) serial: u64,
    /// Position of its prefab in the registry.
    pub(super) prefab: u32,
    pub(super) stage: Stage,
    /// Role by the last message of the server.
    pub(super) role: Role,
    /// Role by the last callbacks.
    pub(super) reported: Role,
    pub(super) scene_id: Option<SceneId>,
    pub(super) scale: Vector3,
    /// Baselines received for hybrid components.
    pub(super) unreliable: Unreliable,
    /// Baselines sent for hybrid components that this client writes.
    pub(super) baseline: BaselineState,
}

/// Role of this client for an object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Role {
    pub(super) owner: bool,
    pub(super) player: bool,
}

/// Progress of a spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Its snapshot waits for the end of the burst.
    Pending,
    /// The burst is complete; the object is visible.
    Known,
    /// Its callbacks have run, or are running.
    Spawned,
}

impl WorldObject for Box<Replica> {
    fn location(&self) -> Location {
        self.at
    }

    fn is_visible(&self) -> bool {
        self.stage != Stage::Pending
    }
}
