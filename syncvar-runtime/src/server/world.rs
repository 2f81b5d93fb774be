//! Objects of the server: prefabs, behaviours, places, relations and ids.

use std::ops::RangeInclusive;

use super::Prefabs;
use super::full_state::Kind;
use super::replicated::Replicated;
use crate::identity::{Place, Pools, Relations};
use crate::lifecycle::{Late, LentObjects};
use crate::table::Table;

/// Objects of the server, their behaviours and their prefabs.
#[derive(Debug)]
pub(super) struct World {
    pub(super) prefabs: Prefabs,
    /// Facts about each prefab, in the order of registration.
    pub(super) prefab_infos: Vec<Kind>,
    pub(super) objects: Table<Replicated>,
    /// Behaviours of all objects.
    pub(super) pools: Pools,
    /// Objects whose behaviours are out of their pools while a callback runs.
    pub(super) checked_out: LentObjects,
    /// Lifecycle events that run after the callbacks under way.
    pub(super) deferred: Late,
    /// Positions and rotations of all objects.
    pub(super) places: Table<Place>,
    /// Scene ids and parents.
    pub(super) relations: Box<Relations>,
    /// Object ids not assigned yet, ascending. Ids in use are skipped.
    pub(super) net_ids: RangeInclusive<u32>,
}

impl World {
    /// Returns a world without objects.
    pub(super) fn new(prefabs: Prefabs) -> Self {
        Self {
            prefab_infos: Kind::of_all(&prefabs),
            prefabs,
            objects: Table::default(),
            pools: Pools::default(),
            checked_out: LentObjects::default(),
            deferred: Late::default(),
            places: Table::default(),
            relations: Box::default(),
            net_ids: 1..=u32::MAX,
        }
    }
}
