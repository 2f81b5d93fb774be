//! `NetworkPeer`.

use std::io;
use std::marker::PhantomData;
use std::time::Duration;

use syncvar_net::{ClientEvent, NetworkClient};
use syncvar_runtime::{NetworkTime, ReadError};
use tokio::net::ToSocketAddrs;

use crate::carrier::Carrier;
use crate::{LinkConditions, Peer, TransportError, TransportOptions};

/// A [`NetworkClient`] with a connection, on tokio. `syncvar::tcp::TcpClient` and `syncvar::udp::UdpClient` name
/// their carriers, the clients of `syncvar::websocket` and `syncvar::quic` return one of no carrier
/// of this crate. A [`Peer`] is the same without the client, for programs with a loop.
///
/// The client works while [`next_event`](Self::next_event) or [`receive`](Self::receive) is awaited, so
/// await one of them most of the time. Then packets are read and written, and the client is updated at
/// its [`tick_rate`](syncvar_net::ClientConfig::tick_rate) and with every packet, by the
/// [time](Self::now) since the connection. The transport owns that clock: a call of
/// [`NetworkClient::update`] does nothing until [`disconnect`](Self::disconnect) returns the client.
/// Both are cancel-safe: as a branch of `tokio::select!`, neither loses a packet. A client
/// that is not awaited sends no pings, and loses its connection after the server's `idle_timeout`.
/// Dropping a client cuts its connection; [`disconnect`](Self::disconnect) tells the server.
///
/// ```no_run
/// # async fn play(mut game: syncvar::transport::NetworkPeer) {
/// use syncvar::ClientEvent;
///
/// while let Some(event) = game.next_event().await {
///     match event {
///         ClientEvent::Spawned { object } => println!("{object} has spawned"),
///         ClientEvent::Changed { object, fields, .. } => println!("{object}: {fields:?}"),
///         ClientEvent::Disconnected { reason } => println!("{reason}"),
///         _ => {}
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct NetworkPeer<C = ()> {
    /// On the heap: the futures of a connection are small.
    client: Box<NetworkClient>,
    peer: Peer,
    carrier: PhantomData<C>,
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
    pub async fn of(peer: Peer, client: NetworkClient) -> io::Result<Self> {
        Self::by(peer, Box::new(client)).await
    }
}

impl<C: Carrier> NetworkPeer<C> {
    /// Connects to a server.
    ///
    /// The first event is [`ClientEvent::Connected`] or [`ClientEvent::Refused`]; without an answer
    /// within 10 s the connection ends with [`TransportError::Timeout`].
    ///
    /// The server can send packets of up to 8 MiB, or of a message of the client's
    /// [`max_message_size`](syncvar_net::ClientConfig::max_message_size) if that is longer. A
    /// longer packet ends the connection.
    ///
    /// # Errors
    ///
    /// When the connection fails.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    pub fn connect(
        addr: impl ToSocketAddrs,
        client: NetworkClient,
    ) -> impl Future<Output = io::Result<Self>> {
        Self::connect_with(addr, client, TransportOptions::default())
    }

    /// [`connect`](Self::connect), with options: `connect_timeout`, `handshake_timeout`, `idle_timeout`,
    /// `close_timeout` and `reconnect`, for datagrams also `silence_timeout` and `max_queued_packets`; also a
    /// `max_packet` that is longer than the client's. Further options belong to servers.
    ///
    /// ```no_run
    /// # async fn play(client: syncvar::NetworkClient) -> std::io::Result<()> {
    /// use std::time::Duration;
    /// use syncvar::ClientEvent;
    /// use syncvar::tcp::{Reconnect, TcpClient, TransportOptions};
    ///
    /// let options = TransportOptions {
    ///     connect_timeout: Duration::from_secs(3),
    ///     reconnect: Some(Reconnect::default()),
    ///     ..TransportOptions::default()
    /// };
    /// let mut tcp = TcpClient::connect_with("127.0.0.1:7777", client, options).await?;
    /// while let Some(event) = tcp.next_event().await {
    ///     match event {
    ///         ClientEvent::Disconnected { reason } if tcp.is_over() => println!("over: {reason}"),
    ///         ClientEvent::Disconnected { reason } => println!("{reason}; connects again"),
    ///         // The objects of a new session are spawned anew.
    ///         ClientEvent::Ready => println!("in the game"),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the connection fails. After the `connect_timeout` its kind is
    /// [`TimedOut`](io::ErrorKind::TimedOut), with a [`Timeout`](crate::Timeout) inside; by UDP it is
    /// [`ConnectionRefused`](io::ErrorKind::ConnectionRefused) when all places of the server are taken. Also,
    /// with [`InvalidInput`](io::ErrorKind::InvalidInput), when the client's
    /// [`ping_interval`](syncvar_net::ClientConfig::ping_interval) is not below the `idle_timeout`.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    pub async fn connect_with(
        addr: impl ToSocketAddrs,
        client: NetworkClient,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let addrs: Vec<_> = tokio::net::lookup_host(addr).await?.collect();
        Self::by(C::dial(&addrs, &client, options)?, Box::new(client)).await
    }
}

impl<C> NetworkPeer<C> {
    async fn by(mut peer: Peer, mut client: Box<NetworkClient>) -> io::Result<Self> {
        peer.connected(&mut *client).await?;
        Ok(Self {
            client,
            peer,
            carrier: PhantomData,
        })
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

    /// Returns the estimated server time at this moment, for the frames of a render loop: see
    /// [`NetworkClient::network_time_at`].
    pub fn network_time(&self) -> Option<NetworkTime> {
        self.client.network_time_at(self.now())
    }

    /// Returns the next event, oldest first, without waiting.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.client.poll_event()
    }

    /// Sends the client's packets, waits for a packet, and passes it to the client. Cancel-safe.
    ///
    /// # Errors
    ///
    /// When the connection is over, this time and, unless the client connects again, every time after;
    /// the last event of the client is the reason. The connection survives
    /// [`TransportError::Malformed`] alone.
    pub async fn receive(&mut self) -> Result<(), TransportError<ReadError>> {
        self.peer.next_packet(&mut *self.client).await
    }

    /// Returns whether the last connection is over: [`next_event`](Self::next_event) returns the
    /// remaining events, then `None`.
    pub fn is_over(&self) -> bool {
        self.peer.is_over()
    }

    /// Waits for an event. `None` when the last connection is over and all events have been returned.
    /// Cancel-safe. Malformed packets are logged.
    pub async fn next_event(&mut self) -> Option<ClientEvent> {
        self.peer.next_event(&mut *self.client).await
    }

    /// Ends the connection and sends `text` to the server. Returns the client with its objects, to
    /// look at or to connect again.
    pub async fn disconnect(mut self, text: &str) -> NetworkClient {
        self.peer.disconnect(&mut *self.client, text).await;
        *self.client
    }
}
