//! Objects of the server: prefabs, behaviours, places, relations and ids.

use std::any::TypeId;
use std::ops::RangeInclusive;

use super::full_state::PrefabInfo;
use super::replicated::Replicated;
use syncvar_runtime::SpawnError;
use syncvar_runtime::lend::{Late, LentObjects};
use syncvar_runtime::object::{Behaviours, Pools, Slots};
use syncvar_runtime::prefab::Prefab;
use syncvar_runtime::relations::{Place, Relations};
use syncvar_runtime::table::Table;
use syncvar_runtime::{NetId, NetworkIdentity, NetworkSceneId, Prefabs};

/// Maximum distance of a chosen id from the next id for the sequence to continue behind it.
const NEAR: u32 = 1 << 24;

/// Objects of the server, their behaviours and their prefabs.
#[derive(Debug)]
pub(super) struct World {
    pub(super) prefabs: Prefabs,
    /// Facts about each prefab, in the order of registration.
    pub(super) prefab_infos: Vec<PrefabInfo>,
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
            prefab_infos: PrefabInfo::of_all(&prefabs),
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

    /// Returns an object with its behaviours. None while it is checked out.
    pub(super) fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity_of(id, self.objects.get(id.0)?)
    }

    /// Returns all objects, by ascending id.
    pub(super) fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        let objects = self.objects.iter();
        objects.filter_map(|(number, replicated)| self.identity_of(NetId(number), replicated))
    }

    fn identity_of(&self, id: NetId, replicated: &Replicated) -> Option<NetworkIdentity<'_>> {
        let info = self.prefab_info(replicated.at.pool)?;
        let place = *self.places.get(id.0)?;
        let behaviours = self.pools.slots(replicated.at)?;
        let names = (id, info.asset_id);
        Some(NetworkIdentity::new(
            names,
            place,
            behaviours,
            &self.relations,
        ))
    }

    /// Returns the facts about the prefab of a pool.
    #[inline]
    pub(super) fn prefab_info(&self, pool: u32) -> Option<&PrefabInfo> {
        self.prefab_infos.get(self.pools.prefab(pool) as usize)
    }

    /// Returns the prefab of an object.
    pub(super) fn prefab(&self, id: NetId) -> Option<&Prefab> {
        let pool = self.objects.get(id.0)?.at.pool;
        self.prefabs.get(self.pools.prefab(pool))
    }

    /// Returns whether the objects of a pool have restricted fields.
    pub(super) fn is_restricted(&self, pool: u32) -> bool {
        self.prefab_info(pool)
            .is_some_and(|info| info.policy.restricted)
    }

    /// Returns whether a behaviour of an object has lifecycle callbacks.
    pub(super) fn has_lifecycle(&self, id: NetId) -> bool {
        let object = self.objects.get(id.0);
        let info = object.and_then(|replicated| self.prefab_info(replicated.at.pool));
        info.is_some_and(|info| info.lifecycle)
    }

    /// Returns the position and rotation of an object.
    pub(super) fn place(&self, id: NetId) -> Place {
        self.places.get(id.0).copied().unwrap_or_default()
    }

    /// Returns the behaviours of an object. None while it is checked out.
    pub(super) fn slots(&self, id: NetId) -> Option<&dyn Slots> {
        self.pools.slots(self.objects.get(id.0)?.at)
    }

    /// Returns the behaviours of an object, for writing. None while it is checked out.
    pub(super) fn slots_mut(&mut self, id: NetId) -> Option<&mut dyn Slots> {
        self.pools.slots_mut(self.objects.get(id.0)?.at)
    }

    /// Returns whether a behaviour of an object is dirty.
    #[inline(never)]
    pub(super) fn is_dirty(&self, id: NetId) -> bool {
        let slots = self.slots(id);
        slots.is_some_and(|slots| slots.iter().any(|slot| slot.dirty_bits() != 0))
    }

    /// Drops the pending changes of an object without observers.
    pub(super) fn drop_changes(&mut self, id: NetId) {
        if let Some(slots) = self.slots_mut(id) {
            slots.for_each_mut(|slot| slot.forget_changes());
        }
    }

    /// Finds the prefab of new behaviours, by its name or by their types.
    pub(super) fn find_prefab(
        &self,
        behaviours: &Behaviours,
        name: Option<&str>,
    ) -> Result<&Prefab, SpawnError> {
        let types: Vec<TypeId> = behaviours.slots().type_ids();
        let Some(name) = name else {
            let prefab = self.prefabs.by_types(&types);
            return prefab.ok_or_else(|| SpawnError::NotRegistered(format!("{behaviours:?}")));
        };
        let prefab = self.prefabs.by_name(name);
        let prefab = prefab.ok_or_else(|| SpawnError::UnknownPrefab(name.into()))?;
        if prefab.types != types {
            return Err(SpawnError::OtherBehaviours {
                prefab: name.into(),
                behaviours: format!("{behaviours:?}"),
            });
        }
        Ok(prefab)
    }

    /// Returns the id of a new object. Ids ascend and are never reused.
    ///
    /// The sequence continues behind a chosen id, unless that is far ahead. A game that numbers some
    /// objects in a separate range would otherwise use up all ids.
    pub(super) fn choose_net_id(&mut self, chosen: Option<NetId>) -> Result<NetId, SpawnError> {
        let (objects, net_ids) = (&self.objects, &mut self.net_ids);
        let Some(NetId(number)) = chosen else {
            let free = net_ids.find(|number| objects.get(*number).is_none());
            return free.map(NetId).ok_or(SpawnError::OutOfIds);
        };
        if NetId(number) == NetId::NONE || objects.get(number).is_some() {
            return Err(SpawnError::IdTaken(NetId(number)));
        }
        let is_near = net_ids.contains(&number) && number - net_ids.start() <= NEAR;
        if let Some(next) = number.checked_add(1).filter(|_| is_near) {
            *net_ids = next..=u32::MAX;
        }
        Ok(NetId(number))
    }

    /// Rejects a scene id of 0 or one in use.
    pub(super) fn check_scene_id(&self, id: Option<NetworkSceneId>) -> Result<(), SpawnError> {
        let is_taken = |id| id == NetworkSceneId(0) || self.relations.scene_object(id).is_some();
        match id {
            Some(id) if is_taken(id) => Err(SpawnError::SceneIdTaken(id)),
            _ => Ok(()),
        }
    }
}
