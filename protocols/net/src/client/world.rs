//! Objects of the client and their behaviours.

use rustc_hash::FxHashMap;

use super::replica::Replica;
use crate::lend::LentObjects;
use crate::object::{Location, Pools};
use crate::prefab::Prefab;
use crate::relations::{Place, Relations};
use crate::table::Table;
use crate::{NetId, NetworkIdentity, Prefabs};

/// Objects of the client, their behaviours and their relations.
#[derive(Debug)]
pub(super) struct World {
    pub(super) prefabs: Prefabs,
    /// Whether any prefab has initial hooks or lifecycle callbacks.
    pub(super) wants_spawn_callbacks: bool,
    pub(super) objects: Table<Replica>,
    pub(super) pools: Pools,
    /// Places of the objects that are not at the origin, unrotated.
    pub(super) places: FxHashMap<NetId, Place>,
    /// Scene ids and parents. Scene objects that this client could not make have an entry too.
    pub(super) relations: Box<Relations>,
    /// Objects out of their pools for a callback.
    pub(super) checked_out: LentObjects,
}

impl World {
    pub(super) fn new(prefabs: Prefabs) -> Self {
        Self {
            wants_spawn_callbacks: prefabs.entries().iter().any(Prefab::tells),
            prefabs,
            objects: Table::default(),
            pools: Pools::default(),
            places: FxHashMap::default(),
            relations: Box::default(),
            checked_out: LentObjects::default(),
        }
    }

    /// Returns whether an object exists, visible or not.
    pub(super) fn contains(&self, id: NetId) -> bool {
        self.objects.get(id.0).is_some()
    }

    /// Returns whether the application can see an object.
    #[inline]
    pub(super) fn is_visible(&self, id: NetId) -> bool {
        self.objects.get(id.0).is_some_and(Replica::is_visible)
    }

    /// Returns the visible object with this id.
    pub(super) fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity_of(id, self.objects.get(id.0)?)
    }

    fn identity_of(&self, id: NetId, replica: &Replica) -> Option<NetworkIdentity<'_>> {
        if !replica.is_visible() {
            return None;
        }
        let asset_id = self.prefab_at(replica.at)?.asset_id;
        let behaviours = self.pools.slots(replica.at)?;
        Some(NetworkIdentity::new(
            (id, asset_id),
            self.place(id),
            behaviours,
            &self.relations,
        ))
    }

    /// Returns the visible objects by ascending id.
    pub(super) fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        let objects = self.objects.iter();
        objects.filter_map(|(number, replica)| self.identity_of(NetId(number), replica))
    }

    /// Returns the ids of the objects that match, ascending.
    pub(super) fn ids(&self, matches: impl Fn(&Replica) -> bool) -> Vec<NetId> {
        let objects = self.objects.iter().filter(|(_, replica)| matches(replica));
        objects.map(|(number, _)| NetId(number)).collect()
    }

    /// Returns the prefab of the object at a location.
    #[inline]
    pub(super) fn prefab_at(&self, at: Location) -> Option<&Prefab> {
        self.prefabs.get(self.pools.prefab(at.pool))
    }

    /// Returns the prefab of an object.
    pub(super) fn prefab_of(&self, id: NetId) -> Option<&Prefab> {
        self.prefab_at(self.objects.get(id.0)?.at)
    }

    /// Returns the place of an object.
    pub(super) fn place(&self, id: NetId) -> Place {
        self.places.get(&id).copied().unwrap_or_default()
    }

    /// Returns whether a behaviour of the object at a location has lifecycle callbacks.
    pub(super) fn has_lifecycle(&self, at: Location) -> bool {
        self.prefab_at(at).is_some_and(|prefab| prefab.lifecycle)
    }
}
