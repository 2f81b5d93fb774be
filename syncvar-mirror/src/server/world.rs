//! Objects of the server and their prefabs.

use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;
use syncvar_runtime::engine::{Late, LentObjects, Relations, Table};

use super::object::Observed;
use crate::MirrorPrefabs;

/// Objects, their prefabs, and the re-entrancy state of callbacks.
#[derive(Debug)]
pub(super) struct World {
    pub(super) prefabs: MirrorPrefabs,
    pub(super) objects: Table<Observed>,
    /// First unused id.
    pub(super) next_id: u32,
    /// Objects whose behaviours are out of the table during a callback.
    pub(super) checked_out: LentObjects,
    /// Lifecycle events postponed until these callbacks return.
    pub(super) deferred: Late,
    /// Scene ids by object, for contexts of behaviours.
    pub(super) relations: Box<Relations>,
    /// Scene objects by scene id.
    pub(super) scene_objects: FxHashMap<u64, NetId>,
}

impl World {
    pub(super) fn new(prefabs: MirrorPrefabs) -> Self {
        Self {
            prefabs,
            objects: Table::default(),
            next_id: 1,
            checked_out: LentObjects::default(),
            deferred: Late::default(),
            relations: Box::default(),
            scene_objects: FxHashMap::default(),
        }
    }
}
