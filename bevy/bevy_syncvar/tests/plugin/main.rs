//! The plugin, in two apps of one process.

mod connections;
mod delivery;
mod entity_events;
mod failures;
mod first;
mod messages;
mod party;
mod prediction;
mod random;
mod registration;
mod replication;
mod replicon;
mod rules;
mod semantics;
mod shapes;
mod smallest;
#[cfg(feature = "tcp")]
mod sockets;
mod support;
mod transforms;
mod views;
