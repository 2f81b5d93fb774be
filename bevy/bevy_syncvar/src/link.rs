//! Links: the transports of the ends of an app. Any [`FrameTransport`] is one: the `Host`, `Peer` and `WebPeer` of `syncvar`
//! with its features, and [`MemoryLink`].

mod memory;

use std::time::Duration;

use bevy_ecs::prelude::*;
use bevy_platform::cell::SyncCell;
use syncvar::{FrameTransport, NetworkClient, NetworkServer};

pub use memory::{MemoryConnector, MemoryLink, MemoryListener};

/// Transport of the server of an app.
#[derive(Resource)]
pub struct ServerLink(SyncCell<Box<dyn FrameTransport<NetworkServer>>>);

impl ServerLink {
    /// Makes the resource of a transport.
    pub fn new(transport: impl FrameTransport<NetworkServer> + 'static) -> Self {
        Self(SyncCell::new(Box::new(transport)))
    }

    pub(crate) fn receive(&mut self, server: &mut NetworkServer, now: Duration) {
        if let Err(error) = self.0.get().receive(server, now) {
            tracing::warn!(%error, "the transport of the server failed");
        }
    }

    pub(crate) fn transmit(&mut self, server: &mut NetworkServer, now: Duration) {
        self.0.get().transmit(server, now);
    }
}

/// Transport of the client of an app.
#[derive(Resource)]
pub struct ClientLink(SyncCell<Box<dyn FrameTransport<NetworkClient>>>);

impl ClientLink {
    /// Makes the resource of a transport.
    pub fn new(transport: impl FrameTransport<NetworkClient> + 'static) -> Self {
        Self(SyncCell::new(Box::new(transport)))
    }

    pub(crate) fn receive(&mut self, client: &mut NetworkClient, now: Duration) {
        if let Err(error) = self.0.get().receive(client, now) {
            tracing::warn!(%error, "the transport of the client failed");
        }
    }

    pub(crate) fn transmit(&mut self, client: &mut NetworkClient, now: Duration) {
        self.0.get().transmit(client, now);
    }
}
