//! `Collect`: changes of the world to the server.

use std::mem;

use bevy_ecs::prelude::*;
use syncvar::{NetId, NetworkServer, SpawnOptions};

use crate::Server;
use crate::queue::ServerQueue;
use crate::registry::{Registry, ServerParts};
use crate::relations::hierarchy;
use crate::{Net, NetEntities, Replicated, SceneId};

/// Number of queued entities whose memory is kept.
const MAX_KEPT: usize = 1024;

/// Takes over everything that has changed since the last run.
pub(super) fn collect(world: &mut World) {
    renew_misfits(world);
    Server::lend(world, |world, server| {
        let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
        let mut entities = mem::take(&mut *world.resource_mut::<NetEntities>());
        let mut queue = mem::take(&mut *world.resource_mut::<ServerQueue>());
        for (entity, id) in queue.despawned.drain(..) {
            entities.remove(id);
            if world.get_entity(entity).is_ok() {
                // Components may refer to it, and it may become `Replicated` again.
                entities.add_missing(entity);
            }
            // The game may have despawned the object.
            let _ = server.despawn(id);
        }
        reserve(world, server, &mut entities, &mut queue);
        let is_awaited = entities.take_missing(&queue.spawned);
        spawn(world, server, &mut entities, &mut registry, &mut queue);
        let mut parts = ServerParts {
            world,
            server,
            entities: &entities,
            misfits: Vec::new(),
        };
        for (component, entity) in queue.filtered.drain(..) {
            if let Some(known) = registry.find_mut(component) {
                known.settle(&mut parts, entity);
            }
        }
        for known in registry.iter_mut() {
            known.collect(&mut parts);
            if is_awaited {
                known.collect_all(&mut parts);
            }
        }
        let misfits = parts.misfits.iter().filter_map(|id| entities.entity(*id));
        queue.misfits.extend(misfits);
        if is_awaited {
            entities.retain_missing(|entity| world.get_entity(entity).is_ok());
        }
        hierarchy::collect(world, server, &entities, &mut queue.moved);
        *world.resource_mut::<Registry>() = registry;
        *world.resource_mut::<NetEntities>() = entities;
        // The memory of a level's entities serves no later frame.
        queue.spawned.shrink_to(MAX_KEPT);
        queue.moved.shrink_to(MAX_KEPT);
        *world.resource_mut::<ServerQueue>() = queue;
    });
    let server = world.get_resource::<Server>();
    if server.is_some_and(|server| server.local_client().is_some()) {
        let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
        for known in registry.iter_mut() {
            known.report(world);
        }
        *world.resource_mut::<Registry>() = registry;
    }
}

/// Makes new objects of the entities of a bundle that have other components now.
fn renew_misfits(world: &mut World) {
    let misfits = match world.get_resource_mut::<ServerQueue>() {
        Some(mut queue) if !queue.misfits.is_empty() => mem::take(&mut queue.misfits),
        _ => return,
    };
    for entity in misfits {
        if let Ok(mut entity) = world.get_entity_mut(entity)
            && entity.contains::<Replicated>()
        {
            entity.remove::<Replicated>().insert(Replicated);
        }
    }
}

/// Gives new entities their ids, so that entities of one frame can refer to each other.
fn reserve(
    world: &mut World,
    server: &mut NetworkServer,
    entities: &mut NetEntities,
    queue: &mut ServerQueue,
) {
    queue.spawned.retain(|entity| {
        let is_new = world.get::<Replicated>(*entity).is_some();
        let net = world.get_mut::<Net>(*entity);
        let Some(mut net) = net.filter(|net| is_new && net.id == NetId::NONE) else {
            return false;
        };
        match server.reserve_id() {
            Ok(id) => {
                net.id = id;
                entities.insert(id, *entity);
                true
            }
            Err(error) => {
                tracing::error!(%entity, %error, "an entity is not replicated");
                false
            }
        }
    });
}

/// Spawns the objects of new entities.
fn spawn(
    world: &mut World,
    server: &mut NetworkServer,
    entities: &mut NetEntities,
    registry: &mut Registry,
    queue: &mut ServerQueue,
) {
    for entity in queue.spawned.drain(..) {
        let Some(id) = entities.id(entity) else {
            continue;
        };
        let options = SpawnOptions {
            net_id: Some(id),
            scene_id: world.get::<SceneId>(entity).copied().map(SceneId::scene_id),
            ..SpawnOptions::default()
        };
        if let Err(error) = registry.spawn(world, server, entities, entity, options) {
            tracing::error!(%entity, %error, "an entity is not replicated");
            entities.remove(id);
            continue;
        }
        queue.moved.push(entity);
        if let Some(children) = world.get::<Children>(entity) {
            queue.moved.extend(children.iter());
        }
    }
}
