//! The protocols UNet and Compact of `syncvar`: messages, a server and a client.
//!
//! Use it through the crate `syncvar`, which re-exports it.
//!
//! Nothing in here does I/O, looks at a clock or rolls dice. Into a [`NetworkServer`] go packets,
//! connections and the time; out of it come packets and events. A [`NetworkClient`] is its mirror.
//! Any transport that can carry packets will do; [`MemoryNetwork`] is one without a network, for
//! tests.
#![warn(clippy::print_stdout)]

mod client;
mod context;
mod id_set;
mod memory;
mod message;
mod server;
mod stats;
mod unet;

pub use client::{
    ClientConfig, ClientEvent, ClientPacket, ClientState, NetworkClient, Replica, ReplicaMut,
    ReplicaSink, SpawnFailure,
};
pub use context::NetworkContextExt;
pub use memory::{Link, MemoryNetwork};
pub use message::{Framing, MessageType};
pub use server::{
    BehaviourMut, Budget, LocalClient, NetworkServer, PacketError, ParentError, Replicated,
    ServerConfig, ServerEvent, ServerWrites, SpawnOptions, Transmit,
};
pub use stats::Stats;
pub use unet::{ListError, ListHash, ListOperation, SyncListMessage, UnetOperations};
