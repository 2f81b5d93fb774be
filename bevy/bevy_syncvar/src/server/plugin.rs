//! `ServerPlugin`: systems of a server.

use std::any::TypeId;
use std::mem;
use std::sync::Mutex;
use std::time::Duration;

use bevy_app::{App, Plugin, PreStartup};
use bevy_ecs::lifecycle::{Add, Remove};
use bevy_ecs::observer::Observer;
use bevy_ecs::prelude::*;
use bevy_ecs::query::{QueryFilter, QueryState};
use syncvar::{Callbacks, FrameTransport, NetworkServer, ServerConfig};

use super::collect::collect;
use super::written::give_back;
use super::{Server, ServerQueue};
use crate::link::ServerLink;
use crate::registry::Registry;
use crate::time::NetClock;
use crate::{Net, Replicated, Schedules, SyncVarSystems};

/// Makes an app a server: its [`Replicated`] entities are sent to the clients of a link.
///
/// ```
/// # use bevy_app::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// let (listener, _link) = MemoryLink::pair();
/// let mut app = App::new();
/// app.add_plugins(ServerPlugin::new(listener));
/// ```
pub struct ServerPlugin {
    /// Settings of the server. Its callbacks are events in any case.
    pub config: ServerConfig,
    /// Schedules of the systems.
    pub schedules: Schedules,
    link: Mutex<Option<ServerLink>>,
}

impl ServerPlugin {
    /// Makes a server behind a link. Changes are sent with each frame.
    pub fn new(link: impl FrameTransport<NetworkServer> + 'static) -> Self {
        Self {
            config: ServerConfig {
                send_interval: Some(Duration::ZERO),
                ..ServerConfig::default()
            },
            schedules: Schedules::default(),
            link: Mutex::new(Some(ServerLink::new(link))),
        }
    }
}

impl Plugin for ServerPlugin {
    fn build(&self, app: &mut App) {
        self.schedules.build(app);
        app.init_resource::<ServerQueue>();
        if let Some(link) = self.link.lock().ok().and_then(|mut link| link.take()) {
            app.insert_resource(link);
        }
        let config = ServerConfig {
            callbacks: Callbacks::Events,
            ..self.config.clone()
        };
        app.add_systems(PreStartup, move |world: &mut World| {
            start(world, config.clone());
        });
        app.add_systems(
            self.schedules.receive,
            receive.in_set(SyncVarSystems::Receive),
        );
        app.add_systems(self.schedules.send, collect.in_set(SyncVarSystems::Collect));
        app.add_systems(self.schedules.send, send.in_set(SyncVarSystems::Send));
    }
}

/// Makes the server of the registered types. Entities of the time before are new.
fn start(world: &mut World, config: ServerConfig) {
    let prefabs = world.resource_mut::<Registry>().prefabs();
    world.insert_resource(Server::new(NetworkServer::with_config(prefabs, config)));
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    for known in registry.iter_mut() {
        known.start(world);
    }
    *world.resource_mut::<Registry>() = registry;
    let mut early = world.query_filtered::<Entity, With<Replicated>>();
    let early: Vec<Entity> = early.iter(world).collect();
    world.resource_mut::<ServerQueue>().spawned = early;
}

fn receive(world: &mut World) {
    let now = NetClock::now(world);
    Server::lend(world, |world, server| {
        if let Some(mut link) = world.get_resource_mut::<ServerLink>() {
            link.receive(server, now);
        }
    });
    give_back(world);
}

fn send(world: &mut World) {
    let now = NetClock::now(world);
    Server::lend(world, |world, server| {
        server.update(now);
        if let Some(mut link) = world.get_resource_mut::<ServerLink>() {
            link.transmit(server, now);
        }
    });
}

/// Queues the entities that lose a component, or match its filter in a different way.
pub(crate) fn observe<C: Component, F: QueryFilter + 'static>(app: &mut App) {
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
    let filter = QueryState::<(), F>::new(world);
    let access = filter.component_access();
    let filters: Vec<_> = access
        .with_filters()
        .chain(access.without_filters())
        .collect();
    let removed = filters.iter().copied().chain([own]);
    world.spawn(Observer::new(on_remove).with_components(removed));
    if !filters.is_empty() {
        world.spawn(Observer::new(on_add).with_components(filters));
    }
}
