//! The client of an app.

mod apply;
mod collect;
mod plugin;
mod session;

pub use plugin::ClientPlugin;
