//! The client's entry of an object.

use syncvar_runtime::Vector3;
use syncvar_runtime::object::Location;
use syncvar_runtime::world::WorldObject;

use crate::SceneId;
use crate::client::world::write::BaselineState;
use crate::unreliable::Unreliable;

/// The client's entry of an object.
#[derive(Debug)]
pub struct Replica {
    /// Row of its behaviours; empty while checked out.
    pub(in crate::client) at: Location,
    /// Number of this object among all created ones: the server may reuse ids.
    pub(in crate::client) serial: u64,
    /// Position of its prefab in the registry.
    pub(in crate::client) prefab: u32,
    pub(in crate::client) stage: Stage,
    /// Role by the last message of the server.
    pub(in crate::client) role: Role,
    /// Role by the last callbacks.
    pub(in crate::client) reported: Role,
    pub(in crate::client) scene_id: Option<SceneId>,
    pub(in crate::client) scale: Vector3,
    /// Baselines received for hybrid components.
    pub(in crate::client) unreliable: Unreliable,
    /// Baselines sent for hybrid components that this client writes.
    pub(in crate::client) baseline: BaselineState,
}

/// Role of this client for an object.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::client) struct Role {
    pub(in crate::client) owner: bool,
    pub(in crate::client) player: bool,
}

/// Progress of a spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::client) enum Stage {
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
