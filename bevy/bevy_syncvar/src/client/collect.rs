//! `Collect` of a client: fields that it writes as an owner.

use std::mem;

use bevy_ecs::prelude::*;

use crate::registry::{ClientParts, Registry};

/// Takes over the owner's fields of changed components.
pub(super) fn collect(world: &mut World) {
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    ClientParts::lend(world, |parts| {
        for known in registry.iter_mut() {
            known.collect_owned(parts);
        }
    });
    *world.resource_mut::<Registry>() = registry;
}
