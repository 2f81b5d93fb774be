//! Delivery: the receivers of an entity, the order, and the amount.

#[cfg(feature = "transform")]
mod grid;
mod interest;
mod rules;

#[cfg(feature = "transform")]
pub use grid::Viewpoint;
#[cfg(feature = "transform")]
pub(crate) use grid::collect_positions;
pub use interest::{Grid, Interest, Plane};
pub(crate) use rules::collect_rules;
pub use rules::{Group, Groups, NetBudget, OnlyFor, Priority, Room};
