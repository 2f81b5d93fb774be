//! Ordered collections of ids: [`Ids`], [`IdMap`] and [`IdPairs`].
//!
//! Their trees hold plain numbers and are compiled once, in this crate. A `BTreeMap` is compiled for
//! each pair of types, in each crate: thirty of them were half of a protocol's build time.

mod ids;
mod map;
mod pairs;

pub use ids::Ids;
pub use map::IdMap;
pub use pairs::IdPairs;
