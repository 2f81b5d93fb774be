//! Fields of owners: what they wrote, and what the game must not write, goes back to the components.

use std::mem;

use bevy_ecs::prelude::*;
use syncvar::ServerEvent;

use crate::Server;
use crate::registry::{Registry, ServerParts};

/// Writes the owners' fields to the components, and reports them.
pub(super) fn give_back(world: &mut World) {
    let Some(mut resource) = world.get_resource_mut::<Server>() else {
        return;
    };
    let written = |event: &ServerEvent| match event {
        ServerEvent::Written { object, fields, .. }
        | ServerEvent::WriteRefused { object, fields } => Some((*object, *fields)),
        _ => None,
    };
    let written: Vec<_> = resource.new_events().filter_map(written).collect();
    if written.is_empty() {
        return;
    }
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    ServerParts::lend(world, |parts| {
        for (object, fields) in written {
            if let Some(known) = registry.find_shadow(fields.behaviour_type()) {
                known.give_back(parts, object, fields.dirty_bits());
            }
        }
    });
    for known in registry.iter_mut() {
        known.store(world);
    }
    for known in registry.iter_mut() {
        known.report(world);
    }
    *world.resource_mut::<Registry>() = registry;
}
