//! The resources of the ends.

mod client;
mod server;

pub use client::Client;
pub use server::Server;
