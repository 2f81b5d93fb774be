//! `ServerPlugin`: systems of a server.

use std::mem;
use std::sync::Mutex;
use std::time::Duration;

use bevy_app::{App, Plugin, PreStartup};
use bevy_ecs::prelude::*;
use syncvar::join::Admission;
use syncvar::{Callbacks, FrameTransport, NetId, NetworkServer, ServerConfig};

use super::collect::collect;
use super::session::{ServerInbox, dispatch};
use super::written::give_back;
use crate::connections::{self, Connection, Connections};
#[cfg(feature = "transform")]
use crate::delivery::collect_positions;
use crate::delivery::{Interest, collect_rules};
use crate::events::send_to_clients;
use crate::link::{NoLink, ServerLink};
use crate::queue::ServerQueue;
use crate::registry::Registry;
use crate::ticks::tick_rate;
use crate::time::NetClock;
use crate::{Net, NetEntities, Replicated, Schedules, Server, SyncVarSystems};

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
///
/// The server runs while the app has a [`ServerLink`]: an app that is in turn a server and a client adds
/// [`ServerPlugin::stopped`] and [`ClientPlugin::stopped`](crate::ClientPlugin::stopped), and inserts and removes the links.
pub struct ServerPlugin {
    /// Settings of the server. Its callbacks are events, and observers of [`JoinRequest`](crate::JoinRequest) decide about
    /// clients, in any case.
    pub config: ServerConfig,
    /// Whether the app is a host: a server with a local player.
    pub is_host: bool,
    /// Entities that a client receives.
    pub interest: Interest,
    /// Schedules of the systems.
    pub schedules: Schedules,
    link: Mutex<Option<ServerLink>>,
}

impl ServerPlugin {
    /// Makes a server behind a link. Changes are sent with each frame.
    pub fn new(link: impl FrameTransport<NetworkServer> + 'static) -> Self {
        Self {
            link: Mutex::new(Some(ServerLink::new(link))),
            ..Self::stopped()
        }
    }

    /// Makes a host: a server with a local player.
    pub fn host(link: impl FrameTransport<NetworkServer> + 'static) -> Self {
        Self {
            is_host: true,
            ..Self::new(link)
        }
    }

    /// Makes a host without other players.
    pub fn alone() -> Self {
        Self::host(NoLink)
    }

    /// Makes a server that starts when the game inserts a [`ServerLink`].
    pub fn stopped() -> Self {
        Self {
            config: ServerConfig {
                send_interval: Some(Duration::ZERO),
                ..ServerConfig::default()
            },
            is_host: false,
            interest: Interest::default(),
            schedules: Schedules::default(),
            link: Mutex::new(None),
        }
    }
}

/// Settings for the start of a server.
#[derive(Resource)]
struct ServerSettings {
    config: ServerConfig,
    is_host: bool,
}

impl Plugin for ServerPlugin {
    fn build(&self, app: &mut App) {
        crate::plugin::build(app, self.schedules);
        app.init_resource::<ServerQueue>();
        app.init_resource::<Connections>();
        if let Some(link) = self.link.lock().ok().and_then(|mut link| link.take()) {
            app.insert_resource(link);
        }
        let config = ServerConfig {
            callbacks: Callbacks::Events,
            admission: Admission::Decide,
            ..self.config.clone()
        };
        app.insert_resource(self.interest);
        app.insert_resource(ServerSettings {
            config,
            is_host: self.is_host,
        });
        let Schedules {
            receive: first,
            send: last,
        } = self.schedules;
        let (receiving, collecting) = (SyncVarSystems::Receive, SyncVarSystems::Collect);
        app.add_systems(PreStartup, start_or_stop);
        app.add_systems(first, (start_or_stop, receive).chain().in_set(receiving));
        let behind = (connections::collect_owners, collect_rules).chain();
        let behind = behind.run_if(resource_exists::<Server>);
        app.add_systems(last, (collect, behind).chain().in_set(collecting));
        #[cfg(feature = "transform")]
        app.add_systems(
            last,
            collect_positions
                .run_if(resource_exists::<Server>)
                .after(collect)
                .after(bevy_transform::TransformSystems::Propagate)
                .in_set(collecting),
        );
        app.add_systems(last, send.in_set(SyncVarSystems::Send));
    }
}

/// Starts a server that has a link now, and stops a server that has none.
fn start_or_stop(world: &mut World) {
    match (
        world.contains_resource::<ServerLink>(),
        world.contains_resource::<Server>(),
    ) {
        (true, false) => start(world),
        (false, true) => stop(world),
        _ => {}
    }
}

/// Makes the server of the registered types. Entities of the time before are new.
fn start(world: &mut World) {
    let prefabs = crate::plugin::prefabs(world);
    let settings = world.resource::<ServerSettings>();
    let is_host = settings.is_host;
    let mut config = settings.config.clone();
    if let Some(rate) = tick_rate(world) {
        config.tick_rate = rate;
    }
    let interest = *world.resource::<Interest>();
    let mut server = interest.server(prefabs, config);
    if is_host {
        server.connect_local();
    }
    world.insert_resource(ServerInbox::new(&mut server));
    world.insert_resource(Server::new(server));
    let mut registry = mem::take(&mut *world.resource_mut::<Registry>());
    for known in registry.iter_mut() {
        known.start(world);
    }
    *world.resource_mut::<Registry>() = registry;
    let mut early = world.query_filtered::<Entity, With<Replicated>>();
    let early: Vec<Entity> = early.iter(world).collect();
    world.resource_mut::<ServerQueue>().spawned = early;
}

/// Ends a server: its entities stay, without objects.
fn stop(world: &mut World) {
    world.remove_resource::<Server>();
    world.remove_resource::<ServerInbox>();
    let mut connections = world.query_filtered::<Entity, With<Connection>>();
    for connection in connections.iter(world).collect::<Vec<_>>() {
        world.despawn(connection);
    }
    let mut nets = world.query_filtered::<&mut Net, With<Replicated>>();
    for mut net in nets.iter_mut(world) {
        net.id = NetId::NONE;
    }
    *world.resource_mut::<NetEntities>() = NetEntities::default();
    *world.resource_mut::<ServerQueue>() = ServerQueue::default();
}

fn receive(world: &mut World) {
    let now = NetClock::now(world);
    Server::lend(world, |world, server| {
        if let Some(mut link) = world.get_resource_mut::<ServerLink>() {
            link.receive(server, now);
        }
    });
    give_back(world);
    dispatch(world);
}

fn send(world: &mut World) {
    let now = NetClock::now(world);
    Server::lend(world, |world, server| {
        server.update(now);
        // Behind the state, so that clients have the entities to which the events refer.
        send_to_clients(world, server);
        if let Some(mut link) = world.get_resource_mut::<ServerLink>() {
            link.transmit(server, now);
        }
    });
}
