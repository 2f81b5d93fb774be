//! The settings of a server and of a client.

use std::time::Duration;

/// Mirror's `NetworkTime.PingInterval`.
const PING_INTERVAL: Duration = Duration::from_millis(100);
/// How long Mirror's `NetworkServer.unreliableBaselineRate` has it between two baselines.
const BASELINE_INTERVAL: Duration = Duration::from_secs(1);
/// The most elements that a sequence or collection can have; more than Mirror's games send.
const MAX_ELEMENTS: usize = 1 << 20;

/// When a connection is shown the objects that are there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpawnPolicy {
    /// When it is given a player, as in Mirror: it is ready, and then
    /// `NetworkServer.AddPlayerForConnection`. Before that it is shown nothing, however long the game takes;
    /// Mirror's server sends it what is spawned meanwhile, which its client cannot keep up to date.
    #[default]
    WithPlayer,
    /// As soon as it is ready: for connections that only watch.
    WhenReady,
}

/// How a [`MirrorServer`](crate::MirrorServer) behaves. [`Default`] is what Mirror's own server does.
///
/// ```
/// use syncvar_mirror::{MirrorServerConfig, SpawnPolicy};
///
/// let mut config = MirrorServerConfig::default();
/// config.spawn_policy = SpawnPolicy::WhenReady;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MirrorServerConfig {
    /// How often each connection is asked for its time and told that the server is alive; every 0.1 s
    /// unless set, as Mirror's `NetworkTime.PingInterval`; never if it is zero. Clients need no pings.
    pub ping_interval: Duration,
    /// Whether each update tells every ready connection the time (`TimeSnapshotMessage`), which Mirror's
    /// `NetworkTime.time` on clients is made of; `true` unless set.
    pub time_snapshots: bool,
    /// How often the whole state of components that travel unreliably
    /// ([`SyncMethod::Hybrid`](crate::SyncMethod::Hybrid)) is sent reliably, where something of it has changed:
    /// at every whole multiple of this time. Once a second unless set, as Mirror's
    /// `NetworkServer.unreliableBaselineRate`; with every update if it is zero.
    pub unreliable_baseline_interval: Duration,
    /// Whether unreliable changes are sent twice with each update, in case one of them is lost. `false` unless
    /// set, as Mirror's `NetworkServer.unreliableRedundancy`. They share a batch if they fit into one.
    pub unreliable_redundancy: bool,
    /// Whether a connection is only let in when the game has [accepted](crate::MirrorServer::accept) it:
    /// until then anything but pings, the time, and the messages that are
    /// [allowed](crate::MirrorServer::allow_unauthenticated) disconnects it. `false` unless set, as in
    /// Mirror without an authenticator.
    pub authenticate: bool,
    /// When a connection is shown the objects that are there already.
    pub spawn_policy: SpawnPolicy,
    /// The most elements that a sequence or a collection can have in what clients send, 1 048 576 unless
    /// set; a client that sends more is disconnected.
    pub max_elements: usize,
    /// The most messages of one connection that are handled between two updates, 10 000 unless set; a
    /// client that sends more is disconnected.
    pub max_messages: usize,
    /// The most events that are kept to be polled, 100 000 unless set; the oldest go first.
    pub max_events: usize,
    /// How often a second a connection may call a command that does not say it itself
    /// (`#[command(rate = 5.0)]`), in the server's own time; 100 unless set, infinity for no limit (as in
    /// Mirror). As many as for one second can come at once. What comes beyond that does not run.
    pub command_rate: f64,
    /// The most bytes that may wait for a connection to take them, 16 MiB unless set; one that has fallen
    /// further behind is disconnected.
    pub max_queued_bytes: usize,
}

impl Default for MirrorServerConfig {
    fn default() -> Self {
        Self {
            ping_interval: PING_INTERVAL,
            time_snapshots: true,
            unreliable_baseline_interval: BASELINE_INTERVAL,
            unreliable_redundancy: false,
            authenticate: false,
            spawn_policy: SpawnPolicy::default(),
            max_elements: MAX_ELEMENTS,
            max_messages: 10_000,
            max_events: 100_000,
            command_rate: 100.0,
            max_queued_bytes: 16 * 1024 * 1024,
        }
    }
}

/// How a [`MirrorClient`](crate::MirrorClient) behaves. [`Default`] is what Mirror's own client does with
/// its `NetworkManager`, but for scenes, which are up to the program.
///
/// ```
/// use syncvar_mirror::MirrorClientConfig;
///
/// let mut watcher = MirrorClientConfig::default();
/// watcher.auto_add_player = false;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct MirrorClientConfig {
    /// Whether to say that the client is ready as soon as the connection stands, and after every scene
    /// that the server has it load; `true` unless set. With an authenticator it is up to the program.
    pub auto_ready: bool,
    /// Whether to ask for a player with that (`NetworkManager.autoCreatePlayer`); `true` unless set.
    pub auto_add_player: bool,
    /// Whether the server has a scene of its own that this client is to load first, as a
    /// `NetworkManager` with an `onlineScene` knows: then nothing of the above happens before the first
    /// [`scene_loaded`](crate::MirrorClient::scene_loaded), and always then. `false` unless set.
    pub awaits_scene: bool,
    /// How often the server is asked for its time; every 0.1 s unless set, as Mirror's
    /// `NetworkTime.PingInterval`; never if it is zero. A server needs no pings, but Telepathy closes
    /// connections that are silent for 30 s, KCP those that are silent for 10 s.
    pub ping_interval: Duration,
    /// Whether each update tells the server the time (`TimeSnapshotMessage`); `true` unless set.
    pub time_snapshots: bool,
    /// How often the whole state of components that this client writes and that travel unreliably
    /// ([`SyncMethod::Hybrid`](crate::SyncMethod::Hybrid)) is sent reliably, where something of it has changed:
    /// at every whole multiple of this time. Once a second unless set; with every update if it is zero.
    pub unreliable_baseline_interval: Duration,
    /// The most objects that the server can make this client hold, 1 000 000 unless set; a server that
    /// spawns more is left.
    pub max_objects: usize,
    /// The most elements that a sequence or a collection can have, 1 048 576 unless set; more are an error
    /// of the object.
    pub max_elements: usize,
    /// The most bytes of objects that are kept until a burst of them is complete, and of messages that are
    /// kept until a scene is loaded, 256 MiB unless set; a server that sends more is left.
    pub max_parked_bytes: usize,
    /// The most events that are kept to be polled, besides one for each object of a burst; 100 000 unless
    /// set. The oldest go first.
    pub max_events: usize,
}

impl Default for MirrorClientConfig {
    fn default() -> Self {
        Self {
            auto_ready: true,
            auto_add_player: true,
            awaits_scene: false,
            ping_interval: PING_INTERVAL,
            time_snapshots: true,
            unreliable_baseline_interval: BASELINE_INTERVAL,
            max_objects: 1_000_000,
            max_elements: MAX_ELEMENTS,
            max_parked_bytes: 256 * 1024 * 1024,
            max_events: 100_000,
        }
    }
}
