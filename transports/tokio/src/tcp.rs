//! TCP, in this crate's own frames: [`TcpServer`] and [`TcpClient`].
//!
//! ```
//! use std::ops::ControlFlow;
//! use syncvar::prelude::*;
//! use syncvar::tcp::{TcpClient, TransportOptions, TcpServer};
//!
//! #[derive(NetworkBehaviour, Default)]
//! struct Door {
//!     #[sync_var]
//!     open: SyncVar<bool>,
//! }
//!
//! fn prefabs() -> Prefabs {
//!     Prefabs::new().register::<Door>("door")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let mut server = NetworkServer::new(prefabs());
//! let door = server.spawn(Door { open: true.into() });
//!
//! let server = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default()).await?;
//! let addr = server.local_addr()?;
//! tokio::spawn(server.run(move |server, _now| {
//!     // The game: once per tick. Here it ends as soon as a client has the door.
//!     let over = server.connections().any(|connection| server.is_ready(connection));
//!     if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
//! }));
//!
//! let mut tcp = TcpClient::connect(addr, NetworkClient::new(prefabs())).await?;
//! while let Some(event) = tcp.next_event().await {
//!     if let ClientEvent::Spawned { object } = event {
//!         println!("the door is open: {}", tcp.client().get::<Door>(object).unwrap().open);
//!     }
//! }
//! assert_eq!(tcp.client().get::<Door>(door).unwrap().open, true);
//! # Ok(())
//! # }
//! ```
//!
//! # Frames
//!
//! Each packet travels as one frame, the same in both directions:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | length of the rest: `u32`, big-endian |
//! | 1 | number of the channel |
//! | n | packet, at least one byte |
//!
//! TCP loses nothing and keeps the order, so every channel is as good as a reliable channel.

mod carrier;
mod port;

pub use carrier::{Tcp, TcpClient, TcpError, TcpServer};
pub use port::{TcpAcceptor, TcpPort, configure, configure_client, exchange, serve};

pub use crate::{
    PeerAddrs, Reconnect, ReservedPlaces, Timeout, TransportCounters, TransportOptions,
    TransportStats,
};
