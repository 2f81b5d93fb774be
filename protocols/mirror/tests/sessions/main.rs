//! Servers and clients in a session.

mod both;
mod client;
mod context_hooks;
mod found;
mod hybrid;
mod parity;
mod server;
mod transforms;
