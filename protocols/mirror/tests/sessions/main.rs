//! Servers and clients in a session.

mod authenticators;
mod both;
mod client;
mod context_hooks;
mod event_readers;
mod found;
mod hybrid;
mod parity;
mod rooms;
mod scenes;
mod seeing;
mod server;
mod transforms;
