//! Mirror's protocol for `syncvar`.
#![warn(clippy::print_stdout)]

mod batch;
mod client;
mod config;
mod message;
mod names;
mod prefabs;
mod server;
#[cfg(any(feature = "telepathy", feature = "kcp"))]
pub mod transport;
