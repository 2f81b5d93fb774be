//! Ticks: `FixedUpdate` runs once for each tick of the server, and of the predictions of a client.

mod client;
mod input;
mod plugin;
mod server;
mod step;

pub(crate) use input::InputType;
pub use input::{HeldInput, TickInput};
pub use plugin::TickPlugin;
pub use step::new_tick;
pub(crate) use step::{has_ticks, tick_rate};
