//! In the steady state nothing is allocated per object, field or client.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::prelude::*;
use syncvar::{ClientConfig, ServerConfig};

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

/// A server in literal UNet fashion with so many objects and ready connections, and the first
/// connection's client.
struct World {
    server: NetworkServer,
    client: NetworkClient,
    first: ConnectionId,
    ids: Vec<NetId>,
    now: Duration,
}

impl World {
    fn new(objects: usize, clients: usize) -> Self {
        let prefabs = || Prefabs::new().register::<Unit>("unit");
        let (mut config, mut client) = (ServerConfig::default(), ClientConfig::default());
        config.compare_schemas = false;
        client.compare_schemas = false;
        let mut server = NetworkServer::with_config(prefabs(), config);
        let mut client = NetworkClient::with_config(prefabs(), client);
        let ids = (0..objects)
            .map(|_| server.spawn(Unit::default()))
            .collect();
        let first = server.handle_connect();
        server.set_ready(first);
        for _ in 1..clients {
            let connection = server.handle_connect();
            server.set_ready(connection);
        }
        client.handle_connect();
        let mut world = Self {
            server,
            client,
            first,
            ids,
            now: Duration::ZERO,
        };
        world.tick(|_| ());
        while world.client.poll_event().is_some() {}
        world
    }

    /// One tick; returns what the server and the client have allocated.
    fn tick(&mut self, change: impl Fn(&mut Unit)) -> (u64, u64) {
        for id in &self.ids {
            change(&mut self.server.get_mut::<Unit>(*id).expect("a unit"));
        }
        self.now += Duration::from_millis(50);
        let mut packets = Vec::with_capacity(self.ids.len());
        let server = measure(|| {
            self.server.update(self.now);
            while let Some(transmit) = self.server.poll_transmit() {
                if transmit.connection == self.first {
                    packets.extend(
                        transmit
                            .segments
                            .iter()
                            .map(|piece| (transmit.channel, piece.clone())),
                    );
                }
            }
        });
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
fn steady(objects: usize, clients: usize) -> (u64, u64) {
    let mut world = World::new(objects, clients);
    for _ in 0..10 {
        world.tick(change_all);
    }
    (0..10)
        .map(|_| world.tick(change_all))
        .fold((0, 0), |(a, b), (c, d)| (a.max(c), b.max(d)))
}

#[test]
fn a_tick_allocates_no_more_for_many_objects_and_clients_than_for_few() {
    for (objects, clients) in [(10, 1), (1000, 1), (10, 50), (1000, 50)] {
        let (server, client) = steady(objects, clients);
        assert!(
            server <= 2,
            "{objects} objects, {clients} clients: the server allocates {server} times"
        );
        assert_eq!(client, 0, "{objects} objects: the client allocates");
    }
}

#[test]
fn an_idle_update_allocates_nothing() {
    let mut world = World::new(1000, 10);
    world.tick(|_| ());
    assert_eq!(world.tick(|_| ()), (0, 0));
}
