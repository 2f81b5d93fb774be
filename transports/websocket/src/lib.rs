//! WebSocket for `syncvar`: [`WebPort`] on the server, [`WebSocketClient`] on a native client.
//!
//! One TCP port serves browsers, native clients by WebSocket, native clients by plain TCP
//! ([`syncvar_tokio::tcp`]), and the page that a browser loads:
//!
//! ```
//! use std::ops::ControlFlow;
//! use syncvar::prelude::*;
//! use syncvar::tcp::{TcpClient, TransportOptions};
//! use syncvar::transport::Host;
//! use syncvar::websocket::{WebPort, WebSocketClient};
//!
//! #[derive(NetworkBehaviour, Default)]
//! struct Door {
//!     #[sync_var]
//!     open: SyncVar<bool>,
//! }
//!
//! fn client() -> NetworkClient {
//!     NetworkClient::new(Prefabs::new().register::<Door>("door"))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
//! let door = server.spawn(Door { open: true.into() });
//! let mut host = Host::new(TransportOptions::default());
//! let port = WebPort::new().page("/", "text/html", "<h1>The game</h1>");
//! host.listen("127.0.0.1:0", port)?;
//! let addr = host.local_addrs()?[0];
//! tokio::spawn(async move { host.run(&mut server, |_, _| ControlFlow::Continue(())).await });
//!
//! let web = WebSocketClient::new(&format!("ws://{addr}"));
//! let mut web = web.connect(client(), TransportOptions::default()).await?;
//! let mut tcp = TcpClient::connect(addr, client()).await?;
//! while web.next_event().await != Some(ClientEvent::Ready) {}
//! while tcp.next_event().await != Some(ClientEvent::Ready) {}
//! assert_eq!(web.client().get::<Door>(door).unwrap().open, true);
//! assert_eq!(tcp.client().get::<Door>(door).unwrap().open, true);
//! # Ok(())
//! # }
//! ```
//!
//! # The port
//!
//! The first byte decides: a capital letter begins an HTTP request, any further byte a frame of TCP, whose length would be
//! beyond 1 GiB otherwise. A request to upgrade becomes a WebSocket, on every path, if the page behind it has an
//! [allowed origin](WebPort::origin). A plain `GET` or `HEAD` gets the
//! page of its path, or 404, a different method 405, and the connection ends: it never enters the server, but has a place
//! of the [limits](syncvar_tokio#limits-for-clients) meanwhile. A request has at most 8 KiB, and the
//! [`handshake_timeout`](syncvar_tokio::TransportOptions::handshake_timeout) for itself and its answer.
//!
//! # Messages
//!
//! Each packet travels as one binary message: the number of the channel, and the packet. Each channel is
//! as good as a reliable channel. Text messages, and more than four times the largest packet and 64 KiB of control frames
//! between two packets, end the connection, with a code that says so. WIRE.md, section 8, has the bytes.
//!
//! # Mirror
//!
//! A port for Mirror ([`WebPort::mirror`]) speaks `SimpleWebTransport`: a message is a packet, without a number, and plain TCP is
//! refused. It may serve the page of the `WebGL` build as well.
//!
//! ```no_run
//! use syncvar::mirror::{MirrorHost, MirrorPrefabs, MirrorServer};
//! use syncvar::websocket::WebPort;
//!
//! # async fn serve(prefabs: MirrorPrefabs) -> std::io::Result<()> {
//! // 27777 is the default port of `SimpleWebTransport`.
//! let host = MirrorHost::websocket("0.0.0.0:27777", WebPort::new().mirror(), MirrorServer::new(prefabs)).await?;
//! # drop(host);
//! # Ok(())
//! # }
//! ```
//!
//! The limits are those of TCP ([`TransportOptions`](syncvar_tokio::tcp::TransportOptions)).
#![warn(clippy::print_stdout)]

mod client;
mod http;
mod messages;
mod meter;
mod port;
mod site;
mod socket;
#[cfg(feature = "tls")]
mod tls;

pub use client::WebSocketClient;
pub use port::{WebAcceptor, WebPort};

#[cfg(test)]
mod tests;
