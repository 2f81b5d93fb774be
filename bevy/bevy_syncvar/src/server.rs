//! The server of an app.

mod collect;
mod plugin;
mod rewind;
mod session;
mod written;

pub use plugin::ServerPlugin;
pub use rewind::{Past, RewindWorld, Rewound};
