//! `MirrorClient`, as a program uses it: behaviours through the facade, a server made by hand.

#[path = "client/game.rs"]
mod game;
#[path = "client/recorded.rs"]
mod recorded;
