//! Common parts of the benches: one workload, hand-written floors, and a server for the workload.
//!
//! `benches/peers` includes this folder too, so that every library is measured with the same objects
//! and the same changes.

#![allow(dead_code, reason = "each bench uses some of it")]
#![allow(
    clippy::mod_module_files,
    reason = "cargo would take `benches/support.rs` for a bench"
)]

pub(crate) mod cell;
pub(crate) mod floor;
pub(crate) mod floor_codec;
pub(crate) mod grid_world;
pub(crate) mod outbox;
pub(crate) mod random;
pub(crate) mod replication;
pub(crate) mod workload;
