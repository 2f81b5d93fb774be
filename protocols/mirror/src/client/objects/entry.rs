//! The client's entry of an object.

use syncvar_runtime::Vector3;
use syncvar_runtime::unstable::object::Location;
use syncvar_runtime::unstable::world::WorldObject;

use crate::SceneId;
use crate::unreliable::ReceivedBaseline;

/// The client's entry of an object.
#[derive(Debug)]
pub struct Replica {
    /// Row of its behaviours; empty while checked out.
    pub(crate) at: Location,
    /// Number of this object among all created objects: the server may reuse ids.
    pub(crate) serial: u64,
    /// Position of its prefab in the registry.
    pub(crate) prefab: u32,
    pub(crate) stage: SpawnStage,
    /// Role by the last message of the server.
    pub(crate) role: ObjectRole,
    /// Role by the last callbacks.
    pub(crate) reported: ObjectRole,
    pub(crate) scene_id: Option<SceneId>,
    pub(crate) scale: Vector3,
    /// Baselines received for hybrid components.
    pub(crate) unreliable: ReceivedBaseline,
    /// Baselines sent for hybrid components that this client writes.
    pub(crate) sent: SentBaseline,
}

/// Baselines sent for the hybrid components of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SentBaseline {
    /// Number of the last baseline; 0 before the first one.
    pub(crate) tick: u8,
    /// An unsendable delta is reported since the last baseline.
    pub(crate) is_reported: bool,
}

impl Replica {
    /// Creates an entry whose snapshot is pending.
    pub(crate) fn new(at: Location, prefab: u32) -> Self {
        Self {
            at,
            serial: 0,
            prefab,
            stage: SpawnStage::Pending,
            role: ObjectRole::default(),
            reported: ObjectRole::default(),
            scene_id: None,
            scale: Vector3::default(),
            unreliable: ReceivedBaseline::default(),
            sent: SentBaseline::default(),
        }
    }
}

/// Role of this client for an object.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ObjectRole {
    pub(crate) owner: bool,
    pub(crate) player: bool,
}

/// Progress of a spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SpawnStage {
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
        self.stage != SpawnStage::Pending
    }
}
