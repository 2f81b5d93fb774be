//! What the tests of Mirror's own runtime check, for ours. `PARITY.md` has a row for each of them.

pub(crate) mod game;
pub(crate) mod world;

mod batching;
mod behaviours;
mod client;
mod identity;
mod messages;
mod page;
mod rpcs;
mod server;
mod sizes;
mod sync_vars;
mod values;
