//! Who is in sight gets an object, whoever is not loses it, and a change is received once.

mod crossing;
mod idle;
mod managements;
mod moments;
mod views;

use syncvar::prelude::*;
use syncvar::{
    Framing, ServerConfig, interest::InterestManagement, testing::Conditions, values::Quaternion,
};
use syncvar::{interest::SpatialGrid, values::Vector3};
use syncvar_testing::{Player, client};

/// Far apart: nobody sees the one from the other.
const HERE: f32 = 5.0;
const THERE: f32 = 1005.0;

/// A behaviour that is seldom sent, with a hook.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 10)]
struct Clock {
    #[sync_var(hook = on_hour)]
    hour: SyncVar<i32>,
    hooks: Vec<i32>,
}

impl Clock {
    fn on_hour(&mut self, previous: i32) {
        self.hooks.push(previous);
    }
}

fn prefabs() -> Prefabs {
    syncvar_testing::prefabs().register::<Clock>("clock")
}

/// A network with an interest management and so many clients, all of them ready, who speak these by
/// turns.
fn network(
    dialects: &[Framing],
    clients: usize,
    interest: impl InterestManagement,
) -> MemoryNetwork {
    let mut net =
        MemoryNetwork::with_config(prefabs, ServerConfig::default(), Conditions::default());
    net.server = NetworkServer::with_interest(prefabs(), ServerConfig::default(), interest);
    for dialect in dialects.iter().cycle().take(clients) {
        net.connect_client(client(prefabs(), *dialect));
    }
    net.settle();
    forget_events(&mut net);
    net
}

/// Runs a test with a grid and so many clients, each dialect alone and both mixed.
fn in_every_dialect(clients: usize, test: impl Fn(MemoryNetwork)) {
    let (unet, compact) = (Framing::Unet, Framing::Compact);
    for dialects in [&[unet][..], &[compact], &[unet, compact]] {
        test(network(dialects, clients, SpatialGrid::xz(10.0, 10.0)));
    }
}

fn forget_events(net: &mut MemoryNetwork) {
    for client in 0..net.client_count() {
        syncvar_testing::drain(net, client);
    }
}

fn at(x: f32) -> Vector3 {
    Vector3::new(x, 0.0, 0.0)
}

fn options_at(x: f32) -> SpawnOptions {
    SpawnOptions {
        position: at(x),
        ..SpawnOptions::default()
    }
}

/// A player called Ann, with this health.
fn spawn(net: &mut MemoryNetwork, x: f32, health: i32) -> NetId {
    let spawned = net
        .server
        .try_spawn(Player::new(health, "Ann"), options_at(x));
    spawned.expect("it is registered")
}

const ANN: fn(i32) -> Option<(i32, String, u32)> = |health| Some((health, "Ann".into(), 0));

fn move_to(net: &mut MemoryNetwork, id: NetId, x: f32) {
    net.server
        .set_transform(id, at(x), Quaternion::IDENTITY)
        .unwrap();
}

fn watch(net: &mut MemoryNetwork, client: usize, x: f32) {
    let connection = net.connection(client);
    let grid: &mut SpatialGrid = net.server.interest_mut().expect("a grid");
    grid.watch(connection, at(x)).unwrap();
}

/// All clients watch from there, and have what is to be seen.
fn gather(net: &mut MemoryNetwork, x: f32) {
    for client in 0..net.client_count() {
        watch(net, client, x);
    }
    net.settle();
    forget_events(net);
}

/// How often the full state of a player was written.
fn full_states(net: &MemoryNetwork) -> u64 {
    let behaviours = &net.server.stats().behaviours;
    let player = behaviours.iter().find(|stats| stats.prefab == "player");
    player.expect("it is registered").full.messages
}

fn spawned(object: NetId) -> ClientEvent {
    ClientEvent::Spawned { object }
}

fn hidden(object: NetId) -> ClientEvent {
    ClientEvent::Despawned {
        object,
        hidden: true,
    }
}

fn owned(object: NetId, owned: bool) -> ClientEvent {
    ClientEvent::OwnerChanged { object, owned }
}
