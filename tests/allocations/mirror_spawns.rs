//! Memory of the objects that a server of Mirror makes a client hold.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::PacketLimits;
use syncvar::limits::Limits;
use syncvar::mirror::{
    MirrorClient, MirrorClientConfig, MirrorClientEvent, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, MirrorSpawnFailure, SpawnPolicy,
};
use syncvar::prelude::*;
use syncvar_testing::Pair;

#[derive(NetworkBehaviour, Default)]
struct Light {
    #[sync_var]
    open: SyncVar<bool>,
}

/// `Light` with private memory of the client.
#[derive(NetworkBehaviour)]
struct Heavy {
    #[sync_var]
    open: SyncVar<bool>,
    _memory: [u64; 2000],
}

impl Default for Heavy {
    fn default() -> Self {
        Self {
            open: false.into(),
            _memory: [0; 2000],
        }
    }
}

fn prefab() -> MirrorPrefab {
    MirrorPrefab::new("npc", 1.into())
}

/// Lets a server spawn 5 000 objects in batches of this size. Returns the memory of the client and its failures.
fn spawn(batch_threshold: usize, limits: Limits, max_object_memory: usize) -> (u64, usize) {
    let config = MirrorServerConfig {
        spawn_policy: SpawnPolicy::WhenReady,
        ..MirrorServerConfig::default()
    };
    let prefabs = MirrorPrefabs::new().register::<Light>(prefab());
    let server = MirrorServer::with_config(prefabs, config);
    let config = MirrorClientConfig {
        limits,
        max_object_memory,
        auto_add_player: false,
        ..MirrorClientConfig::default()
    };
    let prefabs = MirrorPrefabs::new().register::<Heavy>(prefab());
    let client = MirrorClient::with_config(prefabs, config);
    let transport = PacketLimits {
        batch_threshold,
        max_reliable: 1 << 20,
        ..PacketLimits::STREAM
    };
    let mut pair = Pair::connect(server, client, transport);
    pair.tick = Duration::from_millis(16);
    for _ in 0..5000 {
        pair.server.spawn(Light::default());
    }
    let mut memory = 0;
    for _ in 1..5 {
        pair.up();
        pair.update_server();
        for packet in pair.server_packets() {
            let taken = measure(|| pair.to_client(&packet).unwrap());
            memory += u64::try_from(taken.bytes_current).unwrap_or(0);
        }
    }
    let client = &mut pair.client;
    let is_failed = |event: &MirrorClientEvent| {
        let reason = MirrorSpawnFailure::TooMuchMemory;
        matches!(event, MirrorClientEvent::SpawnFailed { reason: found, .. } if *found == reason)
    };
    let events = std::iter::from_fn(|| client.poll_event());
    let failures = events.filter(is_failed).count();
    let refused = usize::try_from(client.stats().refused.memory).unwrap();
    assert_eq!(
        (failures, client.object_count()),
        (refused, 5000 - failures)
    );
    (memory, failures)
}

#[test]
fn batch_of_spawns_takes_no_more_than_its_memory() {
    let (memory, failures) = spawn(1 << 20, Limits::default(), usize::MAX);
    let limits = Limits::default();
    let limit = limits.max_memory + limits.memory_per_byte * 5000 * 60;
    assert!(
        memory < u64::try_from(limit).unwrap() && failures > 0,
        "{memory} bytes, {failures} failures"
    );
}

#[test]
fn objects_of_many_batches_take_no_more_than_their_limit() {
    let (memory, failures) = spawn(1200, Limits::default(), 4 << 20);
    assert!(
        memory < 8 << 20 && failures > 0,
        "{memory} bytes, {failures} failures"
    );
    let (memory, failures) = spawn(1200, Limits::default(), usize::MAX);
    assert!(
        memory > 70 << 20 && failures == 0,
        "{memory} bytes, {failures} failures"
    );
}
