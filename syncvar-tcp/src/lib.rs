//! A TCP transport for `syncvar`, on tokio.
//!
//! A [`TcpServer`] owns a [`NetworkServer`](syncvar_net::NetworkServer), listens, and updates it
//! at a steady rate; a [`TcpClient`] owns a [`NetworkClient`](syncvar_net::NetworkClient) and
//! its connection:
//!
//! ```
//! use std::ops::ControlFlow;
//! use syncvar_net::{ClientEvent, NetworkClient, NetworkServer};
//! use syncvar_runtime::Prefabs;
//! use syncvar_tcp::{TcpClient, TcpOptions, TcpServer};
//!
//! # use syncvar_runtime::*;
//! # #[derive(Default)] struct Door { open: SyncVar<bool> }
//! # impl NetworkBehaviour for Door {
//! #     type Previous = ();
//! #     const SCHEMA: BehaviourSchema = BehaviourSchema {
//! #         name: "Door", base: None, fields: &[FieldSchema::of::<SyncVar<bool>>("open")],
//! #     };
//! #     fn sync_var_dirty_bits(&self) -> u64 { self.open.is_dirty().into() }
//! #     fn visit(&mut self, _: &mut (), visitor: &mut impl FieldVisitor) {
//! #         visitor.field(1, "open", &mut self.open);
//! #     }
//! # }
//! fn prefabs() -> Prefabs {
//!     Prefabs::new().register::<Door>("door")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let mut server = NetworkServer::new(prefabs());
//! let door = server.spawn(Door { open: true.into() });
//!
//! let server = TcpServer::bind("127.0.0.1:0", server, TcpOptions::default()).await?;
//! let addr = server.local_addr()?;
//! tokio::spawn(server.run(move |server, _now| {
//!     // The game: once per tick. Here it ends as soon as somebody has the door.
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
//! Both need a tokio runtime of any flavour, with I/O and time enabled.
//!
//! # On the wire
//!
//! Each packet travels as one frame, the same in both directions:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | the length of what follows: `u32`, big-endian |
//! | 1 | the channel |
//! | n | the packet, at least one byte |
//!
//! TCP loses nothing and keeps the order, so every channel is as good as a reliable one.
//!
//! # What a client can do to a server
//!
//! It can close its own connection. Every queue has a limit, and it is the connection's own:
//!
//! * A client that sends more than it should is read from more slowly; the others do not wait.
//! * A client that reads too slowly, or not at all, is disconnected once
//!   [`max_queued_bytes`](TcpOptions::max_queued_bytes) wait for it, or once it has taken nothing
//!   for the [`stall_timeout`](TcpOptions::stall_timeout).
//! * A client that sends something malformed or too large is told so and disconnected.
//! * A client that says nothing after connecting is disconnected after the
//!   [`handshake_timeout`](TcpOptions::handshake_timeout).
//! * A peer that has vanished without a word is noticed by TCP's keep-alive.
//!
//! What it can do besides: a client that has been let in keeps its place, whether it ever says that
//! it is ready or not, and [`max_connections`](TcpOptions::max_connections) of them keep everybody
//! else out. Where strangers may connect, let the game send off those who do not play, with
//! [`NetworkServer::disconnect`](syncvar_net::NetworkServer::disconnect).
#![warn(clippy::print_stdout)]

mod client;
mod frame;
mod options;
mod server;

pub use client::{TcpClient, TcpError};
pub use options::TcpOptions;
pub use server::TcpServer;
