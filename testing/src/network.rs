//! Networks in memory: clients, events, hooks.

use std::iter::from_fn;
use std::sync::atomic::{AtomicU64, Ordering};

use syncvar::behaviour::BehaviourSet;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{ClientConfig, Framing, ServerConfig};

use crate::behaviours::{Player, prefabs};

/// Returns a network with ready clients and empty event queues.
#[must_use]
pub fn network(clients: usize) -> MemoryNetwork {
    let mut net = MemoryNetwork::new(prefabs);
    for _ in 0..clients {
        net.connect();
    }
    net.settle();
    for index in 0..clients {
        drain(&mut net, index);
    }
    net
}

/// Returns two networks with a ready client each: one with `Compact` messages, and one with UNet's, without
/// a comparison of schemas.
#[must_use]
pub fn networks_of_both_framings(prefabs: fn() -> Prefabs) -> [MemoryNetwork; 2] {
    [true, false].map(|compare_schemas| {
        let config = ServerConfig {
            compare_schemas,
            ..ServerConfig::default()
        };
        let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
        net.connect();
        net.settle();
        net
    })
}

/// Returns a client that asks for a framing.
#[must_use]
pub fn client(prefabs: Prefabs, framing: Framing) -> NetworkClient {
    let config = ClientConfig {
        framing,
        ..ClientConfig::default()
    };
    NetworkClient::with_config(prefabs, config)
}

/// Spawns an object with an owner.
///
/// # Panics
///
/// When the behaviours are no prefab.
#[track_caller]
pub fn spawn_owned(
    server: &mut NetworkServer,
    behaviours: impl BehaviourSet,
    owner: ConnectionId,
) -> NetId {
    let options = SpawnOptions {
        owner: Some(owner),
        ..SpawnOptions::default()
    };
    server.try_spawn(behaviours, options).expect("a prefab")
}

/// Spawns an object whose owner is a client of the network.
///
/// # Panics
///
/// When the behaviours are no prefab.
#[track_caller]
pub fn spawn_for(net: &mut MemoryNetwork, behaviours: impl BehaviourSet, client: usize) -> NetId {
    let owner = net.connection(client);
    spawn_owned(&mut net.server, behaviours, owner)
}

/// Spawns an object with a number.
///
/// # Panics
///
/// When the number is taken, or the behaviours are no prefab.
#[track_caller]
pub fn spawn_with_id(
    server: &mut NetworkServer,
    behaviours: impl BehaviourSet,
    number: u32,
) -> NetId {
    let options = SpawnOptions {
        net_id: Some(NetId(number)),
        ..SpawnOptions::default()
    };
    server.try_spawn(behaviours, options).expect("a free id")
}

/// Returns bytes for the token of a session, which no call before has returned.
#[must_use]
pub fn token() -> [u8; 16] {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = u128::from(NEXT.fetch_add(1, Ordering::Relaxed));
    number
        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c)
        .to_le_bytes()
}

/// Removes and returns the events of a server.
pub fn server_events(server: &mut NetworkServer) -> Vec<ServerEvent> {
    from_fn(|| server.poll_event()).collect()
}

/// Removes and returns the events of a client.
pub fn drain(net: &mut MemoryNetwork, client: usize) -> Vec<ClientEvent> {
    crate::events(net.client_mut(client)).collect()
}

/// Removes and returns the hook lines of a client's player.
///
/// # Panics
///
/// When the client lacks the player.
pub fn hooks(net: &mut MemoryNetwork, client: usize, id: NetId) -> Vec<String> {
    std::mem::take(
        &mut net
            .client_mut(client)
            .get_mut::<Player>(id)
            .expect("the player")
            .log,
    )
}

/// Changes a player on the server.
///
/// # Panics
///
/// When the server lacks the player.
pub fn change<R>(net: &mut MemoryNetwork, id: NetId, change: impl FnOnce(&mut Player) -> R) {
    change(&mut net.server.get_mut::<Player>(id).expect("the player"));
}

/// Returns the state of a player on each connected client; `None` without a replica.
#[must_use]
pub fn states(net: &MemoryNetwork, id: NetId) -> Vec<Option<(i32, String, u32)>> {
    net.replicas::<Player>(id)
        .map(|player| player.map(Player::state))
        .collect()
}

/// Runs a number of ticks.
pub fn steps(net: &mut MemoryNetwork, count: usize) {
    (0..count).for_each(|_| net.step());
}

/// Asserts that each connected client is ready and has the state of the server that it may read, and no more.
///
/// # Panics
///
/// When a client is not ready, or on a difference.
#[track_caller]
pub fn assert_all_equal(net: &mut MemoryNetwork) {
    for client in (0..net.client_count()).filter(|client| net.is_connected(*client)) {
        assert!(
            net.server.is_ready(net.connection(client)),
            "client {client}"
        );
    }
    net.assert_replicas_equal();
}
