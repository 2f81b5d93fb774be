//! `Collect` of a client: fields that it writes as an owner.

use std::mem;

use bevy_ecs::prelude::*;

use super::Client;
use crate::NetEntities;
use crate::registry::Registry;

/// Takes over the owner's fields of changed components.
pub(super) fn collect(world: &mut World) {
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    Client::lend(world, |world, client| {
        let entities = mem::take(&mut *world.resource_mut::<NetEntities>());
        for known in registry.iter_mut() {
            known.collect_owned(world, client, &entities);
        }
        *world.resource_mut::<NetEntities>() = entities;
    });
    *world.resource_mut::<Registry>() = registry;
}
