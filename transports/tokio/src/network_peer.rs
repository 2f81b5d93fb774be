//! `NetworkPeer`.

use std::io;
use std::time::Duration;

use syncvar_net::{ClientEvent, NetworkClient};
use syncvar_runtime::{NetworkTime, ReadError};

use crate::{LinkConditions, Peer, TransportError};

/// A [`NetworkClient`] with a connection, on tokio: by a [`Peer`] of any transport. The clients of
/// `syncvar::websocket` and `syncvar::quic` return it.
///
/// The client works while [`next_event`](Self::next_event) or [`receive`](Self::receive) is awaited, so
/// await one of them most of the time. Both are cancel-safe. The client is updated at its
/// [`tick_rate`](syncvar_net::ClientConfig::tick_rate) and with every packet, by the [time](Self::now) since
/// the connection: a call of [`NetworkClient::update`] has no effect until [`disconnect`](Self::disconnect)
/// returns the client. Dropping it cuts the connection; `disconnect` tells the server.
///
/// ```no_run
/// # async fn play(mut game: syncvar::transport::NetworkPeer) {
/// use syncvar::ClientEvent;
///
/// while let Some(event) = game.next_event().await {
///     match event {
///         ClientEvent::Spawned { object } => println!("{object} has spawned"),
///         ClientEvent::Disconnected { reason } => println!("{reason}"),
///         _ => {}
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct NetworkPeer {
    client: NetworkClient,
    peer: Peer,
}

impl NetworkPeer {
    /// Waits for the first connection of a peer.
    ///
    /// # Errors
    ///
    /// When the connection fails. After the `connect_timeout` its kind is
    /// [`TimedOut`](io::ErrorKind::TimedOut), with a [`Timeout`](crate::Timeout) inside.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    pub async fn connect(mut peer: Peer, mut client: NetworkClient) -> io::Result<Self> {
        peer.connected(&mut client).await?;
        Ok(Self { client, peer })
    }

    /// Returns the client.
    pub fn client(&self) -> &NetworkClient {
        &self.client
    }

    /// Returns the client, for commands and events. The next [`receive`](Self::receive) sends its
    /// packets.
    pub fn client_mut(&mut self) -> &mut NetworkClient {
        &mut self.client
    }

    /// Returns a handle of the simulated conditions around the socket.
    pub fn conditions(&self) -> LinkConditions {
        self.peer.conditions()
    }

    /// Returns the time of the clock that updates the client: since the connection.
    pub fn now(&self) -> Duration {
        self.peer.now()
    }

    /// Returns the estimated server time at this moment: see [`NetworkClient::network_time_at`].
    pub fn network_time(&self) -> Option<NetworkTime> {
        self.client.network_time_at(self.now())
    }

    /// Returns the next event, oldest first, without waiting.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.client.poll_event()
    }

    /// Sends the client's packets, waits for a packet, and passes it to the client.
    ///
    /// # Errors
    ///
    /// When the connection is over, this time and, unless the client connects again, every time after;
    /// the last event of the client is the reason. The connection survives
    /// [`TransportError::Malformed`] alone.
    pub async fn receive(&mut self) -> Result<(), TransportError<ReadError>> {
        self.peer.next_packet(&mut self.client).await
    }

    /// Returns whether the last connection is over: [`next_event`](Self::next_event) returns the
    /// remaining events, then `None`.
    pub fn is_over(&self) -> bool {
        self.peer.is_over()
    }

    /// Waits for an event. `None` when the last connection is over and all events have been returned.
    /// Malformed packets are logged.
    pub async fn next_event(&mut self) -> Option<ClientEvent> {
        self.peer.next_event(&mut self.client).await
    }

    /// Ends the connection and sends `text` to the server. Returns the client with its objects.
    pub async fn disconnect(mut self, text: &str) -> NetworkClient {
        self.peer.disconnect(&mut self.client, text).await;
        self.client
    }
}
