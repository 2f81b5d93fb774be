//! Entities and their objects: markers, ids, the table of both.

mod pages;

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bevy_ecs::entity::{Entity, EntityGeneration, EntityHashSet};
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_platform::collections::HashMap;
use syncvar::{NetId, NetRef};

use crate::queue::ServerQueue;
use pages::EntityPages;

/// Marker of the entities that a server sends to its clients, with all their registered components.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # let mut world = World::new();
/// let orc = world.spawn(Replicated).id();
/// world.entity_mut(orc).remove::<Replicated>(); // clients despawn it
/// ```
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(on_add, on_remove)]
#[require(Net)]
pub struct Replicated;

impl Replicated {
    fn on_add(mut world: DeferredWorld<'_>, context: HookContext) {
        if let Some(mut queue) = world.get_resource_mut::<ServerQueue>() {
            queue.spawned.push(context.entity);
        }
    }

    fn on_remove(mut world: DeferredWorld<'_>, context: HookContext) {
        let Some(mut net) = world.get_mut::<Net>(context.entity) else {
            return;
        };
        let id = mem::replace(&mut net.id, NetId::NONE);
        if let Some(mut queue) = world.get_resource_mut::<ServerQueue>()
            && id != NetId::NONE
        {
            queue.despawned.push((context.entity, id));
        }
    }
}

/// Marker of the entities that a client has received.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct Remote;

/// Object of an entity. A server gives the id in [`Collect`](crate::SyncVarSystems::Collect).
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[component(clone_behavior = Ignore)]
pub struct Net {
    pub(crate) id: NetId,
}

impl Net {
    /// Returns the id of the object; [`NetId::NONE`] before the first `Collect` of the entity.
    pub fn id(&self) -> NetId {
        self.id
    }
}

impl Default for Net {
    fn default() -> Self {
        Self { id: NetId::NONE }
    }
}

/// Place of an index without an object.
const NO_OBJECT: (EntityGeneration, NetId) = (EntityGeneration::FIRST, NetId::NONE);

/// The entities of objects, and the objects of entities.
#[derive(Resource, Debug, Default)]
pub struct NetEntities {
    entities: EntityPages,
    /// Generations of the entities with their objects, by the index of the entity.
    ids: Vec<(EntityGeneration, NetId)>,
    /// Client: object whose component is being read.
    holder: AtomicU32,
    references: Mutex<References>,
}

/// References that could not be resolved, or may have to be resolved again.
#[derive(Debug, Default)]
struct References {
    /// Server: entities without an object to which a component refers.
    missing: EntityHashSet,
    /// Client: objects whose components refer to an object, or did.
    holders: HashMap<NetId, Vec<NetId>>,
}

impl NetEntities {
    /// Returns the entity of an object.
    pub fn entity(&self, id: NetId) -> Option<Entity> {
        self.entities.get(id)
    }

    /// Returns the object of an entity.
    pub fn id(&self, entity: Entity) -> Option<NetId> {
        let (generation, id) = self.ids.get(entity.index_u32() as usize)?;
        (*generation == entity.generation() && *id != NetId::NONE).then_some(*id)
    }

    /// Returns the reference to an entity: [`NetRef::NONE`] without an object.
    pub fn reference(&self, entity: Entity) -> NetRef {
        if let Some(id) = self.id(entity) {
            return NetRef::reserved(id);
        }
        if entity != Entity::PLACEHOLDER {
            self.add_missing(entity);
        }
        NetRef::NONE
    }

    /// Returns the target of a reference: [`Entity::PLACEHOLDER`] without an entity.
    pub fn target(&self, reference: NetRef) -> Entity {
        if reference.is_none() {
            return Entity::PLACEHOLDER;
        }
        self.note(reference.id());
        self.entity(reference.id()).unwrap_or(Entity::PLACEHOLDER)
    }

    /// Returns all objects with their entities, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (NetId, Entity)> {
        self.entities.iter()
    }

    pub(crate) fn insert(&mut self, id: NetId, entity: Entity) {
        self.entities.insert(id, entity);
        let index = entity.index_u32() as usize;
        if self.ids.len() <= index {
            self.ids.resize(index + 1, NO_OBJECT);
        }
        if let Some(place) = self.ids.get_mut(index) {
            *place = (entity.generation(), id);
        }
    }

    pub(crate) fn remove(&mut self, id: NetId) -> Option<Entity> {
        let entity = self.entities.remove(id)?;
        if let Some(place) = self.ids.get_mut(entity.index_u32() as usize)
            && *place == (entity.generation(), id)
        {
            *place = NO_OBJECT;
        }
        Some(entity)
    }

    fn references(&self) -> MutexGuard<'_, References> {
        self.references
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Server: notes that components may refer to an entity without an object.
    pub(crate) fn add_missing(&self, entity: Entity) {
        self.references().missing.insert(entity);
    }

    /// Server: returns whether components refer to one of these entities, which had no object before.
    pub(crate) fn take_missing(&self, found: &[Entity]) -> bool {
        let missing = &mut self.references().missing;
        let before = missing.len();
        if before > 0 {
            for entity in found {
                missing.remove(entity);
            }
        }
        missing.len() < before
    }

    /// Server: forgets despawned entities.
    pub(crate) fn retain_missing(&self, exists: impl Fn(Entity) -> bool) {
        self.references().missing.retain(|entity| exists(*entity));
    }

    /// Client: sets the object whose component is read next; [`NetId::NONE`] for none.
    #[inline]
    pub(crate) fn set_holder(&self, holder: NetId) {
        self.holder.store(holder.0, Ordering::Relaxed);
    }

    /// Client: notes that the read component refers to an object.
    fn note(&self, target: NetId) {
        let holder = NetId(self.holder.load(Ordering::Relaxed));
        if holder != NetId::NONE {
            let mut references = self.references();
            let holders = references.holders.entry(target).or_default();
            if !holders.contains(&holder) {
                holders.push(holder);
            }
        }
    }

    /// Client: returns the objects whose components may refer to an object.
    pub(crate) fn holders(&self, target: NetId) -> Vec<NetId> {
        self.references()
            .holders
            .get(&target)
            .cloned()
            .unwrap_or_default()
    }

    /// Client: forgets an object that will not come back.
    pub(crate) fn forget(&self, id: NetId) {
        self.references().holders.remove(&id);
    }
}
