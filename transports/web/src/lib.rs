//! WebTransport and WebSocket for `syncvar` clients in browsers.
//!
//! A page in Rust has the same `NetworkClient` as a native program, and a [`WebPeer`] in place of the `Peer` of
//! `syncvar-tokio`. It polls both in each frame of the animation:
//!
#![cfg_attr(target_arch = "wasm32", doc = "```no_run")]
#![cfg_attr(not(target_arch = "wasm32"), doc = "```text")]
//! use std::time::Duration;
//! use syncvar_net::{ClientEvent, NetworkClient};
//! use syncvar_web::{Servers, WebOptions, WebPeer};
//!
//! struct Page {
//!     client: NetworkClient,
//!     peer: WebPeer,
//! }
//!
//! impl Page {
//!     fn new(client: NetworkClient) -> Self {
//!         let servers = Servers::at("example.org:7777");
//!         Self { client, peer: WebPeer::new(servers, WebOptions::default()) }
//!     }
//!
//!     /// Runs a frame; the time is that of `requestAnimationFrame`.
//!     fn frame(&mut self, milliseconds: f64) {
//!         let now = Duration::from_secs_f64(milliseconds / 1000.0);
//!         if let Err(error) = self.peer.receive(&mut self.client, now) {
//!             // Shown to the player; the peer connects again.
//!             let _ = error.to_string();
//!         }
//!         while let Some(event) = self.client.poll_event() {
//!             if let ClientEvent::Ready = event { /* the world is here */ }
//!         }
//!         self.client.update(now);
//!         self.peer.transmit(&mut self.client, now);
//!     }
//! }
//! ```
//!
//! # Connections
//!
//! The peer begins with WebTransport: one bidirectional stream, and datagrams for unreliable channels. If the browser
//! has none, or the session is not ready within two seconds ([`WebOptions::fallback_after`]), a WebSocket takes its place. A
//! lost connection is made again ([`WebOptions::reconnect`]), also after a sleep of the tab; the client then resumes
//! its session. WIRE.md, section 8, has the bytes.
//!
//! A certificate that the server has generated is trusted by its hash: the peer fetches
//! [`Servers::cert_hashes`] before each session of WebTransport.
//!
//! # Targets
//!
//! The crate is for `wasm32-unknown-unknown`, without flags of the compiler; it is empty on other targets.
#![cfg_attr(
    not(target_arch = "wasm32"),
    expect(
        rustdoc::broken_intra_doc_links,
        reason = "the items exist for browsers"
    )
)]

#[cfg(any(target_arch = "wasm32", test))]
mod frames;
#[cfg(target_arch = "wasm32")]
mod inbox;
#[cfg(target_arch = "wasm32")]
mod js;
#[cfg(target_arch = "wasm32")]
mod link;
#[cfg(target_arch = "wasm32")]
mod links;
#[cfg(target_arch = "wasm32")]
mod options;
#[cfg(target_arch = "wasm32")]
mod peer;
#[cfg(target_arch = "wasm32")]
mod session;
#[cfg(target_arch = "wasm32")]
mod socket;

#[cfg(target_arch = "wasm32")]
pub use link::Transport;
#[cfg(target_arch = "wasm32")]
pub use options::{Servers, WebOptions};
#[cfg(target_arch = "wasm32")]
pub use peer::{WebError, WebPeer};
#[cfg(target_arch = "wasm32")]
pub use syncvar_runtime::endpoint::Reconnect;
