//! TCP, in this crate's own frames: [`TcpServer`] and [`TcpClient`].
//!
//! ```
//! use std::ops::ControlFlow;
//! use syncvar_runtime::{ClientEvent, NetworkClient, NetworkServer, Prefabs};
//! use syncvar_tokio::tcp::{TcpClient, TcpOptions, TcpServer};
//!
//! # use syncvar_runtime::*;
//! # #[derive(Default)] struct Door { open: SyncVar<bool> }
//! # impl NetworkBehaviour for Door {
//! #     type Previous = ();
//! #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: "Door", base: None, fields: &[] };
//! #     fn sync_var_dirty_bits(&self) -> u64 { self.open.is_dirty().into() }
//! #     fn set_dirty_bit(&mut self, _: u64) { self.open.set_dirty(); }
//! #     fn clear_all_dirty_bits(&mut self) { self.open.clear_dirty(); }
//! #     fn on_serialize(&mut self, writer: &mut NetworkWriter, _: bool) -> bool { writer.write(&*self.open); true }
//! #     fn on_deserialize(&mut self, reader: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> {
//! #         self.open = reader.read::<bool>()?.into(); Ok(())
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
//! TCP loses nothing and keeps the order, so every channel is as good as a reliable one.

mod client;
mod options;
mod server;

pub use client::{TcpClient, TcpError};
pub use options::TcpOptions;
pub use server::TcpServer;
