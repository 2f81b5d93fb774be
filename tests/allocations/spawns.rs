//! Memory of the objects that a server makes a client hold.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::error::SpawnFailure;
use syncvar::limits::Limits;
use syncvar::prelude::*;
use syncvar::{ClientConfig, PacketLimits, ServerConfig};
use syncvar_testing::Pair;

/// Behaviour of the server without the private memory of the client.
mod light {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    pub(super) struct Npc {
        #[sync_var]
        pub(super) open: SyncVar<bool>,
    }
}

mod heavy {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour)]
    pub(super) struct Npc {
        #[sync_var]
        pub(super) open: SyncVar<bool>,
        pub(super) _memory: [u64; 600],
    }

    impl Default for Npc {
        fn default() -> Self {
            Self {
                open: false.into(),
                _memory: [0; 600],
            }
        }
    }
}

/// Lets a server spawn objects whose snapshots have this many bytes. Returns the memory of the client and its
/// failures.
fn spawn(bytes: usize, packet_size: usize, limits: (usize, usize)) -> (u64, usize) {
    let config = ServerConfig {
        packet_size,
        ..ServerConfig::default()
    };
    let prefabs = Prefabs::new().register::<light::Npc>("npc");
    let server = NetworkServer::with_config(prefabs, config);
    let (max_memory, max_object_memory) = limits;
    let limits = Limits {
        max_memory,
        ..Limits::default()
    };
    let config = ClientConfig {
        limits,
        max_object_memory,
        ..ClientConfig::default()
    };
    let prefabs = Prefabs::new().register::<heavy::Npc>("npc");
    let client = NetworkClient::with_config(prefabs, config);
    let mut pair = Pair::connect(server, client, PacketLimits::STREAM);
    pair.tick = Duration::from_millis(33);
    for _ in 0..bytes / 5 {
        pair.server.spawn(light::Npc::default());
    }
    let (mut memory, mut sent) = (0, 0);
    for _ in 1..10 {
        pair.up();
        pair.update_server();
        for packet in pair.server_packets() {
            sent += packet.bytes.len();
            let taken = measure(|| drop(pair.to_client(&packet)));
            memory += u64::try_from(taken.bytes_current).unwrap_or(0);
        }
    }
    assert!(sent > bytes / 2, "{sent} bytes");
    let is_failed = |event: &ClientEvent| {
        let reason = SpawnFailure::TooMuchMemory;
        matches!(event, ClientEvent::SpawnFailed { reason: found, .. } if *found == reason)
    };
    let events = std::iter::from_fn(|| pair.client.poll_event());
    (memory, events.filter(is_failed).count())
}

#[test]
fn packet_of_spawns_takes_no_more_than_its_memory() {
    let (memory, failures) = spawn(1 << 20, 2 << 20, (8 << 20, usize::MAX));
    let limit = (8 << 20) + 32 * (1 << 20) * 3 / 2;
    assert!(
        memory < limit && failures > 0,
        "{memory} bytes, {failures} failures"
    );
}

#[test]
fn objects_of_many_packets_take_no_more_than_their_limit() {
    let (memory, failures) = spawn(1 << 16, 1340, (8 << 20, 4 << 20));
    assert!(
        memory < 6 << 20 && failures > 0,
        "{memory} bytes, {failures} failures"
    );
    let (memory, failures) = spawn(1 << 16, 1340, (8 << 20, usize::MAX));
    assert!(
        memory > 50 << 20 && failures == 0,
        "{memory} bytes, {failures} failures"
    );
}
