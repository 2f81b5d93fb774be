//! The plugin, in two apps of one process.

mod first;
mod random;
mod rules;
mod semantics;
mod shapes;
mod smallest;
mod support;
mod views;
