//! The protocols UNet and Compact of `syncvar`: messages, a server and a client.
//!
//! Use it through the crate `syncvar`, which re-exports it.
//!
//! The crate has no I/O, no clock and no random numbers. The input of a [`NetworkServer`] is packets,
//! connections and the time; its output is packets and events. A [`NetworkClient`] is its counterpart.
//! Any transport that carries packets fits. [`MemoryNetwork`] simulates one for tests.
#![warn(clippy::print_stdout)]

mod builds;
mod client;
mod context;
mod id_set;
mod link;
mod memory;
mod message;
mod recent;
mod record;
mod save;
mod server;
mod session_token;
mod stats;
mod step;
mod unet;
mod view;

pub use builds::Builds;
pub use client::{
    ClientConfig, ClientEvent, ClientPacket, ClientState, LinkQuality, NetworkClient,
    PredictedTicks, PredictionStats, RefusedCommand, Replica, ReplicaMut, ReplicaSink,
    SpawnFailure,
};
pub use context::NetworkContextExt;
pub use link::losses::Losses;
pub use link::settings::LossSettings;
pub use memory::{DifferenceKind, MemoryNetwork, ReplicaDifference, compare_replicas};
pub use message::{Framing, MessageType, RefusalReason};
pub use record::{
    RecordDifferences, RecordEntry, RecordEntryKind, RecordError, RecordItem, RecordMerge,
    RecordPart, TickRecord,
};
pub use save::{PendingSave, Save, SaveError};
pub use server::{
    Admission, BehaviourMut, Budget, Decision, JoinRequest, LocalClient, NetworkServer,
    PacketError, ParentError, Past, PrivateRecord, RecordExcerpt, RemoteMessage, Replicated,
    SchemaRequests, ServerConfig, ServerEvent, ServerWrites, SpawnOptions,
};
pub use session_token::SessionToken;
pub use stats::Stats;
pub use step::Group;
pub use unet::{ListError, ListHash, ListOperation, SyncListMessage, UnetOperations};
pub use view::View;
