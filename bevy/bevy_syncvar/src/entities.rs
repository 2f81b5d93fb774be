//! Entities and their objects: markers, ids, the table of both.

use bevy_ecs::entity::{Entity, EntityHashMap};
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_platform::collections::HashMap;
use syncvar::{NetId, NetRef};

use crate::server::ServerQueue;

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
        let id = std::mem::replace(&mut net.id, NetId::NONE);
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

/// The entities of objects, and the objects of entities.
#[derive(Resource, Debug, Default)]
pub struct NetEntities {
    entities: HashMap<NetId, Entity>,
    ids: EntityHashMap<NetId>,
}

impl NetEntities {
    /// Returns the entity of an object.
    pub fn entity(&self, id: NetId) -> Option<Entity> {
        self.entities.get(&id).copied()
    }

    /// Returns the object of an entity.
    pub fn id(&self, entity: Entity) -> Option<NetId> {
        self.ids.get(&entity).copied()
    }

    /// Returns the reference to an entity: [`NetRef::NONE`] without an object.
    pub fn reference(&self, entity: Entity) -> NetRef {
        self.id(entity).map_or(NetRef::NONE, NetRef::reserved)
    }

    /// Returns the target of a reference: [`Entity::PLACEHOLDER`] without an entity.
    pub fn target(&self, reference: NetRef) -> Entity {
        self.entity(reference.id()).unwrap_or(Entity::PLACEHOLDER)
    }

    /// Returns all objects with their entities, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (NetId, Entity)> {
        self.entities.iter().map(|(id, entity)| (*id, *entity))
    }

    pub(crate) fn insert(&mut self, id: NetId, entity: Entity) {
        self.entities.insert(id, entity);
        self.ids.insert(entity, id);
    }

    pub(crate) fn remove(&mut self, id: NetId) -> Option<Entity> {
        let entity = self.entities.remove(&id)?;
        self.ids.remove(&entity);
        Some(entity)
    }
}
