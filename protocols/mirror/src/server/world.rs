//! Objects of the server and their prefabs.

use std::any::TypeId;

use rustc_hash::FxHashMap;
use syncvar_runtime::lend::{Late, LentObjects};
use syncvar_runtime::object::{Pools, Slots};
use syncvar_runtime::relations::{Place, Relations};
use syncvar_runtime::table::Table;
use syncvar_runtime::{Behaviours, NetId, NetworkIdentity};

use super::MirrorSpawnError;
use super::encode::asset_hash;
use super::object::Observed;
use crate::MirrorPrefabs;
use crate::prefabs::Entry;

/// Objects, their prefabs, and the re-entrancy state of callbacks.
#[derive(Debug)]
pub(super) struct World {
    pub(super) prefabs: MirrorPrefabs,
    pub(super) objects: Table<Observed>,
    /// Behaviours of all objects.
    pub(super) pools: Pools,
    /// Positions and rotations other than the default.
    places: Table<Place>,
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
            pools: Pools::default(),
            places: Table::default(),
            next_id: 1,
            checked_out: LentObjects::default(),
            deferred: Late::default(),
            relations: Box::default(),
            scene_objects: FxHashMap::default(),
        }
    }

    /// Returns the object with this id, unless it is checked out.
    pub(super) fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity_of(id, self.objects.get(id.0)?)
    }

    /// Returns all objects, by ascending id.
    pub(super) fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        let objects = self.objects.iter();
        objects.filter_map(|(number, object)| self.identity_of(NetId(number), object))
    }

    fn identity_of<'a>(&'a self, id: NetId, object: &'a Observed) -> Option<NetworkIdentity<'a>> {
        let slots = self.pools.slots(object.at)?;
        let asset_id = asset_hash(self.prefabs.get(object.prefab)?.asset_id);
        let names = (id, asset_id);
        Some(NetworkIdentity::new(
            names,
            self.place(id),
            slots,
            &self.relations,
        ))
    }

    /// Returns the position and rotation of an object.
    pub(super) fn place(&self, id: NetId) -> Place {
        self.places.get(id.0).copied().unwrap_or_default()
    }

    /// Sets the position and rotation of an object.
    pub(super) fn set_place(&mut self, id: NetId, place: Place) {
        if place == Place::default() {
            self.places.remove(id.0);
        } else {
            self.places.insert(id.0, place);
        }
    }

    /// Returns the behaviours of an object, unless it is checked out.
    pub(super) fn slots(&self, id: NetId) -> Option<&dyn Slots> {
        self.pools.slots(self.objects.get(id.0)?.at)
    }

    /// Returns the behaviours of an object for writing, unless it is checked out.
    pub(super) fn slots_mut(&mut self, id: NetId) -> Option<&mut dyn Slots> {
        self.pools.slots_mut(self.objects.get(id.0)?.at)
    }

    /// Removes an object with its behaviours and its place.
    pub(super) fn remove(&mut self, id: NetId) -> Option<Observed> {
        let object = self.objects.remove(id.0)?;
        self.pools.remove(object.at);
        self.places.remove(id.0);
        self.relations.forget(id);
        self.scene_objects.remove(&object.scene_id.0);
        Some(object)
    }

    /// Returns the prefab of an object.
    pub(super) fn entry(&self, id: NetId) -> Option<&Entry> {
        self.prefabs.get(self.objects.get(id.0)?.prefab)
    }

    /// Returns the prefab of this name, or the first one with these behaviours.
    pub(super) fn find_prefab(
        &self,
        behaviours: &Behaviours,
        name: Option<&str>,
    ) -> Result<&Entry, MirrorSpawnError> {
        let types: Vec<TypeId> = behaviours.slots().type_ids();
        let Some(name) = name else {
            let entry = self.prefabs.by_types(&types);
            return entry.ok_or_else(|| MirrorSpawnError::NotRegistered(format!("{behaviours:?}")));
        };
        let entry = self.prefabs.by_name(name);
        let entry = entry.ok_or_else(|| MirrorSpawnError::UnknownPrefab(name.into()))?;
        if entry.types != types {
            return Err(MirrorSpawnError::OtherBehaviours {
                prefab: name.into(),
                behaviours: format!("{behaviours:?}"),
            });
        }
        Ok(entry)
    }
}
