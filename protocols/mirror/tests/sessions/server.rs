//! What a game and its Mirror clients can rely on from a `MirrorServer`, through the facade.

pub(crate) mod net;
pub(crate) mod watcher;

mod calls;
mod components;
mod hostile;
mod limits;
mod objects;
mod sessions;
mod too_long;
mod unreliable;
mod world;
