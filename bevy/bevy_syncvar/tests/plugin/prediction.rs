//! Fixed ticks, predictions, their rollback and their views, in virtual time.

mod conditions;
mod fields;
mod markers;
mod rewind;
mod rig;
mod spawns;
mod ticks;
