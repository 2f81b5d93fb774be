//! In the steady state nothing is allocated per object, field or client.

mod attacks;
mod field_ticks;
mod ids;
mod liars;
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
    Budget, ClientConfig, Framing,
    codec::Half,
    wire::{NetworkReader, NetworkWriter},
};

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

/// A server with so many objects and ready connections, and the first connection's client.
struct World {
    server: NetworkServer,
    client: NetworkClient,
    connections: Vec<ConnectionId>,
    ids: Vec<NetId>,
    now: Duration,
}

impl World {
    fn new(objects: usize, clients: usize, dialect: Framing) -> Self {
        let mut server = NetworkServer::new(prefabs());
        let ids = (0..objects)
            .map(|_| server.spawn(Unit::default()))
            .collect();
        let (first, client) = connect(&mut server, dialect);
        let others = (1..clients).map(|_| connect(&mut server, dialect).0);
        let connections = [first].into_iter().chain(others.collect::<Vec<_>>());
        let mut world = Self {
            connections: connections.collect(),
            server,
            client,
            ids,
            now: Duration::ZERO,
        };
        world.tick(|_| ());
        assert_eq!(world.client.object_count(), objects);
        world
    }

    /// One tick; returns what the server and the client have allocated.
    fn tick(&mut self, change: impl Fn(&mut Unit)) -> (u64, u64) {
        for id in &self.ids {
            change(&mut self.server.get_mut::<Unit>(*id).expect("a unit"));
        }
        self.now += Duration::from_millis(50);
        let mut pieces = Vec::with_capacity(2 * self.ids.len());
        let server = measure(|| {
            self.server.update(self.now);
            while let Some(transmit) = self.server.poll_transmit() {
                if transmit.connection == self.connections[0] {
                    let mut header = [0; 24];
                    header[..transmit.header.len()].copy_from_slice(transmit.header);
                    let mut header = Some((transmit.channel, header, transmit.header.len()));
                    for chunk in transmit.chunks {
                        pieces.push((header.take(), chunk.clone()));
                    }
                }
            }
        });
        let mut packets: Vec<(u8, Vec<u8>)> = Vec::new();
        for (header, chunk) in pieces {
            if let Some((channel, header, length)) = header {
                packets.push((channel, header[..length].to_vec()));
            }
            let (_, packet) = packets.last_mut().expect("a header");
            packet.extend_from_slice(&chunk);
        }
        let client = measure(|| {
            for (channel, packet) in &packets {
                self.client
                    .handle_packet(*channel, packet)
                    .expect("well-formed");
            }
            while self.client.poll_event().is_some() {}
        });
        (server.count_total, client.count_total)
    }
}

/// A client that has been let in and is ready.
fn connect(server: &mut NetworkServer, dialect: Framing) -> (ConnectionId, NetworkClient) {
    let config = ClientConfig {
        framing: dialect,
        ..ClientConfig::default()
    };
    let mut client = NetworkClient::with_config(prefabs(), config);
    client.handle_connect();
    let connection = server.handle_connect();
    for _ in 0..2 {
        while let Some(packet) = client.poll_transmit() {
            let handled = server.handle_packet(connection, packet.channel, &packet.bytes);
            handled.expect("a client's packets make sense");
        }
        while let Some(transmit) = server.poll_transmit() {
            if transmit.connection == connection {
                let handled = client.handle_packet(transmit.channel, &transmit.to_bytes());
                handled.expect("a server's packets make sense");
            }
        }
    }
    assert_eq!(client.framing(), dialect);
    (connection, client)
}

/// Every field of every unit changes; texts keep within what the clients' strings can hold.
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

/// What a tick costs after some ticks to warm up.
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
        world.server.hide(id, hidden_from).unwrap();
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
        world.server.set_budget(connection, budget).unwrap();
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
