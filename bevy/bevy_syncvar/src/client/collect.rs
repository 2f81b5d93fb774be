//! `Collect` of a client: fields that it writes as an owner.

use std::mem;

use bevy_ecs::prelude::*;

use crate::Client;
use crate::NetEntities;
use crate::registry::{ClientParts, Registry};

/// Takes over the owner's fields of changed components.
pub(super) fn collect(world: &mut World) {
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    Client::lend(world, |world, client| {
        let entities = mem::take(&mut *world.resource_mut::<NetEntities>());
        let mut parts = ClientParts {
            world,
            client,
            entities: &entities,
        };
        for known in registry.iter_mut() {
            known.collect_owned(&mut parts);
        }
        *world.resource_mut::<NetEntities>() = entities;
    });
    *world.resource_mut::<Registry>() = registry;
}
