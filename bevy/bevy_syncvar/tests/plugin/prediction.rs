//! Fixed ticks, predictions, their rollback and their views, in virtual time.

mod conditions;
mod markers;
mod rig;
mod ticks;
