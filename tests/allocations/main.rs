//! In the steady state nothing is allocated per object, field or client.

mod attacks;
mod field_ticks;
mod ids;
mod liars;
mod lists;
mod measured;
mod mirror;
mod mirror_spawns;
mod predict;
mod sessions;
mod spawns;
mod steady;
mod view;

use std::time::Duration;

use allocation_counter::measure;
use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{
    Budget, ClientConfig, Framing, PacketLimits,
    codec::Half,
    wire::{NetworkReader, NetworkWriter},
};

use measured::Measured;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    name: SyncVar<String>,
    hooks: u32,
}

impl Unit {
    fn on_health(&mut self, _previous: i32) {
        self.hooks += 1;
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

/// A server with units and ready connections, and the client of the first connection.
struct World {
    ends: Measured,
    connections: Vec<ConnectionId>,
    ids: Vec<NetId>,
}

impl World {
    fn new(objects: usize, clients: usize, framing: Framing) -> Self {
        let mut server = NetworkServer::new(prefabs());
        let spawn = |_| server.spawn(Unit::default());
        let ids = (0..objects).map(spawn).collect();
        let mut ends = Measured::new(server, PacketLimits::STREAM);
        let config = ClientConfig {
            framing,
            ping_interval: Duration::ZERO,
            ..ClientConfig::default()
        };
        let connect = |_| ends.connect(NetworkClient::with_config(prefabs(), config.clone()));
        let connections = (0..clients).map(connect).collect();
        (0..4).for_each(|_| _ = ends.tick());
        ends.clients.truncate(1);
        let world = Self {
            ends,
            connections,
            ids,
        };
        assert_eq!(world.client().framing(), framing);
        assert_eq!(world.client().object_count(), objects);
        world
    }

    fn client(&self) -> &NetworkClient {
        &self.ends.clients[0].1
    }

    /// Changes all units, and runs a tick. Returns the allocations of the server and of the client.
    fn tick(&mut self, change: impl Fn(&mut Unit)) -> (u64, u64) {
        for id in &self.ids {
            change(&mut self.ends.server.get_mut::<Unit>(*id).expect("a unit"));
        }
        self.ends.tick()
    }
}

/// Changes each field of a unit. Texts fit into the strings of the clients.
fn change_all(unit: &mut Unit) {
    unit.health += 1;
    *unit.x += 0.5;
    unit.name.clear();
    unit.name.push_str(if *unit.health % 2 == 0 {
        "an even name"
    } else {
        "an odd name"
    });
}

/// Returns the largest costs of a tick after ten ticks.
fn steady(world: &mut World) -> (u64, u64) {
    for _ in 0..10 {
        world.tick(change_all);
    }
    (0..10)
        .map(|_| world.tick(change_all))
        .fold((0, 0), |(a, b), (c, d)| (a.max(c), b.max(d)))
}

/// Of 1000 objects 20 packets and more are sent.
#[test]
fn tick_allocations_do_not_grow_with_objects_and_clients() {
    for dialect in [Framing::Unet, Framing::Compact] {
        for (objects, clients) in [(10, 1), (1000, 1), (10, 50), (1000, 50)] {
            let (server, client) = steady(&mut World::new(objects, clients, dialect));
            let what = format!("{objects} objects, {clients} clients, {dialect:?}");
            assert!(server <= 2, "{what}: the server allocates {server} times");
            assert_eq!(client, 0, "{what}: the client allocates");
        }
    }
}

#[test]
fn a_tick_allocates_a_small_constant_for_each_audience() {
    let mut world = World::new(1000, 10, Framing::Compact);
    for (place, id) in world.ids.clone().into_iter().enumerate() {
        let hidden_from = world.connections[place % 10];
        world.ends.server.hide(id, hidden_from).unwrap();
    }
    let (server, client) = steady(&mut world);
    assert!(
        server <= 20,
        "10 audiences: the server allocates {server} times"
    );
    assert_eq!(client, 0);
}

#[test]
fn tick_allocations_per_limited_connection_are_constant() {
    let mut world = World::new(1000, 10, Framing::Compact);
    for connection in world.connections.clone() {
        let budget = Some(Budget::new(2000));
        world.ends.server.set_budget(connection, budget).unwrap();
    }
    // Until every object has had its turn.
    for _ in 0..50 {
        world.tick(change_all);
    }
    let (server, client) = steady(&mut world);
    assert!(
        server <= 30,
        "10 budgets: the server allocates {server} times"
    );
    assert_eq!(client, 0);
}

#[test]
fn codec_field_allocates_no_memory() {
    #[derive(NetworkBehaviour, Default)]
    struct Ship {
        #[sync_var(with = Half, hook = on_speed)]
        speed: SyncVar<[f32; 3]>,
        hooks: u32,
    }

    impl Ship {
        fn on_speed(&mut self, _previous: [f32; 3]) {
            self.hooks += 1;
        }
    }

    let mut server = NetworkServer::new(Prefabs::new().register::<Ship>("ship"));
    let id = server.spawn(Ship::default());
    server.update(Duration::ZERO);
    let mut writer = NetworkWriter::new();
    let mut tick = |speed: f32| {
        let mut ship = server.get_mut::<Ship>(id).expect("a ship");
        ship.speed[1] = speed;
        drop(ship);
        writer.truncate(0);
        let mut ship = server.get_mut::<Ship>(id).expect("a ship");
        ship.on_serialize(&mut writer, false);
        let mut reader = NetworkReader::new(writer.as_bytes());
        let previous = ship
            .on_deserialize(&mut reader, false)
            .expect("well-formed");
        NetworkContext::detached(|ctx| ship.call_hooks(previous, ctx));
    };
    tick(1.0);
    let ticks = measure(|| (0..10_u8).for_each(|speed| tick(speed.into())));
    assert_eq!(ticks.count_total, 0);
}

#[test]
fn idle_update_allocates_no_memory() {
    let mut world = World::new(1000, 10, Framing::Compact);
    world.tick(|_| ());
    assert_eq!(world.tick(|_| ()), (0, 0));
}
