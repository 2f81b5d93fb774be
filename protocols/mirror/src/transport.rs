//! Mirror's transports, on tokio: Telepathy (TCP) and KCP (UDP).
//!
//! A [`MirrorHost`] owns a [`MirrorServer`](crate::MirrorServer), listens, and updates it at a steady
//! rate; a [`MirrorPeer`] owns a [`MirrorClient`](crate::MirrorClient) and its connection. Either speaks
//! to Unity's side as to ours. Both need a tokio runtime of any flavour, with I/O and time enabled.
//!
//! Which of the two: what the Unity side has in its `NetworkManager`. KCP is Mirror's default, has an
//! unreliable channel, and does not wait for what was lost before it gives out what is unreliable.
//! A host can listen for both.
//!
//! # What a client can do to a server
//!
//! It can close its own connection. Every queue has a limit, and it is the connection's own:
//!
//! * A client that sends more than it should is read from more slowly, and by KCP loses what is
//!   unreliable; the others do not wait.
//! * A client that takes too little, or nothing at all, is disconnected once
//!   [`max_queued_bytes`](TransportOptions::max_queued_bytes) wait for it, or when it has taken nothing
//!   for the [`send_timeout`](TransportOptions::send_timeout) (Telepathy).
//! * A client that sends something malformed or too large is disconnected.
//! * A client that is silent is disconnected: by Telepathy after the
//!   [`receive_timeout`](TransportOptions::receive_timeout), by KCP after the
//!   [`kcp_timeout`](TransportOptions::kcp_timeout).
//! * Whoever writes a false address on his datagrams makes the server send there one datagram of 54
//!   bytes for each of 30 or more. The server remembers nothing of him.
//!
//! What it can do besides: a client that is there and does nothing wrong keeps its place, and
//! [`max_connections`](TransportOptions::max_connections) of them keep everybody else out. Nothing is
//! encrypted, as in Mirror: whoever is on the way can read and write everything.

mod error;
mod game;
mod host;
mod mirror;
mod options;
mod peer;

#[cfg(feature = "kcp")]
pub mod kcp;
#[cfg(feature = "telepathy")]
pub mod telepathy;

pub use error::TransportError;
pub use mirror::{MirrorHost, MirrorPeer};
pub use options::TransportOptions;

#[cfg(test)]
mod tests;
