//! Fields of owners: what they wrote, and what the game must not write, goes back to the components.

use std::mem;

use bevy_ecs::prelude::*;
use syncvar::ServerEvent;

use super::Server;
use crate::NetEntities;
use crate::registry::Registry;

/// Writes the owners' fields to the components, and reports them.
pub(super) fn give_back(world: &mut World) {
    let Some(mut resource) = world.get_resource_mut::<Server>() else {
        return;
    };
    let resource = &mut *resource;
    let Some(server) = resource.server.as_deref() else {
        return;
    };
    let written = |event: &ServerEvent| match event {
        ServerEvent::Written {
            object,
            behaviour,
            fields,
            ..
        } => Some((*object, Some(*behaviour), *fields)),
        ServerEvent::WriteRefused { object, fields } => Some((*object, None, *fields)),
        _ => None,
    };
    let written: Vec<_> = server
        .read_events(&mut resource.reader)
        .filter_map(written)
        .collect();
    if written.is_empty() {
        return;
    }
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    Server::lend(world, |world, server| {
        let entities = mem::take(&mut *world.resource_mut::<NetEntities>());
        for (object, index, fields) in written {
            let index = index.or_else(|| registry.position(fields.behaviour()));
            let known = index.and_then(|index| registry.get_mut(index));
            if let (Some(known), Some(entity)) = (known, entities.entity(object)) {
                known.give_back(world, server, entity, fields.dirty_bits(), &entities);
            }
        }
        *world.resource_mut::<NetEntities>() = entities;
    });
    for known in registry.iter_mut() {
        known.report(world);
    }
    *world.resource_mut::<Registry>() = registry;
}
