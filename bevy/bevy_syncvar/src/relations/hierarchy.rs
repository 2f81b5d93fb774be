//! Parents: `ChildOf` on both ends.

use bevy_app::App;
use bevy_ecs::lifecycle::{Add, Insert, Remove};
use bevy_ecs::observer::Observer;
use bevy_ecs::prelude::*;
use bevy_ecs::query::{QueryFilter, QueryState};
use syncvar::{NetId, NetworkClient, NetworkIdentity, NetworkServer};

use crate::queue::ServerQueue;
use crate::registry::components_of;
use crate::{Net, NetEntities};

/// Marker of an app with the observers below.
#[derive(Resource, Default)]
pub(crate) struct IsObserved;

pub(crate) fn on_insert(inserted: On<Insert<ChildOf>>, queue: Option<ResMut<ServerQueue>>) {
    if let Some(mut queue) = queue {
        queue.moved.push(inserted.entity);
    }
}

pub(crate) fn on_remove(removed: On<Remove<ChildOf>>, queue: Option<ResMut<ServerQueue>>) {
    if let Some(mut queue) = queue {
        queue.moved.push(removed.entity);
    }
}

/// Server: the entities that send their parents. All entities do without it.
#[derive(Resource)]
pub(crate) struct SentParents(Box<SendsParent>);

type SendsParent = dyn FnMut(&World, Entity) -> bool + Send + Sync;

/// Sends the parents of the entities that match a filter only.
pub(crate) fn set_filter<F: QueryFilter + Send + Sync + 'static>(app: &mut App) {
    let world = app.world_mut();
    let components = components_of::<F>(world);
    let mut filter = QueryState::<(), F>::new(world);
    let sends = move |world: &World, entity| filter.query(world).contains(entity);
    world.insert_resource(SentParents(Box::new(sends)));
    let on_add = |added: On<Add<()>>, queue: Option<ResMut<ServerQueue>>| {
        if let Some(mut queue) = queue {
            queue.moved.push(added.entity);
        }
    };
    let on_remove = |removed: On<Remove<()>>, queue: Option<ResMut<ServerQueue>>| {
        if let Some(mut queue) = queue {
            queue.moved.push(removed.entity);
        }
    };
    if !components.is_empty() {
        world.spawn(Observer::new(on_add).with_components(components.iter().copied()));
        world.spawn(Observer::new(on_remove).with_components(components));
    }
}

/// Server: sets the parents of moved entities. A new object has moved, too, and so have its children.
pub(crate) fn collect(
    world: &mut World,
    server: &mut NetworkServer,
    entities: &NetEntities,
    moved: &mut Vec<Entity>,
) {
    let mut filter = world.remove_resource::<SentParents>();
    // A parent may hang below its child until the move of the parent has been taken over.
    let mut left = usize::MAX;
    while moved.len() < left {
        left = moved.len();
        moved.retain(|entity| {
            let id = world.get::<Net>(*entity).map_or(NetId::NONE, Net::id);
            if id == NetId::NONE {
                return false;
            }
            let sends = filter
                .as_mut()
                .is_none_or(|filter| filter.0(world, *entity));
            let parent = world.get::<ChildOf>(*entity).filter(|_| sends);
            let parent = parent.and_then(|parent| entities.id(parent.parent()));
            let present = server.identity(id).and_then(NetworkIdentity::parent);
            present != parent && server.set_parent(id, parent).is_err()
        });
    }
    for entity in moved.drain(..) {
        tracing::warn!(%entity, "an entity with its parent below it keeps its former parent on clients");
    }
    if let Some(filter) = filter {
        world.insert_resource(filter);
    }
}

/// Client: gives an entity the parent of its object, if that has an entity.
pub(crate) fn apply(world: &mut World, id: NetId, parent: Option<NetId>) {
    let entities = world.resource::<NetEntities>();
    let Some(entity) = entities.entity(id) else {
        return;
    };
    let parent = parent.and_then(|parent| entities.entity(parent));
    let present = world.get::<ChildOf>(entity).map(ChildOf::parent);
    match parent {
        Some(parent) if present != Some(parent) => {
            world.entity_mut(entity).insert(ChildOf(parent));
        }
        None if present.is_some() => {
            world.entity_mut(entity).remove::<ChildOf>();
        }
        _ => {}
    }
}

/// Client: takes the children that have objects of their own from an entity that is despawned.
pub(crate) fn release(world: &mut World, entity: Entity) {
    let Some(children) = world.get::<Children>(entity) else {
        return;
    };
    let entities = world.resource::<NetEntities>();
    let own: Vec<Entity> = children
        .iter()
        .filter(|child| entities.id(*child).is_some())
        .collect();
    for child in own {
        world.entity_mut(child).remove::<ChildOf>();
    }
}

/// Returns the parent of an object and its children, as the client knows them.
pub(crate) fn family(client: &NetworkClient, id: NetId) -> Vec<(NetId, Option<NetId>)> {
    let parent = client.identity(id).and_then(NetworkIdentity::parent);
    let own = parent.map(|parent| (id, Some(parent)));
    let children = client.children(id).map(|child| (child, Some(id)));
    own.into_iter().chain(children).collect()
}
