//! Ordered collections of ids: [`IdMap`] and [`IdPairs`].
//!
//! Their trees hold plain numbers and are compiled once, in this crate. A `BTreeMap` is compiled for
//! each pair of types, in each crate: thirty of them were half of a protocol's build time.

mod map;
mod pairs;

pub use map::IdMap;
pub use pairs::IdPairs;
