//! `MirrorClient`, as a program uses it: behaviours through the facade, a server made by hand.

#[path = "client/callbacks.rs"]
mod callbacks;
#[path = "client/calls.rs"]
mod calls;
#[path = "client/foreign.rs"]
mod foreign;
#[path = "client/game.rs"]
mod game;
#[path = "client/joining.rs"]
mod joining;
#[path = "client/malformed.rs"]
mod malformed;
#[path = "client/objects.rs"]
mod objects;
#[path = "client/recorded.rs"]
mod recorded;
#[path = "client/scenes.rs"]
mod scenes;
#[path = "client/server.rs"]
mod server;
#[path = "client/time.rs"]
mod time;
#[path = "client/writing.rs"]
mod writing;
