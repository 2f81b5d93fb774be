//! Transports for `syncvar`, on tokio: TCP, and Mirror's Telepathy and KCP.
//!
//! | feature | protocol | server | client |
//! |---|---|---|---|
//! | `tcp` | TCP, frames of this crate | `tcp::TcpServer` | `tcp::TcpClient` |
//! | `telepathy` | TCP, Mirror's Telepathy | `mirror::MirrorHost` | `mirror::MirrorPeer` |
//! | `kcp` | UDP, Mirror's KCP | `mirror::MirrorHost` | `mirror::MirrorPeer` |
//!
//! These types own a server or a client. Below them, a [`Host`] has the sockets of any server, and a
//! [`Peer`] the socket of any client: of any [`Endpoint`](syncvar_runtime::Endpoint). All of them need
//! a tokio runtime of any flavour, with I/O and time enabled.
//!
//! # Limits for clients
//!
//! A client can close its own connection. Every queue has a limit, which belongs to one connection:
//!
//! * A client that sends too much is read from more slowly, and by KCP loses unreliable packets. The
//!   others do not wait.
//! * A client that takes too little is disconnected once
//!   [`max_queued_bytes`](TransportOptions::max_queued_bytes) wait for it; over a stream also when it
//!   has taken no byte for the [`send_timeout`](TransportOptions::send_timeout).
//! * A client that sends a malformed or too large packet is disconnected; by TCP with the reason.
//! * A client that sends no packet after connecting is disconnected after the
//!   [`handshake_timeout`](TransportOptions::handshake_timeout).
//! * A client without a packet for the [`idle_timeout`](TransportOptions::idle_timeout) is
//!   disconnected, by KCP also without a datagram for the
//!   [`kcp_timeout`](TransportOptions::kcp_timeout).
//! * By KCP, a segment that is missing for the [`kcp_timeout`](TransportOptions::kcp_timeout) closes
//!   the connection, and segments beyond the client's inbox are refused: the client repeats them.
//! * A false sender address on datagrams makes a KCP server send one datagram of 30 bytes to it for
//!   each of 30 or more. The server stores no state for it.
//!
//! A well-behaved client keeps its place, and
//! [`max_connections`](TransportOptions::max_connections) of them keep all others out. Where strangers
//! can connect, the game should disconnect those that do not play. Packets are not encrypted: every
//! router on the way can read and write them.
//!
//! KCP and Telepathy have two channels, as Mirror: 0 (reliable) and 1 (unreliable); Telepathy delivers
//! all packets on channel 0.
#![warn(clippy::print_stdout)]

#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
mod admission;
mod error;
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
mod host;
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
mod link;
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
mod listener;
mod options;
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
mod peer;
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
mod silence;
mod stats;
#[cfg(any(feature = "tcp", feature = "telepathy"))]
mod stream;
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
mod turn;

#[cfg(feature = "kcp")]
pub mod kcp;
#[cfg(any(feature = "telepathy", feature = "kcp"))]
pub mod mirror;
#[cfg(feature = "tcp")]
pub mod tcp;
#[cfg(feature = "telepathy")]
pub mod telepathy;

#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
pub use admission::ReservedPlaces;
pub use error::{Timeout, TransportError};
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
pub use host::Host;
pub use options::{Reconnect, TransportOptions};
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "kcp"))]
pub use peer::Peer;
pub use stats::{TransportCounters, TransportStats};
#[cfg(any(feature = "tcp", feature = "telepathy"))]
pub use stream::{FrameError, Frames};

#[cfg(all(test, feature = "telepathy", feature = "kcp"))]
mod tests;
