//! Ordered collections of ids: [`Ids`], [`IdMap`], [`IdPairs`] and [`Relation`].
//!
//! The trees hold plain numbers and are compiled once, in this crate. A `BTreeMap` is compiled for
//! each pair of types, in each crate: thirty pairs were half of a protocol's build time.

mod ids;
mod map;
mod pairs;
mod relation;

pub use ids::Ids;
pub use map::IdMap;
pub use pairs::IdPairs;
pub use relation::{Relation, Sets};
