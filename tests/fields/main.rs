//! Fields and collections of a behaviour.

mod assign;
mod behaviours;
mod by_hand;
mod collections;
mod derive;
mod hooks;
pub mod hygiene;
mod initial_hooks;
mod moves;
mod ownership;
mod prelude;
mod required_items;
mod synchronize;
mod typed_changes;
