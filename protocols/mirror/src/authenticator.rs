//! Authenticators: the messages before a connection is accepted, on both ends.
//!
//! A [`ServerAuthentication`] and a [`ClientAuthentication`] run an authenticator: the program hands them
//! each polled event, and the server's one each update. Ready made: [`BasicAuthenticator`],
//! [`DeviceAuthenticator`], [`UniqueNameAuthenticator`], and a
//! [time limit](ServerAuthentication::with_timeout) for each authenticator (Mirror, `TimeoutAuthenticator`).
//!
//! ```
//! use std::time::Duration;
//! use syncvar::mirror::authenticator::{
//!     BasicAuthenticator, ClientAuthentication, ServerAuthentication,
//! };
//! use syncvar::mirror::{
//!     AuthRequestMessage, AuthResponseMessage, Limits, MirrorClient, MirrorClientConfig,
//!     MirrorPrefabs, MirrorServer, MirrorServerConfig,
//! };
//!
//! // Mirror's messages; an authenticator of your own has others.
//! fn prefabs() -> MirrorPrefabs {
//!     MirrorPrefabs::new().message::<AuthRequestMessage>().message::<AuthResponseMessage>()
//! }
//!
//! let config = MirrorServerConfig { authenticate: true, ..Default::default() };
//! let mut server = MirrorServer::with_config(prefabs(), config);
//! let config = MirrorClientConfig { auto_ready: false, ..Default::default() };
//! let mut client = MirrorClient::with_config(prefabs(), config);
//!
//! let account = BasicAuthenticator::new("admin", "secret");
//! let mut door = ServerAuthentication::new(account.clone(), &mut server)
//!     .with_timeout(Duration::from_secs(60));
//! let mut key = ClientAuthentication::new(account);
//!
//! let connection = server.handle_connect(Limits::TELEPATHY);
//! client.handle_connect(Limits::TELEPATHY);
//! for tick in 1..5 {
//!     let now = Duration::from_millis(16 * tick);
//!     while let Some(event) = client.poll_event() {
//!         key.handle_event(&mut client, &event);
//!     }
//!     client.update(now);
//!     while let Some(packet) = client.poll_transmit() {
//!         server.handle_packet(connection, packet.channel, &packet.bytes).unwrap();
//!     }
//!     while let Some(event) = server.poll_event() {
//!         door.handle_event(&mut server, &event);
//!     }
//!     door.update(&mut server);
//!     server.update(now);
//!     while let Some(transmit) = server.poll_transmit() {
//!         client.handle_packet(transmit.channel, &transmit.to_bytes()).unwrap();
//!     }
//! }
//! assert!(server.is_authenticated(connection));
//! assert!(client.is_ready());
//! ```

mod basic;
mod client;
mod device;
mod name;
mod server;

pub use basic::BasicAuthenticator;
pub use client::{ClientAuthentication, ClientAuthenticator};
pub use device::DeviceAuthenticator;
pub use name::UniqueNameAuthenticator;
pub use server::{ServerAuthentication, ServerAuthenticator};

/// Decision of an authenticator about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// None yet: the message belongs to another authenticator, or further messages are due.
    Pending,
    /// The connection is accepted.
    Accept,
    /// The connection is rejected.
    Reject,
}
