//! The plugin, in two apps of one process.

mod first;
mod support;
