//! Objects of the client and their prefabs.

use syncvar_runtime::engine::{LentObjects, Relations, Table};

use super::object::Replica;
use super::order::SpawnOrder;
use crate::MirrorPrefabs;

/// Objects, their prefabs, and the re-entrancy state of callbacks.
#[derive(Debug)]
pub(super) struct World {
    pub(super) prefabs: MirrorPrefabs,
    /// Replicas; boxed, so that high ids from a server cost little memory.
    pub(super) objects: Table<Box<Replica>>,
    pub(super) order: SpawnOrder,
    /// Number of objects created so far.
    pub(super) created: u64,
    /// Objects whose behaviours are out of the table during a callback.
    pub(super) checked_out: LentObjects,
    /// Empty: Mirror's objects have no parents, and scene ids of another type.
    pub(super) relations: Relations,
}

impl World {
    pub(super) fn new(prefabs: MirrorPrefabs) -> Self {
        Self {
            prefabs,
            objects: Table::default(),
            order: SpawnOrder::default(),
            created: 0,
            checked_out: LentObjects::default(),
            relations: Relations::default(),
        }
    }
}
