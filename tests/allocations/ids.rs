//! Ids that are not in use any more hold no memory.

use syncvar::mirror::{
    Limits, MirrorClient, MirrorClientConfig, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, SpawnPolicy,
};

use super::*;

/// Objects at a time, and rounds of them.
const OBJECTS: usize = 500;
const ROUNDS: usize = 200;

/// Memory that 100 000 ids may leave in a server and a client together, in bytes. A bit for each id of one
/// table is 12 500.
const LEFT: i64 = 8 * 1024;

/// Rounds after which the queues and the client's records of despawned objects have their full size.
const WARM_UP: usize = 150;

/// Updates after which an unused chunk of ids is freed.
const IDLE: usize = 300;

#[test]
fn used_ids_leave_no_memory_at_the_ends() {
    let mut world = World::new(0, 1, Framing::Compact);
    let round = |world: &mut World| {
        world.ids = (0..OBJECTS)
            .map(|_| world.server.spawn(Unit::default()))
            .collect();
        world.tick(change_all);
        assert_eq!(world.client.object_count(), OBJECTS);
        for id in std::mem::take(&mut world.ids) {
            let _ = world.server.despawn(id);
        }
        world.tick(|_| ());
        while world.server.poll_event().is_some() {}
        assert_eq!(world.client.object_count(), 0);
    };
    (0..WARM_UP).for_each(|_| round(&mut world));
    let counted = measure(|| {
        (0..ROUNDS).for_each(|_| round(&mut world));
        for _ in 0..IDLE {
            world.tick(|_| ());
        }
    });
    assert!(counted.bytes_current < LEFT, "{counted:?}");
}

#[test]
fn used_ids_leave_no_memory_at_mirrors_ends() {
    let prefabs = || MirrorPrefabs::new().register::<Unit>(MirrorPrefab::new("unit", 1.into()));
    let config = MirrorServerConfig {
        ping_interval: Duration::ZERO,
        spawn_policy: SpawnPolicy::WhenReady,
        ..MirrorServerConfig::default()
    };
    let mut server = MirrorServer::with_config(prefabs(), config);
    let config = MirrorClientConfig {
        auto_add_player: false,
        ping_interval: Duration::ZERO,
        ..MirrorClientConfig::default()
    };
    let mut client = MirrorClient::with_config(prefabs(), config);
    let connection = server.handle_connect(Limits::TELEPATHY);
    client.handle_connect(Limits::TELEPATHY);
    let mut now = Duration::ZERO;
    let mut tick = |server: &mut MirrorServer, client: &mut MirrorClient| {
        now += Duration::from_millis(50);
        client.update(now);
        while let Some(packet) = client.poll_transmit() {
            let handled = server.handle_packet(connection, packet.channel, &packet.bytes);
            handled.expect("a client's packets make sense");
        }
        server.update(now);
        while let Some(transmit) = server.poll_transmit() {
            let handled = client.handle_packet(transmit.channel, &transmit.to_bytes());
            handled.expect("a server's packets make sense");
        }
        while server.poll_event().is_some() {}
        while client.poll_event().is_some() {}
    };
    for _ in 0..5 {
        tick(&mut server, &mut client);
    }
    let mut round = |server: &mut MirrorServer, client: &mut MirrorClient| {
        let ids: Vec<_> = (0..OBJECTS)
            .map(|_| server.spawn(Unit::default()))
            .collect();
        tick(server, client);
        assert_eq!(client.object_count(), OBJECTS);
        for id in ids {
            let _ = server.despawn(id);
        }
        tick(server, client);
        assert_eq!(client.object_count(), 0);
    };
    (0..WARM_UP).for_each(|_| round(&mut server, &mut client));
    let counted = measure(|| (0..ROUNDS).for_each(|_| round(&mut server, &mut client)));
    assert!(counted.bytes_current < LEFT, "{counted:?}");
}
