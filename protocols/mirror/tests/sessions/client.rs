//! `MirrorClient`, as a program uses it: behaviours through the facade, a server made by hand.

mod callbacks;
mod calls;
mod foreign;
pub(crate) mod game;
mod joining;
mod malformed;
mod objects;
mod recorded;
mod scenes;
mod server;
mod time;
mod writing;
