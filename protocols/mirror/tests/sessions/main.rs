//! Servers and clients in a session.

mod both;
mod client;
mod found;
mod hybrid;
#[cfg(feature = "kcp")]
mod kcp_interop;
mod parity;
mod server;
mod transports;
