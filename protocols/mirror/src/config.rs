//! Settings of a server and a client.

use std::time::Duration;

use syncvar_runtime::Limits;

use crate::interpolation::InterpolationSettings;

/// Mirror's `NetworkTime.PingInterval`.
const PING_INTERVAL: Duration = Duration::from_millis(100);
/// Mirror's `NetworkManager.sendRate`.
const SEND_RATE: u32 = 60;
/// Interval of Mirror's `NetworkServer.unreliableBaselineRate`.
const BASELINE_INTERVAL: Duration = Duration::from_secs(1);

/// Moment at which a connection receives the existing objects.
///
/// ```
/// use syncvar::mirror::{MirrorServerConfig, SpawnPolicy};
///
/// assert_eq!(MirrorServerConfig::default().spawn_policy, SpawnPolicy::WithPlayer);
/// let for_spectators = MirrorServerConfig {
///     spawn_policy: SpawnPolicy::WhenReady,
///     ..MirrorServerConfig::default()
/// };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpawnPolicy {
    /// With its player, as in Mirror: after the ready message and
    /// `NetworkServer.AddPlayerForConnection`. A connection receives no objects before that.
    /// Mirror's server sends new spawns meanwhile, which its client cannot keep up to date.
    #[default]
    WithPlayer,
    /// With its ready message: for connections that only watch.
    WhenReady,
}

/// Settings of a [`MirrorServer`](crate::MirrorServer). [`Default`] is the behaviour of Mirror's
/// server.
///
/// ```
/// use syncvar::mirror::{MirrorServerConfig, SpawnPolicy};
///
/// let config = MirrorServerConfig {
///     tick_rate: 30,
///     spawn_policy: SpawnPolicy::WhenReady,
///     ..MirrorServerConfig::default()
/// };
/// ```
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct MirrorServerConfig {
    /// Updates per second by a transport (`MirrorHost::run`); 60 by default, as Mirror's
    /// `NetworkManager.sendRate`, at least 1. Components without an interval are sent with each update.
    pub tick_rate: u32,
    /// Interval of pings to each connection, which also keep it alive; 0.1 s by default, as
    /// Mirror's `NetworkTime.PingInterval`. Zero disables them. Clients need no pings.
    pub ping_interval: Duration,
    /// Interpolation of received states: see [`Timeline`](crate::components::Timeline).
    pub interpolation: InterpolationSettings,
    /// Sends the time to every ready connection with each update (`TimeSnapshotMessage`), the base
    /// of Mirror's `NetworkTime.time` on clients. `true` by default.
    pub time_snapshots: bool,
    /// Interval of baselines for changed hybrid components
    /// ([`SyncMethod::Hybrid`](crate::SyncMethod::Hybrid)), at whole multiples of this time. One
    /// second by default, as Mirror's `NetworkServer.unreliableBaselineRate`; zero sends one with
    /// every update.
    pub unreliable_baseline_interval: Duration,
    /// Sends unreliable deltas twice with each update, against packet loss. `false` by default, as
    /// Mirror's `NetworkServer.unreliableRedundancy`. The two share a batch if they fit.
    pub unreliable_redundancy: bool,
    /// Requires [acceptance](crate::MirrorServer::accept) of each connection by the game. Until
    /// then, only pings, times and [allowed](crate::MirrorServer::allow_unauthenticated) messages
    /// are valid; further messages disconnect the client. `false` by default, as in Mirror without an
    /// authenticator.
    pub authenticate: bool,
    /// Moment at which a connection receives the existing objects.
    pub spawn_policy: SpawnPolicy,
    /// Limits of clients: elements, memory, work and depth of their input, rates, places and time to
    /// ready. A write beyond them is refused, a message of a different kind disconnects the client.
    pub limits: Limits,
    /// Limit of unpolled events, 100 000 by default; the oldest are dropped.
    pub max_events: usize,
    /// Whether [`MirrorServerStats::profile`](crate::MirrorServerStats::profile) counts the bytes of each
    /// object and field; off by default. A delta is then encoded three times.
    pub profile: bool,
    /// Limit of queued bytes per connection, 16 MiB by default; more disconnect the client.
    pub max_queued_bytes: usize,
}

impl Default for MirrorServerConfig {
    fn default() -> Self {
        Self {
            tick_rate: SEND_RATE,
            ping_interval: PING_INTERVAL,
            interpolation: InterpolationSettings::default(),
            time_snapshots: true,
            unreliable_baseline_interval: BASELINE_INTERVAL,
            unreliable_redundancy: false,
            authenticate: false,
            spawn_policy: SpawnPolicy::default(),
            limits: Limits::default(),
            max_events: 100_000,
            profile: false,
            max_queued_bytes: 16 * 1024 * 1024,
        }
    }
}

/// Settings of a [`MirrorClient`](crate::MirrorClient). [`Default`] is the behaviour of Mirror's
/// client with its `NetworkManager`, except that the program loads the scenes.
///
/// ```
/// use syncvar::mirror::MirrorClientConfig;
///
/// let watcher = MirrorClientConfig {
///     auto_add_player: false,
///     ..MirrorClientConfig::default()
/// };
/// ```
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct MirrorClientConfig {
    /// Updates per second by a transport, and ticks per second of
    /// [`network_time_at`](crate::MirrorClient::network_time_at); 60 by default, as Mirror's
    /// `NetworkManager.sendRate`, at least 1.
    pub tick_rate: u32,
    /// Sends the ready message with each connection, and after every scene change; `true` by
    /// default. With an authenticator the program sends it.
    pub auto_ready: bool,
    /// Asks for a player with the ready message (`NetworkManager.autoCreatePlayer`); `true` by
    /// default.
    pub auto_add_player: bool,
    /// Expects a first scene from the server, like a `NetworkManager` with an `onlineScene`: the
    /// ready message and the request for a player wait for the first
    /// [`scene_loaded`](crate::MirrorClient::scene_loaded), and then always follow. `false` by
    /// default.
    pub awaits_scene: bool,
    /// Interval of pings to the server; 0.1 s by default, as Mirror's `NetworkTime.PingInterval`.
    /// Zero disables them. A server needs no pings, but Telepathy closes connections after 30 s of
    /// silence, KCP after 10 s.
    pub ping_interval: Duration,
    /// Interpolation of received states: see [`Timeline`](crate::components::Timeline).
    pub interpolation: InterpolationSettings,
    /// Sends the time to the server with each update (`TimeSnapshotMessage`); `true` by default.
    pub time_snapshots: bool,
    /// Interval of baselines for changed hybrid components that this client writes
    /// ([`SyncMethod::Hybrid`](crate::SyncMethod::Hybrid)), at whole multiples of this time. One
    /// second by default; zero sends one with every update.
    pub unreliable_baseline_interval: Duration,
    /// Limit of objects, 1 000 000 by default; beyond it the client disconnects.
    pub max_objects: usize,
    /// Limit of the memory of all objects that the server can make this client hold, in bytes; 512 MiB by
    /// default. A spawn beyond it fails. An object counts with the sizes of its behaviours, also after its
    /// despawn as long as objects of its prefab keep the place. Contents of strings and collections
    /// count in [`Limits::max_memory`] alone, and objects of the scene do not count.
    pub max_object_memory: usize,
    /// Limits of the input of the server: elements, memory, work and depth. Input beyond them is an
    /// error of its object.
    pub limits: Limits,
    /// Limit of bytes that wait for the end of a burst or a scene change, 256 MiB by default;
    /// beyond it the client disconnects.
    pub max_parked_bytes: usize,
    /// Limit of unpolled events, besides one per object of a burst; 100 000 by default. The oldest
    /// are dropped.
    pub max_events: usize,
}

impl Default for MirrorClientConfig {
    fn default() -> Self {
        Self {
            tick_rate: SEND_RATE,
            auto_ready: true,
            auto_add_player: true,
            awaits_scene: false,
            ping_interval: PING_INTERVAL,
            interpolation: InterpolationSettings::default(),
            time_snapshots: true,
            unreliable_baseline_interval: BASELINE_INTERVAL,
            max_objects: 1_000_000,
            max_object_memory: 512 << 20,
            limits: Limits::default(),
            max_parked_bytes: 256 * 1024 * 1024,
            max_events: 100_000,
        }
    }
}
