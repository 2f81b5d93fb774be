//! Mirror's protocol for `syncvar`.
#![warn(clippy::print_stdout)]

pub mod batch;
mod client;
mod config;
mod error;
pub mod message;
mod names;
mod prefabs;
mod server;
#[cfg(any(feature = "telepathy", feature = "kcp"))]
pub mod transport;

pub use batch::{BatchError, Limits};
pub use client::{
    MirrorClient, MirrorClientEvent, MirrorClientStats, MirrorPacket, MirrorReplicaMut,
    MirrorSpawnFailure, PayloadMismatch, SceneChange, SceneObjectError,
};
pub use config::{MirrorClientConfig, MirrorServerConfig, SpawnPolicy};
pub use error::MirrorError;
pub use message::{AuthRequestMessage, AuthResponseMessage, MirrorMessage, ReceivedMessage};
pub use names::{AssetId, GuidError, SceneId, fnv1a32, hash16};
pub use prefabs::{Component, MirrorCall, MirrorPrefab, MirrorPrefabs, SyncDirection, SyncMode};
pub use server::{
    CommandRefusal, DisconnectReason, MirrorBehaviourMut, MirrorServer, MirrorServerEvent,
    MirrorServerStats, MirrorSpawnError, MirrorSpawnOptions, MirrorTransmit, StateRefusal,
    Visibility,
};
