//! `bevy_replicon`, measured where it hands messages to a backend: `ServerMessages`.
//!
//! The first client is a Bevy app. The others are `ConnectedClient`s for the server; since all see
//! the same messages with the same numbers, they acknowledge with copies of what the first one says.

use std::time::Instant;

use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy_replicon::prelude::*;
use bevy_replicon::server::ServerPlugin;
use bevy_replicon::shared::backend::channels::ServerChannel;
use bevy_replicon::shared::server_entity_map::ServerEntityMap;

use crate::peer::{Join, Pair, Peer, Sent};
use crate::plain_unit::PlainUnit;
use crate::support::random::Random;
use crate::support::workload::{Change, Server, Values};

pub(crate) struct Replicon {
    server: App,
    client: App,
    connections: Vec<Entity>,
    objects: Vec<Entity>,
}

/// The size at which replicon splits messages about changes.
const MESSAGE_SIZE: usize = 1200;

fn new_app() -> App {
    let mut app = App::new();
    let replicon = RepliconPlugins
        .build()
        .set(ServerPlugin::new(PostUpdate))
        .set(RepliconSharedPlugin {
            auth_method: AuthMethod::None,
        });
    app.add_plugins((MinimalPlugins, StatesPlugin, replicon));
    app.replicate::<PlainUnit>();
    app.finish();
    app
}

pub(crate) fn running_server() -> App {
    let mut server = new_app();
    let mut state = server.world_mut().resource_mut::<NextState<ServerState>>();
    state.set(ServerState::Running);
    server.update();
    server
}

pub(crate) fn connected_client() -> App {
    let mut client = new_app();
    let mut state = client.world_mut().resource_mut::<NextState<ClientState>>();
    state.set(ClientState::Connected);
    client.update();
    client
}

pub(crate) fn connect(server: &mut App) -> Entity {
    let connection = ConnectedClient {
        max_size: MESSAGE_SIZE,
    };
    server.world_mut().spawn(connection).id()
}

/// Takes all messages from the server; those for `connection` go to `client`, except the lost ones on an
/// unreliable channel. Returns all of them.
fn deliver(
    server: &mut App,
    connection: Entity,
    client: &mut App,
    mut loses: impl FnMut() -> bool,
) -> Sent {
    let mutations = usize::from(ServerChannel::Mutations);
    let mut outbox = server.world_mut().resource_mut::<ServerMessages>();
    let mut inbox = client.world_mut().resource_mut::<ClientMessages>();
    let mut sent = Sent::default();
    for (receiver, channel, message) in outbox.drain_sent() {
        if receiver == connection {
            sent.add(&message);
            if channel != mutations || !loses() {
                inbox.insert_received(channel, message);
            }
        }
    }
    sent
}

impl Server for Replicon {
    fn change(&mut self, object: u32, change: Change) {
        let entity = self.objects[object as usize];
        let mut unit = self.server.world_mut().get_mut::<PlainUnit>(entity);
        unit.as_mut().expect("it was spawned").apply(change);
    }

    fn tick(&mut self) {
        self.server.update();
    }
}

impl Replicon {
    /// Collects the messages that are not lost.
    pub(crate) fn collect_unless(&mut self, loses: impl FnMut() -> bool) -> Sent {
        deliver(
            &mut self.server,
            self.connections[0],
            &mut self.client,
            loses,
        )
    }
}

impl Pair for Replicon {
    fn collect(&mut self) -> Sent {
        self.collect_unless(|| false)
    }

    fn apply(&mut self) {
        self.client.update();
    }

    /// Runs `PreUpdate` too, where the server takes acknowledgements, so that they are no part of
    /// the next tick.
    fn acknowledge(&mut self) {
        let mut outbox = self.client.world_mut().resource_mut::<ClientMessages>();
        let mut inbox = self.server.world_mut().resource_mut::<ServerMessages>();
        for (channel, message) in outbox.drain_sent() {
            for connection in &self.connections {
                inbox.insert_received(*connection, channel, message.clone());
            }
        }
        self.server.world_mut().run_schedule(PreUpdate);
    }
}

impl Peer for Replicon {
    const NAME: &str = "bevy_replicon";

    fn new(objects: u32, clients: usize, random: &mut Random) -> Self {
        let mut server = running_server();
        let connections = (0..clients).map(|_| connect(&mut server)).collect();
        server.update();
        let world = server.world_mut();
        let spawn = |_| {
            let unit = PlainUnit::from(Values::random(random));
            world.spawn((Replicated, unit)).id()
        };
        let mut this = Self {
            objects: (0..objects).map(spawn).collect(),
            server,
            client: connected_client(),
            connections,
        };
        for _ in 0..3 {
            this.tick();
            this.collect();
            this.apply();
            this.acknowledge();
        }
        this
    }

    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        let (server, client) = (self.server.world(), self.client.world());
        let known = client.resource::<ServerEntityMap>().to_client();
        let pair = |entity: &Entity| {
            let original = server.get::<PlainUnit>(*entity).expect("it was spawned");
            let replica = known
                .get(entity)
                .and_then(|&replica| client.get::<PlainUnit>(replica));
            (original.values(), replica.map(PlainUnit::values))
        };
        self.objects.iter().map(pair).collect()
    }

    fn join(&mut self) -> Join {
        let mut join = Join::default();
        self.client = connected_client();
        self.connections.insert(0, connect(&mut self.server));
        let start = Instant::now();
        self.tick();
        join.send = start.elapsed();
        join.sent = self.collect();
        let start = Instant::now();
        self.apply();
        join.apply = start.elapsed();
        join
    }

    fn leave(&mut self) {
        self.server.world_mut().despawn(self.connections.remove(0));
        self.tick();
        let mut outbox = self.server.world_mut().resource_mut::<ServerMessages>();
        outbox.drain_sent().for_each(drop);
    }
}
