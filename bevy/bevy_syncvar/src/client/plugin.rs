//! `ClientPlugin`: systems of a client.

use std::sync::Mutex;

use bevy_app::{App, Plugin, PreStartup};
use bevy_ecs::prelude::*;
use syncvar::{Callbacks, ClientConfig, FrameTransport, NetworkClient};

use super::Client;
use super::apply::apply;
use super::collect::collect;
use crate::link::ClientLink;
use crate::registry::Registry;
use crate::relations::scene;
use crate::time::NetClock;
use crate::{Schedules, SyncVarSystems};

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
pub struct ClientPlugin {
    /// Settings of the client. Its callbacks are events in any case.
    pub config: ClientConfig,
    /// Schedules of the systems.
    pub schedules: Schedules,
    link: Mutex<Option<ClientLink>>,
}

impl ClientPlugin {
    /// Makes a client behind a link.
    pub fn new(link: impl FrameTransport<NetworkClient> + 'static) -> Self {
        Self {
            config: ClientConfig::default(),
            schedules: Schedules::default(),
            link: Mutex::new(Some(ClientLink::new(link))),
        }
    }
}

impl Plugin for ClientPlugin {
    fn build(&self, app: &mut App) {
        self.schedules.build(app);
        if let Some(link) = self.link.lock().ok().and_then(|mut link| link.take()) {
            app.insert_resource(link);
        }
        let config = ClientConfig {
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
        app.add_systems(self.schedules.receive, apply.in_set(SyncVarSystems::Apply));
        app.add_systems(self.schedules.send, collect.in_set(SyncVarSystems::Collect));
        app.add_systems(self.schedules.send, send.in_set(SyncVarSystems::Send));
    }
}

/// Makes the client of the registered types.
fn start(world: &mut World, config: ClientConfig) {
    let prefabs = world.resource_mut::<Registry>().prefabs();
    world.insert_resource(Client::new(NetworkClient::with_config(prefabs, config)));
    scene::start(world);
}

fn receive(world: &mut World) {
    let now = NetClock::now(world);
    Client::lend(world, |world, client| {
        if let Some(mut link) = world.get_resource_mut::<ClientLink>() {
            link.receive(client, now);
        }
    });
}

fn send(world: &mut World) {
    let now = NetClock::now(world);
    Client::lend(world, |world, client| {
        client.update(now);
        if let Some(mut link) = world.get_resource_mut::<ClientLink>() {
            link.transmit(client, now);
        }
    });
}
