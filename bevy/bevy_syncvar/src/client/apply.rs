//! `Apply`: received changes to the world.

use std::mem;

use bevy_ecs::prelude::*;
use syncvar::{ClientEvent, NetId, NetworkIdentity};

use crate::Client;
use crate::markers::Released;
use crate::prediction::spawns;
use crate::registry::{ClientParts, Registry};
use crate::relations::scene::{SceneEntities, SceneId};
use crate::relations::{hierarchy, scene};
use crate::state::ClientSession;
use crate::time::NetClock;
use crate::{Net, NetEntities, Predicted, Remote};

/// Gives everything that has arrived to the world.
pub(super) fn apply(world: &mut World) {
    scene::declare(world);
    let Some(events) = new_events(world) else {
        return;
    };
    for event in &events {
        match event {
            ClientEvent::Spawned { object } => spawn(world, *object),
            ClientEvent::Despawned { object, hidden } => {
                despawn(world, *object, *hidden);
                if !hidden {
                    world.resource::<NetEntities>().forget(*object);
                }
            }
            // The connection has replaced the objects of the connection before.
            ClientEvent::Connected => sweep(world),
            _ => {}
        }
    }
    let mut holders = Vec::new();
    for event in &events {
        match event {
            ClientEvent::Spawned { object } => {
                let family = hierarchy::family(world.resource::<Client>(), *object);
                for (child, parent) in family {
                    hierarchy::apply(world, child, parent);
                }
                holders.extend(world.resource::<NetEntities>().holders(*object));
            }
            ClientEvent::ParentChanged { object, parent } => {
                hierarchy::apply(world, *object, *parent);
            }
            _ => {}
        }
    }
    if let Some(mut session) = world.get_resource_mut::<ClientSession>() {
        session.events.extend(events);
    }
    holders.extend(release(world));
    holders.sort_unstable();
    holders.dedup();
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    ClientParts::lend(world, |parts| {
        for known in registry.iter_mut() {
            for holder in &holders {
                known.refresh(parts, *holder);
            }
            known.drain(parts);
        }
        parts.entities.set_holder(NetId::NONE);
        parts.entities.retain_missing(|_| false);
    });
    for known in registry.iter_mut() {
        known.store(world);
    }
    for known in registry.iter_mut() {
        known.report(world);
    }
    *world.resource_mut::<Registry>() = registry;
}

/// Ends the predictions of entities that have lost their marker. Returns their objects.
fn release(world: &mut World) -> Vec<NetId> {
    let released = mem::take(&mut world.resource_mut::<Released>().0);
    for id in &released {
        let entity = world.resource::<NetEntities>().entity(*id);
        let is_ahead = entity.is_some_and(|entity| world.get::<Predicted>(entity).is_some());
        if !is_ahead && let Some(mut client) = world.get_resource_mut::<Client>() {
            client.end_prediction(*id);
        }
    }
    released
}

/// Writes the view of the frame to the components.
pub(super) fn show(world: &mut World) {
    let now = NetClock::now(world);
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    ClientParts::lend(world, |parts| {
        for known in registry.iter_mut() {
            known.show(parts, now);
        }
    });
    *world.resource_mut::<Registry>() = registry;
}

/// Returns the events since the last call, without the changes of fields, which are most of them; `None` without a client.
fn new_events(world: &mut World) -> Option<Vec<ClientEvent>> {
    let mut resource = world.get_resource_mut::<Client>()?;
    let is_other = |event: &&ClientEvent| !matches!(event, ClientEvent::Changed { .. });
    Some(resource.new_events().filter(is_other).cloned().collect())
}

fn spawn(world: &mut World, id: NetId) {
    if world.resource::<NetEntities>().entity(id).is_some() {
        return;
    }
    let client = world.resource::<Client>();
    let scene_id = client.identity(id).and_then(NetworkIdentity::scene_id);
    let scene = world.get_resource::<SceneEntities>();
    let own = scene_id.and_then(|scene_id| scene?.entity(scene_id));
    let own = own.or_else(|| spawns::entity_of(world, id));
    let entity = match own.and_then(|entity| world.get_entity_mut(entity).ok()) {
        Some(mut entity) => entity.insert((Net { id }, Remote)).id(),
        None => world.spawn((Net { id }, Remote)).id(),
    };
    world.resource_mut::<NetEntities>().insert(id, entity);
}

fn despawn(world: &mut World, id: NetId, hidden: bool) {
    let Some(entity) = world.resource_mut::<NetEntities>().remove(id) else {
        return;
    };
    hierarchy::release(world, entity);
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    for known in registry.iter_mut() {
        known.release(world, entity);
    }
    *world.resource_mut::<Registry>() = registry;
    // The game may have despawned it.
    if let Ok(mut entity) = world.get_entity_mut(entity) {
        if hidden && entity.contains::<SceneId>() {
            entity.remove::<(Net, Remote)>();
        } else {
            entity.despawn();
        }
    }
}

/// Despawns the entities of objects that exist no longer.
fn sweep(world: &mut World) {
    let client = world.resource::<Client>();
    let entities = world.resource::<NetEntities>().iter();
    let gone: Vec<NetId> = entities
        .filter(|(id, _)| client.identity(*id).is_none())
        .map(|(id, _)| id)
        .collect();
    for id in gone {
        despawn(world, id, true);
    }
}
