//! Memory of the objects that a server of Mirror makes a client hold.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::limits::Limits;
use syncvar::mirror::{
    Limits as TransportLimits, MirrorClient, MirrorClientConfig, MirrorClientEvent, MirrorPrefab,
    MirrorPrefabs, MirrorServer, MirrorServerConfig, MirrorSpawnFailure, SpawnPolicy,
};
use syncvar::prelude::*;

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
    let mut server = MirrorServer::with_config(prefabs, config);
    let config = MirrorClientConfig {
        limits,
        max_object_memory,
        auto_add_player: false,
        ..MirrorClientConfig::default()
    };
    let prefabs = MirrorPrefabs::new().register::<Heavy>(prefab());
    let mut client = MirrorClient::with_config(prefabs, config);
    let transport = TransportLimits {
        batch_threshold,
        max_reliable: 1 << 20,
        ..TransportLimits::TELEPATHY
    };
    let connection = server.handle_connect(transport);
    client.handle_connect(transport);
    for _ in 0..5000 {
        server.spawn(Light::default());
    }
    let mut memory = 0;
    for tick in 1..5 {
        let now = Duration::from_millis(16 * tick);
        client.update(now);
        while let Some(packet) = client.poll_transmit() {
            let handled = server.handle_packet(connection, packet.channel, &packet.bytes);
            handled.unwrap();
        }
        server.update(now);
        while let Some(transmit) = server.poll_transmit() {
            let (channel, bytes) = (transmit.channel, transmit.to_bytes());
            let taken = measure(|| client.handle_packet(channel, &bytes).unwrap());
            memory += u64::try_from(taken.bytes_current).unwrap_or(0);
        }
    }
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
