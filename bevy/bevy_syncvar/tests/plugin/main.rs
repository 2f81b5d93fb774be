//! The plugin, in two apps of one process.

mod connections;
mod entity_events;
mod first;
mod messages;
mod party;
mod random;
mod registration;
mod rules;
mod semantics;
mod shapes;
mod smallest;
mod support;
mod views;
