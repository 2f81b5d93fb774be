//! Objects of the client and their prefabs.

use syncvar_runtime::lend::LentObjects;
use syncvar_runtime::object::{Pools, Slots};
use syncvar_runtime::relations::{Place, Relations};
use syncvar_runtime::table::Table;
use syncvar_runtime::{Behaviours, NetId, NetworkHash128, NetworkIdentity};

use super::object::{Replica, Stage};
use super::order::SpawnOrder;
use crate::MirrorPrefabs;
use crate::prefabs::Entry;

/// Objects, their prefabs, and the re-entrancy state of callbacks.
#[derive(Debug)]
pub(super) struct World {
    pub(super) prefabs: MirrorPrefabs,
    /// Replicas; boxed, so that high ids from a server cost little memory.
    pub(super) objects: Table<Box<Replica>>,
    /// Behaviours of all objects.
    pub(super) pools: Pools,
    /// Positions and rotations other than the default.
    places: Table<Place>,
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
            pools: Pools::default(),
            places: Table::default(),
            order: SpawnOrder::default(),
            created: 0,
            checked_out: LentObjects::default(),
            relations: Relations::default(),
        }
    }

    /// Returns a visible object, unless it is checked out.
    pub(super) fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity_of(id, self.objects.get(id.0)?)
    }

    /// Returns all visible objects, by ascending id.
    pub(super) fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        let objects = self.objects.iter();
        objects.filter_map(|(number, object)| self.identity_of(NetId(number), object))
    }

    fn identity_of<'a>(&'a self, id: NetId, object: &'a Replica) -> Option<NetworkIdentity<'a>> {
        if object.stage == Stage::Pending {
            return None;
        }
        let prefab = self.prefabs.get(object.prefab)?;
        let slots = self.pools.slots(object.at)?;
        let asset_id = NetworkHash128::from_u32(prefab.asset_id.0);
        Some(NetworkIdentity::new(
            (id, asset_id),
            self.place(id),
            slots,
            &self.relations,
        ))
    }

    /// Returns the position and rotation of an object at its last spawn.
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

    /// Removes an object. Returns it with its behaviours.
    pub(super) fn remove(&mut self, id: NetId) -> Option<(Box<Replica>, Option<Behaviours>)> {
        let object = self.objects.remove(id.0)?;
        self.order.remove(id);
        self.places.remove(id.0);
        let behaviours = self.pools.withdraw(object.at);
        Some((object, behaviours))
    }

    /// Returns the prefab of an object.
    pub(super) fn entry(&self, id: NetId) -> Option<&Entry> {
        self.prefabs.get(self.objects.get(id.0)?.prefab)
    }

    /// Returns the bits of the components that this client writes.
    pub(super) fn written_components(&self, id: NetId) -> u64 {
        let object = self.objects.get(id.0).filter(|object| object.role.owner);
        let prefab = object.and_then(|object| self.prefabs.get(object.prefab));
        prefab.map_or(0, |prefab| prefab.client_to_server)
    }

    /// Returns whether a behaviour of the object has lifecycle callbacks.
    pub(super) fn has_lifecycle(&self, id: NetId) -> bool {
        self.entry(id).is_some_and(|prefab| prefab.lifecycle)
    }

    /// Makes an object visible.
    pub(super) fn reveal(&mut self, id: NetId) {
        if let Some(object) = self.objects.get_mut(id.0) {
            object.stage = object.stage.max(Stage::Known);
        }
    }
}
