//! UDP, in this crate's own datagrams, for tests and local networks: [`UdpServer`] and [`UdpClient`].
//!
//! A connection has a stream, which carries the reliable channels, and single datagrams for the packets of
//! unreliable channels. A lost datagram delays nothing else: state on an unreliable channel arrives late by its
//! repair alone.
//!
//! ```
//! use std::ops::ControlFlow;
//! use syncvar::prelude::*;
//! use syncvar::udp::{UdpClient, TransportOptions, UdpServer};
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
//!
//! let server = UdpServer::bind("127.0.0.1:0", server, TransportOptions::default()).await?;
//! let addr = server.local_addr()?;
//! tokio::spawn(server.run(move |server, _now| {
//!     // The game: once per tick. Here it ends as soon as a client has the ball.
//!     let over = server.connections().any(|connection| server.is_ready(connection));
//!     if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
//! }));
//!
//! let mut udp = UdpClient::connect(addr, NetworkClient::new(prefabs())).await?;
//! while let Some(event) = udp.next_event().await {
//!     if let ClientEvent::Spawned { object } = event {
//!         println!("the ball is at {:?}", udp.client().get::<Ball>(object).unwrap().position);
//!     }
//! }
//! assert!(udp.client().get::<Ball>(ball).is_some());
//! # Ok(())
//! # }
//! ```
//!
//! # Use
//!
//! Packets are neither encrypted nor authenticated: every program on the way can read and write them. The
//! window of the stream follows losses: 8 to 128 segments of 1 170 bytes on the way. Datagrams are sent at
//! once, whatever the link carries. Packets of unreliable channels have at
//! most 1 200 bytes and are never cut; with them a datagram has at most 1 212 bytes, which each link of IPv6
//! carries in one piece.
//!
//! # Handshake
//!
//! A client's first datagram has 32 bytes. The server answers with 17 bytes and stores no state: the cookie
//! in the answer is a keyed hash of the client's address and the time. The client proves its address with
//! the cookie, which is then the number of the connection in each datagram. The server tells a full house
//! and an unknown connection in 10 bytes; a client thus notices a restart of the server at once. WIRE.md,
//! section 8, has the bytes.

mod carrier;
mod connection;

pub use carrier::{Udp, UdpClient, UdpError, UdpServer};
pub use connection::UdpConnection;

pub use crate::kcp::KcpError;
pub use crate::{
    PeerAddrs, Reconnect, ReservedPlaces, Timeout, TransportCounters, TransportOptions,
    TransportStats,
};
