//! Worlds of a server and clients that act only on request.

use std::time::Duration;

use syncvar::mirror::{
    MirrorClient, MirrorClientConfig, MirrorPrefabs, MirrorServer, MirrorServerConfig,
};
use syncvar_testing::mirror::{MirrorNetwork, Refusals};

use super::game::{self, DOOR, Door};

/// Returns a world with the game of these tests.
pub(crate) fn world() -> MirrorNetwork {
    world_of(game::prefabs)
}

/// Returns a world whose clients send no pings, and become ready by hand.
pub(crate) fn world_of(prefabs: fn() -> MirrorPrefabs) -> MirrorNetwork {
    game::told();
    let config = MirrorServerConfig {
        ping_interval: Duration::ZERO,
        time_snapshots: false,
        ..MirrorServerConfig::default()
    };
    let server = MirrorServer::with_config(prefabs(), config);
    let mut world = MirrorNetwork::new(server, move || {
        let mut config = MirrorClientConfig::default();
        (config.auto_ready, config.auto_add_player) = (false, false);
        config.ping_interval = Duration::ZERO;
        config.time_snapshots = false;
        let mut client = MirrorClient::with_config(prefabs(), config);
        // The door is missing among the prefabs of single tests.
        let _ = client.add_scene_object(DOOR, Door::default());
        client
    });
    world.refusals = Refusals::Allowed;
    world
}
