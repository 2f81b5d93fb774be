//! Components that travel unreliably, Mirror's `SyncMethod.Hybrid`: a server and clients of ours over links
//! that lose and reorder, and what either writes, byte for byte.

pub(crate) mod net;

mod client;
mod owners;
mod prefabs;
mod server;
mod trouble;
mod worlds;
