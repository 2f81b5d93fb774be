//! In the steady state nothing is allocated per object, and per connection a small constant.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::mirror::{
    Limits, MirrorClient, MirrorClientConfig, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, SpawnPolicy,
};
use syncvar::prelude::*;
use syncvar_runtime::Channel;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    name: SyncVar<String>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_mode = owner)]
struct Purse {
    #[sync_var]
    gold: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_method = hybrid)]
struct Mover {
    #[sync_var]
    x: SyncVar<f32>,
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Unit>(MirrorPrefab::new("unit", 1.into()))
        .register::<(Unit, Purse)>(MirrorPrefab::new("player", 2.into()))
        .register::<Mover>(MirrorPrefab::new("mover", 3.into()))
}

/// A server with so many objects and ready connections, and the first connection's client.
struct World {
    server: MirrorServer,
    client: MirrorClient,
    connections: Vec<ConnectionId>,
    ids: Vec<NetId>,
    now: Duration,
}

impl World {
    fn new(objects: usize, clients: usize) -> Self {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs(), config);
        let config = MirrorClientConfig {
            auto_add_player: false,
            ..MirrorClientConfig::default()
        };
        let mut client = MirrorClient::with_config(prefabs(), config);
        client.handle_connect(Limits::TELEPATHY);
        let spawn = |_| server.spawn(Unit::default());
        let ids = (0..objects).map(spawn).collect();
        let connect = |_| {
            let connection = server.handle_connect(Limits::TELEPATHY);
            // A batch of time 0 with one message: `ReadyMessage`.
            let ready = [0, 0, 0, 0, 0, 0, 0, 0, 2, 0xbc, 0xaa];
            let handled = server.handle_packet(connection, Channel::Reliable, &ready);
            handled.expect("a client may be ready");
            connection
        };
        let connections = (0..clients).map(connect).collect();
        let mut world = Self {
            server,
            client,
            connections,
            ids,
            now: Duration::ZERO,
        };
        world.tick();
        assert_eq!(world.client.object_count(), objects);
        world
    }

    /// Every object's every field changes; texts keep within what the clients' strings can hold.
    fn change_all(&mut self) {
        for id in &self.ids {
            let mut unit = self.server.get_mut::<Unit>(*id).expect("a unit");
            unit.health += 1;
            *unit.x += 0.5;
            let is_even = *unit.health % 2 == 0;
            unit.name.clear();
            unit.name.push_str(if is_even {
                "an even name"
            } else {
                "an odd name"
            });
        }
    }

    /// One tick; returns what the server and the client have allocated.
    fn tick(&mut self) -> (u64, u64) {
        self.now += Duration::from_millis(50);
        let mut packets = Vec::with_capacity(self.ids.len() + 2);
        let server = measure(|| {
            self.server.update(self.now);
            while let Some(transmit) = self.server.poll_transmit() {
                if transmit.connection == self.connections[0] {
                    packets.extend(transmit.chunks().first().cloned());
                    assert_eq!(transmit.chunks().len(), 1, "what all others get");
                }
            }
        });
        let client = measure(|| {
            for packet in &packets {
                let handled = self.client.handle_packet(Channel::Reliable, packet);
                handled.expect("a server's packets make sense");
            }
            while self.client.poll_event().is_some() {}
        });
        self.client.update(self.now);
        while self.client.poll_transmit().is_some() {}
        (server.count_total, client.count_total)
    }
}

/// The most that a tick allocates after some ticks to warm up.
fn steady(world: &mut World) -> (u64, u64) {
    let mut most = (0, 0);
    for tick in 0..20 {
        world.change_all();
        let (server, client) = world.tick();
        if tick >= 10 {
            most = (most.0.max(server), most.1.max(client));
        }
    }
    most
}

#[test]
fn tick_allocations_do_not_grow_with_objects_and_connections() {
    for (objects, clients) in [(10, 1), (1000, 1), (10, 50), (1000, 50)] {
        let (server, client) = steady(&mut World::new(objects, clients));
        let what = format!("{objects} objects, {clients} clients");
        assert!(server <= 16, "{what}: the server allocates {server} times");
        assert!(client <= 4, "{what}: the client allocates {client} times");
    }
}

#[test]
fn an_idle_tick_allocates_a_small_constant() {
    let mut world = World::new(1000, 50);
    steady(&mut world);
    for _ in 0..3 {
        world.tick();
    }
    let (server, client) = world.tick();
    assert!(server <= 4, "the server allocates {server} times");
    assert!(client <= 4, "the client allocates {client} times");
}

/// What only owners are sent is in pieces of memory that many have parts of.
#[test]
fn tick_allocations_grow_with_owners_only() {
    let per_owner = |objects: usize| {
        let mut world = World::new(0, 20);
        let (first, rest) = (world.connections[0], world.connections[1..].to_vec());
        let mut players = Vec::new();
        for connection in rest {
            for _ in 0..objects {
                let player = world.server.spawn((Unit::default(), Purse::default()));
                world.server.set_owner(player, Some(connection)).unwrap();
                players.push(player);
            }
        }
        let mut most = 0;
        for tick in 0..20 {
            for player in &players {
                world.server.get_mut::<Purse>(*player).expect("one").gold += 1;
                world.server.get_mut::<Unit>(*player).expect("one").health += 1;
            }
            world.now += Duration::from_millis(50);
            let spent = measure(|| {
                world.server.update(world.now);
                while let Some(transmit) = world.server.poll_transmit() {
                    assert!(transmit.connection != first || transmit.chunks().len() == 1);
                }
            });
            if tick >= 10 {
                most = most.max(spent.count_total);
            }
        }
        most / 19
    };
    let (few, many) = (per_owner(1), per_owner(50));
    assert!(few <= 16, "{few} for an owner of one object");
    assert!(many <= few + 8, "{many} for an owner of fifty");
}

/// What travels unreliably is in batches that everybody shares, too; so are baselines.
#[test]
fn unreliable_allocations_do_not_grow_with_objects() {
    for (objects, clients) in [(10, 1), (500, 1), (10, 50), (500, 50)] {
        let mut world = World::new(0, clients);
        let spawn = |_| world.server.spawn(Mover::default());
        let movers: Vec<_> = (0..objects).map(spawn).collect();
        let mut most = 0;
        // Two ticks in three change nothing, and what was changed goes out again.
        for tick in 0..90 {
            if tick % 3 == 0 {
                for mover in &movers {
                    *world.server.get_mut::<Mover>(*mover).expect("one").x += 1.0;
                }
            }
            world.now += Duration::from_millis(50);
            let spent = measure(|| {
                world.server.update(world.now);
                while let Some(transmit) = world.server.poll_transmit() {
                    assert!(transmit.chunks().len() == 1, "what all others get");
                }
            });
            if tick >= 45 {
                most = most.max(spent.count_total);
            }
        }
        let what = format!("{objects} objects, {clients} clients");
        assert!(most <= 24, "{what}: the server allocates {most} times");
    }
}
