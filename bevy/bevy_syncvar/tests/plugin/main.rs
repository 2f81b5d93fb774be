//! The plugin, in two apps of one process.

mod first;
mod random;
mod semantics;
mod smallest;
mod support;
