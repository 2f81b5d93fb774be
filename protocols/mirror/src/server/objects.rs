//! Objects of the server: their entries, their prefabs, and the scene ids in use.

pub(crate) mod entry;
pub(crate) mod guard;
pub(crate) mod options;
pub(crate) mod scene;
pub(crate) mod visibility;

use rustc_hash::FxHashMap;
use syncvar_runtime::schema::{PackedBits, each_bit};
use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::unstable::relations::Place;
use syncvar_runtime::unstable::world::World;
use syncvar_runtime::{
    BehaviourSet, Behaviours, ConnectionId, Encoding, NetId, NetworkSceneId, ObjectError,
    OperationLog, Quaternion,
};

use super::context::Context;
use super::event::MirrorServerEvent;
use crate::prefabs::PrefabEntry;
use crate::{AssetId, MirrorPrefabs, SceneId};
use entry::Observed;
use options::{MirrorSpawnError, MirrorSpawnOptions};

/// World, prefabs, and scene ids.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) world: World<Observed>,
    pub(crate) prefabs: Box<MirrorPrefabs>,
    /// Objects of scenes, by scene id.
    pub(crate) scene_ids: FxHashMap<u64, NetId>,
}

/// A checked object before insertion.
pub(crate) struct Prepared {
    id: NetId,
    prefab: u32,
    behaviours: Behaviours,
    options: MirrorSpawnOptions,
}

/// Length of a message above the limit of a transport.
#[derive(Clone, Copy)]
pub(crate) struct Excess {
    pub(crate) length: usize,
    pub(crate) limit: usize,
}

impl Objects {
    pub(crate) fn new(mut prefabs: MirrorPrefabs) -> Self {
        Self {
            world: World::new(prefabs.take_core()),
            prefabs: Box::new(prefabs),
            scene_ids: FxHashMap::default(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: NetId) -> Option<&Observed> {
        self.world.objects.get(id.0)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: NetId) -> Option<&mut Observed> {
        self.world.objects.get_mut(id.0)
    }

    /// Returns an object, or the error for an unknown id.
    pub(crate) fn find(&self, id: NetId) -> Result<&Observed, ObjectError> {
        self.get(id).ok_or(ObjectError::NoSuchObject(id))
    }

    /// Returns an object for writing, or the error for an unknown id.
    pub(crate) fn find_mut(&mut self, id: NetId) -> Result<&mut Observed, ObjectError> {
        self.get_mut(id).ok_or(ObjectError::NoSuchObject(id))
    }

    /// Returns Mirror's settings of an object's prefab.
    pub(crate) fn entry(&self, id: NetId) -> Option<&PrefabEntry> {
        self.prefabs.get(self.get(id)?.prefab)
    }

    pub(crate) fn owner(&self, id: NetId) -> Option<ConnectionId> {
        self.get(id)?.owner
    }

    /// Checks a spawn and reserves an id.
    pub(crate) fn prepare<S: BehaviourSet>(
        &mut self,
        behaviours: S,
        options: MirrorSpawnOptions,
        is_connected: impl FnOnce(ConnectionId) -> bool,
    ) -> Result<Prepared, MirrorSpawnError> {
        let mut behaviours = behaviours.into_behaviours();
        let name = options.prefab.as_deref();
        let prefab = self.world.prefabs.find(&behaviours, name)?.index;
        if options.scene_id.is_none()
            && let Some(entry) = self.prefabs.get(prefab)
            && entry.asset_id == AssetId::NONE
        {
            return Err(MirrorSpawnError::NoSceneId(entry.name.clone()));
        }
        if let Some(owner) = options.owner
            && !is_connected(owner)
        {
            return Err(MirrorSpawnError::UnknownOwner(owner));
        }
        if let Some(scene_id) = options.scene_id
            && (scene_id == SceneId::NONE || self.scene_ids.contains_key(&scene_id.0))
        {
            return Err(MirrorSpawnError::SceneIdTaken(scene_id));
        }
        behaviours.slots_mut().for_each_mut(|slot| {
            slot.set_log(OperationLog::Full { pending: 0 });
            // Initial contents are part of the spawn, not changes.
            slot.set_observed(false);
        });
        let id = self.world.net_ids.next(|_| false);
        let id = id.ok_or(MirrorSpawnError::OutOfIds)?;
        Ok(Prepared {
            id,
            prefab,
            behaviours,
            options,
        })
    }

    /// Inserts a prepared object, without observers.
    pub(crate) fn insert(&mut self, prepared: Prepared) -> NetId {
        let Prepared {
            id,
            prefab,
            behaviours,
            options,
        } = prepared;
        let name = self.world.prefabs.get(prefab).map(|prefab| &*prefab.name);
        tracing::trace!(object = %id, prefab = name, "spawned an object");
        let at = self.world.pools.insert(id, prefab, behaviours);
        let object = Observed::new(at, prefab, &options);
        if object.scene_id != SceneId::NONE {
            self.scene_ids.insert(object.scene_id.0, id);
            // Contexts of behaviours carry the lower half.
            let scene_id = NetworkSceneId(object.scene_id.low());
            self.world.relations.set_scene_id(id, scene_id);
        }
        let place = Place {
            position: options.position,
            rotation: options.rotation.unwrap_or(Quaternion::IDENTITY),
        };
        self.world.set_place(id, place);
        self.world.objects.insert(id.0, object);
        id
    }

    /// Removes an object. Returns its entry.
    pub(crate) fn remove(&mut self, id: NetId) -> Option<Observed> {
        let object = self.world.remove(id)?;
        tracing::trace!(object = %id, "despawned an object");
        self.scene_ids.remove(&object.scene_id.0);
        Some(object)
    }

    /// Returns the components with changes, among `components`.
    pub(crate) fn pending_components(&self, id: NetId, components: u64) -> u64 {
        let all = self.get(id).map_or(0, |object| object.fully_dirty);
        all & components | self.changed_components(id, components, |_| u64::MAX)
    }

    /// Returns the components with changed `fields`, among `components`.
    pub(crate) fn changed_components(
        &self,
        id: NetId,
        components: u64,
        fields: impl Fn(&PackedBits) -> u64,
    ) -> u64 {
        self.world.slots(id).map_or(0, |slots| {
            let slots = (0..64).zip(slots.iter());
            let changed =
                slots.filter(|(_, slot)| slot.dirty_bits() & fields(&slot.info().packed) != 0);
            changed.fold(0, |bits, (index, _)| bits | 1 << index) & components
        })
    }

    /// Clears the pending changes of components.
    pub(crate) fn clear_changes(&mut self, id: NetId, components: u64) {
        if let Some(object) = self.world.objects.get_mut(id.0)
            && let Some(slots) = self.world.pools.slots_mut(object.at)
        {
            object.clear_changes(slots, components);
        }
    }

    /// Reports a message about an object that a transport does not carry.
    pub(crate) fn report_too_long(
        &mut self,
        object: NetId,
        connection: Option<ConnectionId>,
        excess: Excess,
        context: &mut Context,
    ) {
        let Excess { length, limit } = excess;
        let (behaviour, field) = self.longest_field(object).unzip();
        tracing::error!(%object, behaviour, field, length, limit, "a message is too long to send");
        context.events.push(MirrorServerEvent::TooLong {
            object,
            behaviour,
            field,
            connection,
            length,
            limit,
        });
    }

    /// Returns the longest field of an object, with the name of its behaviour.
    fn longest_field(&mut self, id: NetId) -> Option<(&'static str, &'static str)> {
        let slots: &mut dyn Slots = self.world.slots_mut(id)?;
        let mut longest = None;
        slots.for_each_mut(|slot| {
            let schema = slot.info().schema;
            for field in each_bit(schema.dirty_bits()) {
                let length = slot.field_length(field, Encoding::Mirror).ok();
                let name = schema.field(field.trailing_zeros());
                let names = name.map(|field| (schema.name, field.name));
                longest = longest.max(Some((length, names)));
            }
        });
        longest?.1
    }
}
