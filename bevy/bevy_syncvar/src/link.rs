//! Links: the transports of the ends of an app. Any [`FrameTransport`] is one: the `Host`, `Peer` and `WebPeer` of `syncvar`
//! with its features, and [`MemoryLink`].

mod memory;

use std::error::Error;
use std::io;
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

    /// Makes the resource of a transport that needs the settings of its client.
    ///
    /// ```no_run
    /// # use bevy_app::prelude::*;
    /// # use bevy_syncvar::{ClientLink, prelude::*};
    /// # #[cfg(feature = "tcp")] {
    /// use bevy_syncvar::syncvar::{tcp::TransportOptions, transport::Peer};
    ///
    /// # let mut app = App::new();
    /// app.add_plugins(ClientPlugin::stopped());
    /// app.insert_resource(ClientLink::open(|client| {
    ///     Peer::tcp("game.example:7777", client, TransportOptions::default())
    /// }));
    /// # }
    /// ```
    pub fn open<T: FrameTransport<NetworkClient> + 'static>(
        open: impl FnOnce(&NetworkClient) -> io::Result<T> + Send + 'static,
    ) -> Self {
        Self::new(Opening {
            open: Some(Box::new(|client| Ok(Box::new(open(client)?)))),
            transport: None,
        })
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.0.get().is_over()
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

/// Transport of a server without clients.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLink;

impl FrameTransport<NetworkServer> for NoLink {
    fn receive(
        &mut self,
        _: &mut NetworkServer,
        _: Duration,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }

    fn transmit(&mut self, server: &mut NetworkServer, _: Duration) {
        while server.poll_transmit().is_some() {}
    }

    fn is_over(&self) -> bool {
        false
    }
}

type OpenTransport =
    dyn FnOnce(&NetworkClient) -> io::Result<Box<dyn FrameTransport<NetworkClient>>> + Send;

/// A transport that is made with its client.
struct Opening {
    open: Option<Box<OpenTransport>>,
    transport: Option<Box<dyn FrameTransport<NetworkClient>>>,
}

impl FrameTransport<NetworkClient> for Opening {
    fn receive(
        &mut self,
        client: &mut NetworkClient,
        now: Duration,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        if let Some(open) = self.open.take() {
            self.transport = Some(open(client)?);
        }
        match &mut self.transport {
            Some(transport) => transport.receive(client, now),
            None => Ok(()),
        }
    }

    fn transmit(&mut self, client: &mut NetworkClient, now: Duration) {
        if let Some(transport) = &mut self.transport {
            transport.transmit(client, now);
        }
    }

    fn is_over(&self) -> bool {
        let transport = self.transport.as_ref();
        self.open.is_none() && transport.is_none_or(|transport| transport.is_over())
    }
}
