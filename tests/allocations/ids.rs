//! Ids that are not in use any more hold no memory.

use syncvar::mirror::{
    MirrorClient, MirrorClientConfig, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, SpawnPolicy,
};

use syncvar_testing::Pair;

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
        let spawn = |_| world.ends.server.spawn(Unit::default());
        world.ids = (0..OBJECTS).map(spawn).collect();
        world.tick(change_all);
        assert_eq!(world.client().object_count(), OBJECTS);
        for id in std::mem::take(&mut world.ids) {
            let _ = world.ends.server.despawn(id);
        }
        world.tick(|_| ());
        while world.ends.server.poll_event().is_some() {}
        assert_eq!(world.client().object_count(), 0);
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
    let server = MirrorServer::with_config(prefabs(), config);
    let config = MirrorClientConfig {
        auto_add_player: false,
        ping_interval: Duration::ZERO,
        ..MirrorClientConfig::default()
    };
    let client = MirrorClient::with_config(prefabs(), config);
    let mut pair = Pair::connect(server, client, PacketLimits::STREAM);
    let tick = |pair: &mut Pair<MirrorServer, MirrorClient>| {
        pair.step();
        while pair.server.poll_event().is_some() {}
        while pair.client.poll_event().is_some() {}
    };
    (0..5).for_each(|_| tick(&mut pair));
    let mut round = || {
        let spawn = |_| pair.server.spawn(Unit::default());
        let ids: Vec<_> = (0..OBJECTS).map(spawn).collect();
        tick(&mut pair);
        assert_eq!(pair.client.object_count(), OBJECTS);
        for id in ids {
            let _ = pair.server.despawn(id);
        }
        tick(&mut pair);
        assert_eq!(pair.client.object_count(), 0);
    };
    (0..WARM_UP).for_each(|_| round());
    let counted = measure(|| (0..ROUNDS).for_each(|_| round()));
    assert!(counted.bytes_current < LEFT, "{counted:?}");
}
