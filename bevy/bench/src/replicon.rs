//! `bevy_replicon`, measured where it hands messages to a backend: `ServerMessages`.
//!
//! The first client is an app. Further connections acknowledge with copies of its messages, because every client receives the
//! same bytes.

use bevy_app::{App, PluginGroup, PostUpdate, PreUpdate};
use bevy_ecs::prelude::*;
use bevy_replicon::prelude::*;
use bevy_replicon::server::ServerPlugin;
use bevy_state::app::StatesPlugin;
use bevy_state::prelude::NextState;
use bevy_time::TimePlugin;
use serde::{Deserialize, Serialize};

use crate::unit::Unit;
use crate::{CHANGED, Fields, World};

/// The unit as replicon's component.
#[derive(Component, Serialize, Deserialize)]
struct SentUnit(Unit);

/// A server, and a client that acknowledges.
pub(crate) struct RepliconServer {
    app: App,
    client: App,
    connections: Vec<Entity>,
    entities: Vec<Entity>,
}

/// A client, with its server.
pub(crate) struct RepliconClient(RepliconServer);

fn app() -> App {
    let mut app = App::new();
    let plugins = RepliconPlugins.build();
    let plugins = plugins
        .set(ServerPlugin::new(PostUpdate))
        .set(RepliconSharedPlugin {
            auth_method: AuthMethod::None,
        });
    app.add_plugins((TimePlugin, StatesPlugin, plugins));
    app.replicate::<SentUnit>();
    app.finish();
    app
}

impl RepliconServer {
    pub(crate) fn new(objects: usize, clients: usize) -> Self {
        let (mut server, mut client) = (app(), app());
        let mut state = server.world_mut().resource_mut::<NextState<ServerState>>();
        state.set(ServerState::Running);
        let mut state = client.world_mut().resource_mut::<NextState<ClientState>>();
        state.set(ClientState::Connected);
        server.update();
        client.update();
        let world = server.world_mut();
        let connect = |_| world.spawn(ConnectedClient { max_size: 1200 }).id();
        let connections = (0..clients).map(connect).collect();
        server.update();
        let world = server.world_mut();
        let spawn = |_| world.spawn((Replicated, SentUnit(Unit::new()))).id();
        let mut made = Self {
            entities: (0..objects).map(spawn).collect(),
            app: server,
            client,
            connections,
        };
        for tick in 0..3 {
            made.frame(tick, Fields::None);
            made.finish();
        }
        made
    }

    fn write(&mut self, tick: u32, fields: Fields) {
        if fields == Fields::None {
            return;
        }
        let world = self.app.world_mut();
        let first = tick as usize % CHANGED;
        for entity in self.entities.iter().skip(first).step_by(CHANGED) {
            if let Some(mut unit) = world.get_mut::<SentUnit>(*entity) {
                unit.0.write(tick, fields);
            }
        }
    }

    /// Gives the messages of the server to the client.
    fn deliver(&mut self) {
        let mut sent = self.app.world_mut().resource_mut::<ServerMessages>();
        let mut received = self.client.world_mut().resource_mut::<ClientMessages>();
        for (receiver, channel, message) in sent.drain_sent() {
            if self.connections.first() == Some(&receiver) {
                received.insert_received(channel, message);
            }
        }
    }

    /// Gives the messages of the client to the server, in the name of every client.
    fn answer(&mut self) {
        let mut sent = self.client.world_mut().resource_mut::<ClientMessages>();
        let mut received = self.app.world_mut().resource_mut::<ServerMessages>();
        for (channel, message) in sent.drain_sent() {
            for connection in &self.connections {
                received.insert_received(*connection, channel, message.clone());
            }
        }
    }
}

impl World for RepliconServer {
    fn frame(&mut self, tick: u32, fields: Fields) {
        self.write(tick, fields);
        self.app.update();
    }

    fn finish(&mut self) {
        self.deliver();
        self.client.update();
        self.answer();
        // The server takes the acknowledgements here, outside of the next frame.
        self.app.world_mut().run_schedule(PreUpdate);
    }
}

impl RepliconClient {
    pub(crate) fn new(objects: usize) -> Self {
        Self(RepliconServer::new(objects, 1))
    }
}

impl World for RepliconClient {
    fn prepare(&mut self, tick: u32, fields: Fields) {
        self.0.write(tick, fields);
        self.0.app.update();
    }

    fn frame(&mut self, _: u32, _: Fields) {
        self.0.deliver();
        self.0.client.update();
    }

    fn finish(&mut self) {
        self.0.answer();
    }
}
