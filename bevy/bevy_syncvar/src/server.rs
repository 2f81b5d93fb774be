//! The server of an app.

mod collect;
mod plugin;
mod session;
mod written;

pub use plugin::ServerPlugin;
