//! Zones: a world partitioned over processes. So far the state machine of a handover, with its proof.

#[cfg(test)]
mod command_queue;
#[cfg(test)]
mod handovers;
mod ids;

pub use ids::{ClientId, ZoneId};
