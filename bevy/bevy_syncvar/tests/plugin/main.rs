//! The plugin, in two apps of one process.

mod first;
mod random;
mod registration;
mod rules;
mod semantics;
mod shapes;
mod smallest;
mod support;
mod views;
