//! Entities of both ends, matched by an id: doors of a level file, for instance.

use std::mem;

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_platform::collections::HashMap;
use syncvar::NetworkSceneId;

use crate::Client;
use crate::registry::Registry;

/// Id of an entity that both ends have on their own, such as a part of a level. It is any number but 0, the same on both
/// ends.
///
/// The server's entity is [`Replicated`](crate::Replicated) with the id from the start. The client's entity becomes
/// [`Remote`](crate::Remote) and receives the server's components when it is visible; hidden, it stays without `Remote`.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # let (mut server, mut client) = (World::new(), World::new());
/// server.spawn((Replicated, SceneId(7)));
/// client.spawn(SceneId(7));
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[component(immutable, on_insert, on_discard, clone_behavior = Ignore)]
pub struct SceneId(pub u32);

/// Entities with a [`SceneId`] of a client.
#[derive(Resource, Debug, Default)]
pub(crate) struct SceneEntities {
    by_id: HashMap<NetworkSceneId, Entity>,
    new: Vec<NetworkSceneId>,
    gone: Vec<NetworkSceneId>,
}

impl SceneId {
    pub(crate) fn scene_id(self) -> NetworkSceneId {
        NetworkSceneId(self.0)
    }

    fn on_insert(mut world: DeferredWorld<'_>, context: HookContext) {
        let id = world
            .get::<Self>(context.entity)
            .copied()
            .map(Self::scene_id);
        if let (Some(mut scene), Some(id)) = (world.get_resource_mut::<SceneEntities>(), id) {
            scene.by_id.insert(id, context.entity);
            scene.new.push(id);
        }
    }

    fn on_discard(mut world: DeferredWorld<'_>, context: HookContext) {
        let id = world
            .get::<Self>(context.entity)
            .copied()
            .map(Self::scene_id);
        if let (Some(mut scene), Some(id)) = (world.get_resource_mut::<SceneEntities>(), id) {
            scene.by_id.remove(&id);
            scene.gone.push(id);
        }
    }
}

impl SceneEntities {
    /// Returns the entity of this client with an id.
    pub(crate) fn entity(&self, id: NetworkSceneId) -> Option<Entity> {
        self.by_id.get(&id).copied()
    }
}

/// Client: tells the client of new and of former entities.
pub(crate) fn declare(world: &mut World) {
    let Some(mut scene) = world.get_resource_mut::<SceneEntities>() else {
        return;
    };
    if scene.new.is_empty() && scene.gone.is_empty() {
        return;
    }
    let (new, gone) = (mem::take(&mut scene.new), mem::take(&mut scene.gone));
    let absent = world.resource::<Registry>().absent();
    Client::lend(world, |_, client| {
        for id in gone {
            client.remove_scene_object(id);
        }
        for id in new {
            if let Err(error) = client.add_scene_object(id, absent.list()) {
                tracing::error!(scene_id = id.0, %error, "an entity has no object");
            }
        }
    });
}

/// Client: queues the entities that were there before the client.
pub(crate) fn start(world: &mut World) {
    let mut early = world.query::<(Entity, &SceneId)>();
    let early: Vec<_> = early
        .iter(world)
        .map(|(entity, id)| (id.scene_id(), entity))
        .collect();
    world.insert_resource(SceneEntities {
        new: early.iter().map(|(id, _)| *id).collect(),
        by_id: early.into_iter().collect(),
        gone: Vec::new(),
    });
}
