//! Mirror's protocol for `syncvar`: Unity clients join a Rust server, and a Rust client joins a Mirror
//! server.
//!
//! Use it through the crate `syncvar`, as `syncvar::mirror` (feature `mirror`). The bytes are
//! Mirror's; `WIRE.md` beside this crate specifies them and lists the differences.
//!
//! ```
//! use std::time::Duration;
//! use syncvar::prelude::*;
//! use syncvar::Channel;
//! use syncvar::mirror::{
//!     Limits, MirrorClient, MirrorClientEvent, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerEvent,
//! };
//!
//! #[derive(NetworkBehaviour, Default)]
//! struct Player {
//!     #[sync_var(hook = on_health_changed)]
//!     health: SyncVar<i32>,
//! }
//! impl Player {
//!     fn on_health_changed(&mut self, previous: i32) {
//!         println!("health {previous} -> {}", self.health);
//!     }
//! }
//!
//! // The prefab as Unity knows it: its asset id, and its components in their order.
//! fn prefabs() -> MirrorPrefabs {
//!     MirrorPrefabs::new().register::<Player>(MirrorPrefab::new("Player", 1001.into()))
//! }
//!
//! // Both without I/O: what a transport carries goes in and comes out.
//! let mut server = MirrorServer::new(prefabs());
//! let mut client = MirrorClient::new(prefabs());
//! let connection = server.handle_connect(Limits::TELEPATHY);
//! client.handle_connect(Limits::TELEPATHY);
//! for tick in 1..5 {
//!     let now = Duration::from_millis(16 * tick);
//!     while let Some(event) = server.poll_event() {
//!         if let MirrorServerEvent::AddPlayerRequested { connection } = event {
//!             let player = server.add_player(connection, Player::default()).unwrap();
//!             server.get_mut::<Player>(player).unwrap().health.set(100);
//!         }
//!     }
//!     server.update(now);
//!     while let Some(transmit) = server.poll_transmit() {
//!         client.handle_packet(transmit.channel, &transmit.to_bytes()).unwrap();
//!     }
//!     client.update(now);
//!     while let Some(packet) = client.poll_transmit() {
//!         server.handle_packet(connection, packet.channel, &packet.bytes).unwrap();
//!     }
//! }
//! let player = client.local_player().unwrap();
//! assert_eq!(client.get::<Player>(player).unwrap().health, 100);
//! ```
//!
//! `MirrorHost` and `MirrorPeer` of the crate `syncvar-tokio` run the same two over sockets.
//!
//! # Mirror and `syncvar`
//!
//! | C# | here |
//! |---|---|
//! | `[SyncVar] int x` | `x: SyncVar<i32>`; the types are in `WIRE.md`, section 1 |
//! | `SyncList`, `SyncDictionary`, `SyncHashSet`, `SyncSortedSet` | the same |
//! | `T?`, and nullable references | `Option<T>` |
//! | a derived class | a field `#[network_behaviour(base)]` |
//! | `syncMode`, `syncDirection`, `syncMethod`, `syncInterval` of a component | [`Component`], or attributes such as `#[network_behaviour(sync_mode = owner)]` |
//! | `NetworkServer.unreliableBaselineRate`, `unreliableRedundancy` | [`MirrorServerConfig::unreliable_baseline_interval`], [`unreliable_redundancy`](MirrorServerConfig::unreliable_redundancy) |
//! | `[Command]`, `[ClientRpc]`, `[TargetRpc]` | `#[command]`, `#[client_rpc]`, `#[target_rpc]` in `#[network_calls]` |
//! | `requiresAuthority = false`, `includeOwner = false` | `requires_ownership = false`, `target = not_owner` |
//! | a prefab, its asset id | [`MirrorPrefab`], [`AssetId`] |
//! | a scene object | [`SceneId`] |
//! | `NetworkServer.Spawn`, `Destroy` and `UnSpawn` | [`MirrorServer::spawn`], [`despawn`](MirrorServer::despawn) |
//! | `NetworkServer.AddPlayerForConnection` | [`MirrorServer::add_player`] |
//! | `AssignClientAuthority`, `RemoveClientAuthority` | [`MirrorServer::set_owner`] |
//! | `NetworkMessage` | [`MirrorMessage`] |
//! | `OnStartServer`, `OnStartClient`, `OnStartAuthority`, ... | the callbacks of `NetworkLifecycle` |
//! | `NetworkTime.time`, `rtt` | [`MirrorClient::network_time`], [`rtt`](MirrorClient::rtt) |
//! | `NetworkTransformReliable`, `-Unreliable`, `-Hybrid`, `NetworkRigidbody...`, `NetworkAnimator`, `PredictedRigidbody` | [`components`] |
//! | `NetworkAuthenticator`, `BasicAuthenticator`, `TimeoutAuthenticator`, ... | [`authenticator`] |
//! | `DistanceInterestManagement`, `MatchInterestManagement`, ... | [`interest`], [`MirrorServer::with_mirror_interest`] |
//! | `NetworkStatistics`, `NetworkPingDisplay` | [`components::NetworkStatistics`], [`components::NetworkPingDisplay`] |
//! | `NetworkManager.ServerChangeScene`, `new SceneMessage` | [`MirrorServer::load_scene`], [`load_scene_on`](MirrorServer::load_scene_on) |
//! | `NetworkRoomManager`, `NetworkRoomPlayer` | [`room`] |
//! | `SnapshotInterpolationSettings`, `NetworkTime.unscaledTime` | [`MirrorClientConfig::interpolation`], [`MirrorClient::timeline`] |
//!
//! The program `mirror-import` of the repository writes the behaviours, calls and prefabs of a Unity project as a Rust
//! module, from the project's C# sources and prefabs.
//!
//! The encryption transport and `RemoteStatistics` are not part of the crate.
#![warn(clippy::print_stdout)]

#[cfg(feature = "authenticators")]
pub mod authenticator;
mod average;
pub mod batch;
mod client;
pub mod components;
mod compression;
mod config;
pub mod discovery;
mod endpoint;
mod error;
mod frames;
#[cfg(feature = "interest")]
pub mod interest;
mod interpolation;
pub mod message;
mod names;
mod prefabs;
#[cfg(feature = "room")]
pub mod room;
mod server;
mod unreliable;

pub use batch::{BatchError, Limits};
pub use client::{
    MirrorClient, MirrorClientEvent, MirrorClientStats, MirrorPacket, MirrorReplicaMut,
    MirrorSpawnFailure, PayloadMismatch, Replica, ReplicaSink, SceneChange, SceneObjectError,
};
pub use compression::CompressedQuaternion;
pub use config::{MirrorClientConfig, MirrorServerConfig, SpawnPolicy};
pub use error::MirrorError;
pub use message::{AuthRequestMessage, AuthResponseMessage, MirrorMessage};
pub use names::{AssetId, GuidError, SceneId, fnv1a32, hash16};
pub use prefabs::{
    Component, MirrorCall, MirrorPrefab, MirrorPrefabs, SyncDirection, SyncMethod, SyncMode,
};
pub use server::{
    LoadedScene, MirrorBehaviourMut, MirrorInterest, MirrorServer, MirrorServerEvent,
    MirrorServerStats, MirrorSpawnError, MirrorSpawnOptions, MirrorTransmit, Observed,
    ObservedSink, StateRefusal, Visibility,
};
pub use syncvar_runtime::PrefabError;
pub use syncvar_runtime::ReceivedMessage;
