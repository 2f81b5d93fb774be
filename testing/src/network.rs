//! Networks in memory: clients, events, hooks.

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::testing::Conditions;

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
