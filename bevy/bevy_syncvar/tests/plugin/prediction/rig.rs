//! A server and clients whose players run, over a link with conditions.

use std::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::MemoryConnector;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::NetworkServer;
use bevy_syncvar::syncvar::testing::Conditions;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};

/// Frames of 60 per second, as the ticks.
pub(crate) const FRAME: Duration = Duration::from_nanos(16_666_667);

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct Move {
    pub(crate) x: f32,
}

/// A runner with inertia: its speed does not travel.
#[derive(Component, Replicate, Clone, Debug, Default, PartialEq)]
#[network_behaviour(channel = unreliable)]
#[require(Speed)]
pub(crate) struct Body {
    #[sync_var(interpolate = linear, snap = 20.0, history = 0.5)]
    pub(crate) x: f32,
    pub(crate) pushes: u32,
}

#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Speed(pub(crate) f32);

/// Ticks that have run, with their repetitions.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Runs {
    pub(crate) new: Vec<u64>,
    pub(crate) replays: Vec<u64>,
}

/// A counter that goes back with the predictions.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Counted(pub(crate) u64);

/// The system of both ends.
fn run(mut bodies: Query<(&mut Body, &mut Speed, &TickInput<Move>)>, time: Res<Time>) {
    for (mut body, mut speed, input) in &mut bodies {
        speed.0 += 0.2 * (5.0 * input.x - speed.0);
        let step = speed.0 * time.delta_secs();
        if step != 0.0 {
            body.x += step;
        }
    }
}

fn note(tick: Res<Tick>, mut runs: ResMut<Runs>, mut counted: ResMut<Counted>) {
    let runs = &mut *runs;
    let list = if tick.is_replay {
        &mut runs.replays
    } else {
        &mut runs.new
    };
    list.push(tick.number);
    counted.0 += 1;
}

pub(crate) fn shared(app: &mut App) {
    app.insert_resource(Time::<Fixed>::from_hz(60.0))
        .init_resource::<Runs>()
        .init_resource::<Counted>()
        .add_plugins(TickPlugin::<Move>::default())
        .predict::<Body>()
        .rollback_component::<Speed>()
        .rollback_resource::<Counted>()
        .add_systems(FixedUpdate, (run, note));
}

/// An app with a clock that the rig sets.
fn app(types: fn(&mut App)) -> App {
    let mut app = App::new();
    app.add_plugins(TimePlugin);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(FRAME));
    types(&mut app);
    app
}

pub(crate) struct Rig {
    pub(crate) server: App,
    pub(crate) clients: Vec<App>,
    connector: MemoryConnector,
    types: fn(&mut App),
}

impl Rig {
    /// Makes a server, and clients that have joined and predict their players.
    pub(crate) fn new(conditions: Conditions, clients: usize) -> Self {
        Self::with(conditions, clients, ServerPlugin::new, shared)
    }

    pub(crate) fn with(
        conditions: Conditions,
        clients: usize,
        plugin: impl FnOnce(MemoryListener) -> ServerPlugin,
        types: fn(&mut App),
    ) -> Self {
        let listener = MemoryListener::new(conditions);
        let connector = listener.connector();
        let mut server = app(types);
        server.add_plugins(plugin(listener));
        // A client that returns joins once more.
        server.add_observer(
            |joined: On<ClientJoined>, owns: Query<&Owns>, mut commands: Commands| {
                if owns.get(joined.entity).is_err() {
                    commands.spawn((Replicated, Owner(joined.entity), Body::default()));
                }
            },
        );
        let mut rig = Self {
            server,
            clients: Vec::new(),
            connector,
            types,
        };
        for _ in 0..clients {
            rig.add_client();
        }
        rig.frames(120);
        rig
    }

    pub(crate) fn add_client(&mut self) -> &mut App {
        let mut client = app(self.types);
        client.add_plugins(ClientPlugin::new(self.connector.link()));
        self.clients.push(client);
        self.clients.last_mut().unwrap()
    }

    /// Gives a client a new link in the place of its own.
    pub(crate) fn relink(&mut self, client: usize) {
        let link = ClientLink::new(self.connector.link());
        self.clients[client].insert_resource(link);
    }

    pub(crate) fn hold(&mut self, client: usize, x: f32) {
        let mut held = self.clients[client]
            .world_mut()
            .resource_mut::<HeldInput<Move>>();
        held.x = x;
    }

    /// Runs a frame of all apps.
    pub(crate) fn frame(&mut self, duration: Duration) {
        set_frame(&mut self.server, duration);
        self.server.update();
        for client in &mut self.clients {
            set_frame(client, duration);
            client.update();
        }
    }

    pub(crate) fn frames(&mut self, count: usize) {
        (0..count).for_each(|_| self.frame(FRAME));
    }

    /// Lets the players of all clients run to and fro, each frame differently, for some frames.
    pub(crate) fn play(&mut self, count: usize) {
        for frame in 0..count {
            for client in 0..self.clients.len() {
                let turn = (frame + 17 * client) / 40 % 3;
                self.hold(client, [1.0, -1.0, 0.0][turn]);
            }
            self.frame(FRAME);
        }
    }

    /// Lets all players stand still, until everything has arrived.
    pub(crate) fn rest(&mut self) {
        for client in 0..self.clients.len() {
            self.hold(client, 0.0);
        }
        self.frames(180);
    }

    pub(crate) fn net(&self) -> &NetworkServer {
        self.server.world().resource::<Server>()
    }

    /// Returns the entity of a client's player, on the server.
    pub(crate) fn here(&mut self, client: usize) -> Entity {
        let there = self.own(client);
        let id = self.clients[client].world().get::<Net>(there).unwrap().id();
        self.server
            .world()
            .resource::<NetEntities>()
            .entity(id)
            .unwrap()
    }

    /// Returns the entity of a client for an entity of the server.
    pub(crate) fn there(&self, client: usize, here: Entity) -> Entity {
        let id = self.server.world().resource::<NetEntities>().id(here);
        let entities = self.clients[client].world().resource::<NetEntities>();
        entities.entity(id.unwrap()).unwrap()
    }

    /// Returns the entity of a client's own player.
    pub(crate) fn own(&mut self, client: usize) -> Entity {
        let world = self.clients[client].world_mut();
        let mut own = world.query_filtered::<Entity, With<Owned>>();
        own.single(world).unwrap()
    }

    /// Returns the body of a client's own player, as it is drawn.
    pub(crate) fn shown(&mut self, client: usize) -> Body {
        let own = self.own(client);
        self.clients[client]
            .world()
            .get::<Body>(own)
            .unwrap()
            .clone()
    }

    pub(crate) fn body(&mut self, client: usize) -> Body {
        let here = self.here(client);
        self.server.world().get::<Body>(here).unwrap().clone()
    }

    pub(crate) fn corrections(&self, client: usize) -> u64 {
        let client = self.clients[client].world().resource::<Client>();
        client.prediction_stats().corrections
    }

    /// Asserts that the players of all clients stand where the server has them.
    pub(crate) fn assert_equal(&mut self) {
        for client in 0..self.clients.len() {
            assert_eq!(self.shown(client), self.body(client), "client {client}");
        }
    }
}

pub(crate) fn set_frame(app: &mut App, duration: Duration) {
    app.insert_resource(TimeUpdateStrategy::ManualDuration(duration));
}

/// Conditions of a link in the open.
pub(crate) fn open(seed: u64) -> Conditions {
    Conditions {
        delay: Duration::from_millis(80),
        jitter: Duration::from_millis(20),
        loss: 0.05,
        seed,
        ..Conditions::default()
    }
}
