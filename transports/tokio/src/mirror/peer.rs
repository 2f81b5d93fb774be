//! `MirrorPeer`: a client of Mirror with its connection.

use std::io;
use std::time::Duration;

use syncvar_mirror::{MirrorClient, MirrorClientEvent, MirrorError};
use syncvar_runtime::NetworkTime;

use crate::{Peer, TransportError};
#[cfg(any(feature = "telepathy", feature = "kcp"))]
use {super::resolve, crate::TransportOptions, tokio::net::ToSocketAddrs};

/// A [`MirrorClient`] with a connection, by Telepathy, KCP or WebSocket.
///
/// The client works while [`next_event`](Self::next_event) or [`receive`](Self::receive) is awaited, so
/// await one of them most of the time, and leave it alone for less than a second. Then packets are read
/// and written, and the client is updated at its
/// [`tick_rate`](syncvar_mirror::MirrorClientConfig::tick_rate), by the [time](Self::now) since the
/// connection. The transport owns that clock: a call of [`MirrorClient::update`] does nothing until
/// [`disconnect`](Self::disconnect) returns the client. Both are cancel-safe: as a branch of
/// `tokio::select!`, neither loses a packet. Dropping a peer cuts its connection;
/// [`disconnect`](Self::disconnect) sends the queue first.
///
/// ```no_run
/// # async fn play(prefabs: syncvar_mirror::MirrorPrefabs) -> std::io::Result<()> {
/// # #[cfg(feature = "telepathy")] {
/// use syncvar::mirror::{MirrorClient, MirrorClientEvent};
/// use syncvar::mirror::MirrorPeer;
///
/// // A bot on a Unity server.
/// let mut peer = MirrorPeer::telepathy("127.0.0.1:7777", MirrorClient::new(prefabs)).await?;
/// while let Some(event) = peer.next_event().await {
///     match event {
///         MirrorClientEvent::Spawned { object } => println!("{object} has spawned"),
///         MirrorClientEvent::Changed { object, fields, .. } => println!("{object}: {fields:?}"),
///         MirrorClientEvent::Disconnected { error } => println!("over: {error:?}"),
///         _ => {}
///     }
/// }
/// # }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MirrorPeer {
    client: MirrorClient,
    peer: Peer,
}

impl MirrorPeer {
    /// Connects to a server by Telepathy (TCP).
    ///
    /// # Errors
    ///
    /// When the connection fails.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "telepathy")]
    pub async fn telepathy(addr: impl ToSocketAddrs, client: MirrorClient) -> io::Result<Self> {
        Self::telepathy_with(addr, client, TransportOptions::mirror()).await
    }

    /// [`telepathy`](Self::telepathy), with options.
    ///
    /// # Errors
    ///
    /// When the connection fails.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "telepathy")]
    pub async fn telepathy_with(
        addr: impl ToSocketAddrs,
        mut client: MirrorClient,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let addrs = resolve(addr).await?;
        let mut peer = Peer::telepathy(&addrs[..], options)?;
        peer.connected(&mut client).await?;
        Ok(Self { client, peer })
    }

    /// Connects to a server by KCP (UDP), and waits for its answer.
    ///
    /// # Errors
    ///
    /// When the connection fails, or the server has not answered within 10 s
    /// ([`silence_timeout`](TransportOptions::silence_timeout)).
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn kcp(addr: impl ToSocketAddrs, client: MirrorClient) -> io::Result<Self> {
        Self::kcp_with(addr, client, TransportOptions::mirror()).await
    }

    /// [`kcp`](Self::kcp), with options.
    ///
    /// # Errors
    ///
    /// When the connection fails, or the server has not answered in time.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn kcp_with(
        addr: impl ToSocketAddrs,
        mut client: MirrorClient,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let addrs = resolve(addr).await?;
        let mut peer = Peer::kcp(&addrs[..], options)?;
        peer.connected(&mut client).await?;
        Ok(Self { client, peer })
    }

    /// Waits for the first connection of a peer, such as a peer of `syncvar-websocket`.
    ///
    /// # Errors
    ///
    /// When the connection fails.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    pub async fn connect(peer: Peer, mut client: MirrorClient) -> io::Result<Self> {
        let mut peer = peer.with_updates_by_ticks();
        peer.connected(&mut client).await?;
        Ok(Self { client, peer })
    }

    /// Returns the client.
    pub fn client(&self) -> &MirrorClient {
        &self.client
    }

    /// Returns the client, for commands and events. Its packets are sent with its next update.
    pub fn client_mut(&mut self) -> &mut MirrorClient {
        &mut self.client
    }

    /// Returns the time of the clock that updates the client: since the connection.
    pub fn now(&self) -> Duration {
        self.peer.now()
    }

    /// Returns the server's time at this moment, for the frames of a render loop: see
    /// [`MirrorClient::network_time_at`].
    pub fn network_time(&self) -> Option<NetworkTime> {
        self.client.network_time_at(self.now())
    }

    /// Returns the next event, oldest first, without waiting.
    pub fn poll_event(&mut self) -> Option<MirrorClientEvent> {
        self.client.poll_event()
    }

    /// Sends the client's packets, waits for a packet, and passes it to the client.
    ///
    /// Cancel-safe.
    ///
    /// # Errors
    ///
    /// When the connection is over, this time and, unless the client connects again
    /// ([`reconnect`](TransportOptions::reconnect)), every time after; the last events of the client
    /// say so. [`TransportError::Malformed`] begins the end of the connection.
    pub async fn receive(&mut self) -> Result<(), TransportError<MirrorError>> {
        self.peer.next_packet(&mut self.client).await
    }

    /// Returns whether the last connection is over: [`next_event`](Self::next_event) returns the
    /// remaining events, then `None`.
    pub fn is_over(&self) -> bool {
        self.peer.is_over()
    }

    /// Waits for an event. `None` when the last connection is over and all events have been returned.
    ///
    /// Cancel-safe.
    pub async fn next_event(&mut self) -> Option<MirrorClientEvent> {
        self.peer.next_event(&mut self.client).await
    }

    /// Ends the connection, after the client's queue. Returns the client, without its objects: it can
    /// be connected again.
    pub async fn disconnect(mut self) -> MirrorClient {
        self.peer.disconnect(&mut self.client, "").await;
        self.client
    }
}
