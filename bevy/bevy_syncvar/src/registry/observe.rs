//! Observers of components and filters.

use std::any::TypeId;

use bevy_app::App;
use bevy_ecs::component::ComponentId;
use bevy_ecs::lifecycle::{Add, Remove};
use bevy_ecs::observer::Observer;
use bevy_ecs::prelude::*;
use bevy_ecs::query::{QueryFilter, QueryState};

use crate::Net;
use crate::queue::ServerQueue;

/// Returns the components of a filter.
pub(crate) fn components_of<F: QueryFilter>(world: &mut World) -> Vec<ComponentId> {
    let filter = QueryState::<(), F>::new(world);
    let access = filter.component_access();
    let filters = access.with_filters().chain(access.without_filters());
    filters.collect()
}

/// Queues the entities that lose a component, or match its filter in a different way.
pub(super) fn observe<C: Component, F: QueryFilter + 'static>(app: &mut App) {
    let queue = |entity: Entity, nets: Query<(), With<Net>>, queue: Option<ResMut<ServerQueue>>| {
        if let Some(mut queue) = queue
            && nets.contains(entity)
        {
            queue.filtered.push((TypeId::of::<C>(), entity));
        }
    };
    let on_remove = move |removed: On<Remove<()>>,
                          nets: Query<(), With<Net>>,
                          found: Option<ResMut<ServerQueue>>| {
        queue(removed.entity, nets, found);
    };
    let on_add = move |added: On<Add<()>>,
                       nets: Query<(), With<Net>>,
                       found: Option<ResMut<ServerQueue>>| {
        queue(added.entity, nets, found);
    };
    let world = app.world_mut();
    let own = world.register_component::<C>();
    let filters = components_of::<F>(world);
    let removed = filters.iter().copied().chain([own]);
    world.spawn(Observer::new(on_remove).with_components(removed));
    if !filters.is_empty() {
        world.spawn(Observer::new(on_add).with_components(filters));
    }
}
