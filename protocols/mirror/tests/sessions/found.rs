//! What has been found wrong once, and is not to come back: a server of ours and clients that do what
//! Mirror's do.

pub(crate) mod net;

mod broken;
mod joining;
mod moves;
mod owners;
mod states;
mod steps;
mod unsent;
mod world;
