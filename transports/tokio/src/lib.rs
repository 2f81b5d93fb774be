//! Transports for `syncvar`, on tokio: TCP, UDP, and Mirror's Telepathy and KCP.
//!
//! | feature | protocol | server | client |
//! |---|---|---|---|
//! | `tcp` | TCP, frames of this crate | `tcp::TcpServer` | `tcp::TcpClient` |
//! | `udp` | UDP, datagrams of this crate | `udp::UdpServer` | `udp::UdpClient` |
//! | `telepathy` | TCP, Mirror's Telepathy | `mirror::MirrorHost` | `mirror::MirrorPeer` |
//! | `kcp` | UDP, Mirror's KCP | `mirror::MirrorHost` | `mirror::MirrorPeer` |
//! | `mirror` | a port of a further crate: `syncvar-websocket` | `mirror::MirrorHost` | `mirror::MirrorPeer` |
//!
//! These types own a server or a client and its clock, and run on tokio, in a runtime of any flavour
//! with I/O and time enabled. Below them, a [`Host`] has the sockets of any server, and a [`Peer`] the
//! socket of any client: of any [`Endpoint`](syncvar_runtime::Endpoint). Programs with a loop drive
//! these two by `receive` and `transmit`, with or without a runtime.
//!
//! # Limits for clients
//!
//! A client can close its own connection, and use up its own share. Each limit is an option of
//! [`TransportOptions`] and has a counter in [`TransportStats`]:
//!
//! * An address has at most
//!   [`max_connections_per_address`](TransportOptions::max_connections_per_address) places of
//!   [`max_connections`](TransportOptions::max_connections). Some places can be
//!   [`reserved`](TransportOptions::reserved). New connections beyond
//!   [`max_accepts_per_second`](TransportOptions::max_accepts_per_second) wait.
//! * A client that sends no packet after connecting is disconnected after the
//!   [`handshake_timeout`](TransportOptions::handshake_timeout).
//! * A client without a packet for the [`idle_timeout`](TransportOptions::idle_timeout) is
//!   disconnected, by KCP and UDP also without a datagram for the
//!   [`silence_timeout`](TransportOptions::silence_timeout). TCP's probes find a vanished client in the same
//!   time.
//! * A client that sends too much is read from more slowly once
//!   [`max_inbox_bytes`](TransportOptions::max_inbox_bytes) wait, and by KCP and UDP loses unreliable packets.
//!   A tick handles [`max_tick_bytes`](TransportOptions::max_tick_bytes) of the clients' input: small packets
//!   of each client first, then long packets by turns.
//! * A client that takes too little is disconnected once
//!   [`max_queued_bytes`](TransportOptions::max_queued_bytes) wait for it; over a stream also when it
//!   has taken no byte for the [`stall_timeout`](TransportOptions::stall_timeout).
//! * A client that sends a malformed or too large packet is disconnected; by TCP and UDP with the reason. The
//!   server reads at most [`max_linger_bytes`](TransportOptions::max_linger_bytes) more of its bytes.
//! * By KCP and UDP, a segment that is missing for the [`silence_timeout`](TransportOptions::silence_timeout) closes
//!   the connection, and segments beyond the client's inbox are refused: the client repeats them.
//! * A false sender address on datagrams makes a KCP server send one datagram of 54 bytes to it for
//!   each of 30 or more, and a UDP server a datagram of 17 bytes for every 32. The server stores no state for it.
//!
//! A well-behaved client keeps its place: clients from 16 addresses can take all 1024 places. Packets
//! are not encrypted: every router on the way can read and write them.
//!
//! # Limits for servers
//!
//! A client has the [`connect_timeout`](TransportOptions::connect_timeout), the `handshake_timeout` and
//! the `idle_timeout` for its server, each with a [`Timeout`]. With
//! [`reconnect`](TransportOptions::reconnect) it connects again after a lost connection.
//!
//! KCP and Telepathy have two channels, as Mirror: 0 (reliable) and 1 (unreliable); Telepathy delivers
//! all packets on channel 0.
#![warn(clippy::print_stdout)]

#[cfg(feature = "_sockets")]
mod admission;
#[cfg(any(feature = "tcp", feature = "udp"))]
mod carrier;
#[cfg(feature = "_sockets")]
mod conditions;
#[cfg(any(feature = "kcp", feature = "udp"))]
mod datagram;
mod error;
#[cfg(feature = "_sockets")]
mod frame_transport;
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "udp"))]
mod frames;
#[cfg(feature = "_sockets")]
mod gate;
#[cfg(feature = "_sockets")]
mod host;
#[cfg(feature = "_sockets")]
mod link;
#[cfg(feature = "_sockets")]
mod listener;
#[cfg(any(feature = "tcp", feature = "udp"))]
mod network_client;
#[cfg(any(feature = "tcp", feature = "udp"))]
mod network_host;
#[cfg(any(feature = "tcp", feature = "udp"))]
mod network_peer;
mod options;
#[cfg(feature = "_sockets")]
mod peer;
#[cfg(feature = "_sockets")]
mod peers;
#[cfg(feature = "_sockets")]
mod runtime;
#[cfg(feature = "_sockets")]
mod shaped_link;
#[cfg(feature = "_sockets")]
mod shaping;
#[cfg(feature = "_sockets")]
mod silence;
mod stats;
#[cfg(any(feature = "tcp", feature = "telepathy"))]
mod stream;
#[cfg(feature = "_sockets")]
mod turn;

#[cfg(any(feature = "kcp", feature = "udp"))]
pub mod kcp;
#[cfg(feature = "mirror")]
pub mod mirror;
#[cfg(feature = "_sockets")]
pub mod tasks;
#[cfg(feature = "tcp")]
pub mod tcp;
#[cfg(feature = "telepathy")]
pub mod telepathy;
#[cfg(feature = "udp")]
pub mod udp;

#[cfg(any(feature = "tcp", feature = "udp"))]
pub use carrier::Carrier;
#[cfg(feature = "_sockets")]
pub use conditions::LinkConditions;
pub use error::{Timeout, TransportError};
#[cfg(any(feature = "tcp", feature = "telepathy", feature = "udp"))]
pub use frames::{FrameError, Frames};
#[cfg(feature = "_sockets")]
pub use host::Host;
#[cfg(any(feature = "tcp", feature = "udp"))]
pub use network_client::client_options;
#[cfg(any(feature = "tcp", feature = "udp"))]
pub use network_host::NetworkHost;
#[cfg(any(feature = "tcp", feature = "udp"))]
pub use network_peer::NetworkPeer;
pub use options::{ReservedPlaces, TransportOptions};
#[cfg(feature = "_sockets")]
pub use peer::Peer;
#[cfg(feature = "_sockets")]
pub use peers::PeerAddrs;
pub use stats::{TransportCounters, TransportStats};
pub use syncvar_runtime::endpoint::Reconnect;

#[cfg(all(test, feature = "telepathy", feature = "kcp"))]
mod tests;
