//! QUIC for `syncvar`: [`QuicPort`] on the server, [`QuicClient`] on a client.
//!
//! A connection is encrypted and has a stream, which carries the reliable channels, and datagrams for the packets of
//! unreliable channels. A lost datagram delays nothing else, and its fields come back as backlog.
//!
//! ```
//! use std::ops::ControlFlow;
//! use syncvar::prelude::*;
//! use syncvar::quic::{QuicClient, QuicPort};
//! use syncvar::tcp::TransportOptions;
//! use syncvar::tls::{Identity, Trust};
//! use syncvar::transport::Host;
//!
//! #[derive(NetworkBehaviour, Default)]
//! #[network_behaviour(channel = unreliable)]
//! struct Ball {
//!     #[sync_var]
//!     position: SyncVar<Vector2>,
//! }
//!
//! fn prefabs() -> Prefabs {
//!     Prefabs::new().register::<Ball>("ball")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let mut server = NetworkServer::new(prefabs());
//! let ball = server.spawn(Ball::default());
//! let identity = Identity::generated(&["localhost"])?;
//! let trust = Trust::hashes(identity.hashes());
//! let mut host = Host::new(TransportOptions::default());
//! host.listen("127.0.0.1:0", QuicPort::new(&identity))?;
//! let addr = host.local_addrs()?[0];
//! tokio::spawn(async move { host.run(&mut server, |_, _| ControlFlow::Continue(())).await });
//!
//! let quic = QuicClient::new(&addr.to_string(), trust);
//! let mut quic = quic.connect(NetworkClient::new(prefabs()), TransportOptions::default()).await?;
//! while quic.next_event().await != Some(ClientEvent::Ready) {}
//! assert!(quic.client().get::<Ball>(ball).is_some());
//! # Ok(())
//! # }
//! ```
//!
//! # Connections
//!
//! The protocol (ALPN) is `syncvar/1`. The server answers each first datagram with a retry: it stores no state for an
//! unproved address. The client opens one bidirectional stream; its bytes are frames of TCP. A datagram is the
//! number of the channel, and the packet. WIRE.md, section 8, has the bytes.
//!
//! With the feature `webtransport` the port accepts the protocol `h3`, too: browsers open one WebTransport session on any path, and
//! one bidirectional stream in it.
//!
//! The limits are the same as by TCP ([`TransportOptions`](syncvar_tokio::tcp::TransportOptions)): places, rate, handshake deadline, silence, queues and
//! shares. The `idle_timeout` is also the longest time without a datagram of QUIC: the connection has vanished then. A
//! datagram that finds a full queue on either side is lost, and counted.
#![warn(clippy::print_stdout)]

mod client;
mod config;
mod connection;
mod port;
#[cfg(feature = "webtransport")]
mod web;

pub use client::QuicClient;
pub use port::{QuicAcceptor, QuicPort, QuicSocket};

#[cfg(test)]
mod tests;
