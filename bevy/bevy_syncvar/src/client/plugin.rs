//! `ClientPlugin`: systems of a client.

use std::io;
use std::sync::Mutex;

use bevy_app::{App, Plugin, PreStartup, RunFixedMainLoop, RunFixedMainLoopSystems};
use bevy_ecs::prelude::*;
use syncvar::join::Payload;
use syncvar::{Callbacks, ClientConfig, FrameTransport, NetworkClient};

use super::apply::{apply, show};
use super::collect::collect;
use super::session::dispatch;
use crate::Client;
use crate::events::send_to_server;
use crate::link::ClientLink;
use crate::relations::scene;
use crate::state::ClientSession;
use crate::ticks::{has_ticks, tick_rate};
use crate::time::NetClock;
use crate::{JoinState, Net, NetEntities, Remote, SceneId, Schedules, SyncVarSystems};

/// Makes an app a client: it has the entities of the server behind a link.
///
/// ```
/// # use bevy_app::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// let (_listener, link) = MemoryLink::pair();
/// let mut app = App::new();
/// app.add_plugins(ClientPlugin::new(link));
/// ```
///
/// The client exists while the app has a [`ClientLink`]. Without it, the entities of the server are despawned.
pub struct ClientPlugin {
    /// Settings of the client. Its callbacks are events in any case.
    pub config: ClientConfig,
    /// Payload of the request to join: a name, a token.
    pub payload: Payload,
    /// Schedules of the systems.
    pub schedules: Schedules,
    link: Mutex<Option<ClientLink>>,
}

impl ClientPlugin {
    /// Makes a client behind a link.
    pub fn new(link: impl FrameTransport<NetworkClient> + 'static) -> Self {
        Self {
            link: Mutex::new(Some(ClientLink::new(link))),
            ..Self::stopped()
        }
    }

    /// Makes a client behind a transport that needs the settings of its client: [`ClientLink::open`].
    pub fn open<T: FrameTransport<NetworkClient> + 'static>(
        open: impl FnOnce(&NetworkClient) -> io::Result<T> + Send + 'static,
    ) -> Self {
        Self {
            link: Mutex::new(Some(ClientLink::open(open))),
            ..Self::stopped()
        }
    }

    /// Makes a client that connects when the game inserts a [`ClientLink`].
    pub fn stopped() -> Self {
        Self {
            config: ClientConfig::default(),
            payload: Payload::default(),
            schedules: Schedules::default(),
            link: Mutex::new(None),
        }
    }
}

/// Settings for the start of a client.
#[derive(Resource)]
struct ClientSettings {
    config: ClientConfig,
    payload: Payload,
}

impl Plugin for ClientPlugin {
    fn build(&self, app: &mut App) {
        crate::plugin::build(app, self.schedules);
        if let Some(link) = self.link.lock().ok().and_then(|mut link| link.take()) {
            app.insert_resource(link);
        }
        let config = ClientConfig {
            callbacks: Callbacks::Events,
            ..self.config.clone()
        };
        app.insert_resource(ClientSettings {
            config,
            payload: self.payload.clone(),
        });
        let Schedules {
            receive: first,
            send: last,
        } = self.schedules;
        let (receiving, applying) = (SyncVarSystems::Receive, SyncVarSystems::Apply);
        app.add_systems(PreStartup, start_or_stop);
        app.add_systems(first, (start_or_stop, receive).chain().in_set(receiving));
        app.add_systems(first, (apply, dispatch).chain().in_set(applying));
        let show_views = SyncVarSystems::Show;
        app.configure_sets(
            RunFixedMainLoop,
            show_views
                .after(RunFixedMainLoopSystems::FixedMainLoop)
                .after(SyncVarSystems::Ticks)
                .before(RunFixedMainLoopSystems::AfterFixedMainLoop),
        );
        app.add_systems(RunFixedMainLoop, show.in_set(show_views));
        app.add_systems(last, collect.in_set(SyncVarSystems::Collect));
        app.add_systems(last, send.in_set(SyncVarSystems::Send));
    }
}

/// Starts a client that has a link now, and ends a client that has none.
fn start_or_stop(world: &mut World) {
    match (
        world.contains_resource::<ClientLink>(),
        world.contains_resource::<Client>(),
    ) {
        (true, false) => start(world),
        (false, true) => stop(world),
        _ => {}
    }
}

/// Makes the client of the registered types.
fn start(world: &mut World) {
    let prefabs = crate::plugin::prefabs(world);
    let settings = world.resource::<ClientSettings>();
    let mut config = settings.config.clone();
    if let Some(rate) = tick_rate(world) {
        config.tick_rate = rate;
    }
    let mut client = NetworkClient::with_config(prefabs, config);
    client.set_join_payload(settings.payload.clone());
    world.insert_resource(ClientSession::new());
    world.insert_resource(Client::new(client));
    scene::start(world);
}

/// Ends a client, with its entities.
fn stop(world: &mut World) {
    world.remove_resource::<Client>();
    world.remove_resource::<ClientSession>();
    *world.resource_mut::<NetEntities>() = NetEntities::default();
    let mut remote = world.query_filtered::<Entity, With<Remote>>();
    for entity in remote.iter(world).collect::<Vec<_>>() {
        // A parent takes its children along.
        if let Ok(mut entity) = world.get_entity_mut(entity) {
            if entity.contains::<SceneId>() {
                entity.remove::<(Net, Remote)>();
            } else {
                entity.despawn();
            }
        }
    }
}

fn receive(world: &mut World) {
    let now = NetClock::now(world);
    Client::lend(world, |world, client| {
        if let Some(mut link) = world.get_resource_mut::<ClientLink>() {
            link.receive(client, now);
            if link.is_over()
                && let Some(mut session) = world.get_resource_mut::<ClientSession>()
            {
                session.state = JoinState::Left;
            }
        }
    });
}

fn send(world: &mut World) {
    let now = NetClock::now(world);
    // A second update in a frame would drop the inputs of its ticks.
    let is_updated = has_ticks(world);
    Client::lend(world, |world, client| {
        if !is_updated {
            client.update(now);
        }
        send_to_server(world, client);
        if let Some(mut link) = world.get_resource_mut::<ClientLink>() {
            link.transmit(client, now);
        }
    });
}
