//! `MirrorHost` and `MirrorPeer`: Mirror's server and client with sockets.
//!
//! Telepathy, KCP or `SimpleWebTransport` (WebSocket): the transport in the `NetworkManager` of the Unity side
//! decides. KCP is Mirror's default and has an unreliable channel; a `WebGL` build has WebSocket alone. A host can
//! listen for every one.

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar_mirror::{MirrorClient, MirrorClientEvent, MirrorError, MirrorServer};
use syncvar_runtime::NetworkTime;
use tokio::net::ToSocketAddrs;

use crate::tasks::{Acceptor, Port, TaskListener};
use crate::{Host, Peer, PeerAddrs, TransportCounters, TransportError, TransportOptions};

/// A [`MirrorServer`] that listens on any number of addresses and is updated at its
/// [`tick_rate`](syncvar_mirror::MirrorServerConfig::tick_rate), by the clock of the transport.
///
/// ```
/// use std::ops::ControlFlow;
/// use syncvar::prelude::*;
/// use syncvar::mirror::{MirrorHost, MirrorPeer};
/// use syncvar::mirror::{
///     AssetId, MirrorClient, MirrorClientEvent, MirrorPrefab, MirrorPrefabs, MirrorServer,
///     MirrorServerEvent,
/// };
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var]
///     name: SyncVar<String>,
/// }
///
/// fn prefabs() -> MirrorPrefabs {
///     MirrorPrefabs::new().register::<Player>(MirrorPrefab::new("player", AssetId(1001)))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # #[cfg(feature = "kcp")] {
/// // 7777 is the default port of Mirror's transports; 0 is any free port.
/// let host = MirrorHost::kcp("127.0.0.1:0", MirrorServer::new(prefabs())).await?;
/// let addr = host.local_addrs()?[0];
/// tokio::spawn(host.run(|server, _now| {
///     // The game: once per tick.
///     while let Some(event) = server.poll_event() {
///         if let MirrorServerEvent::AddPlayerRequested { connection } = event {
///             server.add_player(connection, Player::default()).unwrap();
///         }
///     }
///     ControlFlow::Continue(())
/// }));
///
/// // A Unity client joins now, or a Rust client.
/// let mut peer = MirrorPeer::kcp(addr, MirrorClient::new(prefabs())).await?;
/// while let Some(event) = peer.next_event().await {
///     if let MirrorClientEvent::Spawned { object } = event {
///         assert_eq!(peer.client().local_player(), Some(object));
///         break;
///     }
/// }
/// # }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MirrorHost {
    server: MirrorServer,
    host: Host<MirrorServer>,
}

impl MirrorHost {
    fn new(server: MirrorServer) -> Self {
        let host = Host::new(TransportOptions::mirror());
        Self { server, host }
    }

    /// Listens on an address for Telepathy (TCP). Clients can connect from now on; [`run`](Self::run)
    /// lets them in.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    #[cfg(feature = "telepathy")]
    pub async fn telepathy(addr: impl ToSocketAddrs, server: MirrorServer) -> io::Result<Self> {
        Self::new(server).and_telepathy(addr).await
    }

    /// Listens on an address for KCP (UDP). Clients can connect from now on; [`run`](Self::run) answers
    /// them.
    ///
    /// `[::]` includes IPv4. A Unity client may resolve `localhost` to IPv6, and with KCP does not try
    /// IPv4 then.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn kcp(addr: impl ToSocketAddrs, server: MirrorServer) -> io::Result<Self> {
        Self::new(server).and_kcp(addr).await
    }

    /// Listens on a further address for Telepathy. It may have the same port as KCP.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    #[cfg(feature = "telepathy")]
    pub async fn and_telepathy(mut self, addr: impl ToSocketAddrs) -> io::Result<Self> {
        let addrs = resolve(addr).await?;
        self.host.listen_telepathy(&addrs[..])?;
        Ok(self)
    }

    /// Listens on a further address for KCP.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn and_kcp(mut self, addr: impl ToSocketAddrs) -> io::Result<Self> {
        let addrs = resolve(addr).await?;
        self.host.listen_kcp(&addrs[..])?;
        Ok(self)
    }

    /// Listens on an address for Mirror's `SimpleWebTransport`, by a port of `syncvar-websocket`:
    /// `WebPort::new().mirror()`. Clients can connect from now on; [`run`](Self::run) lets them in.
    ///
    /// # Errors
    ///
    /// When the system refuses the address. With [`InvalidInput`](io::ErrorKind::InvalidInput) for a port that is
    /// none of Mirror.
    pub async fn websocket(
        addr: impl ToSocketAddrs,
        port: impl Port,
        server: MirrorServer,
    ) -> io::Result<Self> {
        Self::new(server).and_websocket(addr, port).await
    }

    /// Listens on a further address for `SimpleWebTransport`.
    ///
    /// # Errors
    ///
    /// As [`websocket`](Self::websocket).
    pub async fn and_websocket(
        mut self,
        addr: impl ToSocketAddrs,
        port: impl Port,
    ) -> io::Result<Self> {
        let addrs = resolve(addr).await?;
        self.host.listen_by(&addrs[..], |addrs| {
            let acceptor = port.bind(addrs)?;
            if acceptor.has_goodbye() {
                let text = "the port is none of Mirror: `WebPort::new().mirror()` is one";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
            Ok(TaskListener::new(acceptor))
        })?;
        Ok(self)
    }

    /// Sets the limits, for all addresses.
    #[must_use]
    pub fn with_options(mut self, options: TransportOptions) -> Self {
        self.host.set_options(options);
        self
    }

    /// Returns the addresses of the sockets, in the order of the calls, with the ports that the system
    /// chose for port 0.
    ///
    /// # Errors
    ///
    /// When the system does not know an address.
    pub fn local_addrs(&self) -> io::Result<Vec<SocketAddr>> {
        self.host.local_addrs()
    }

    /// Returns a handle of the counters: one for each limit of the options.
    pub fn counters(&self) -> TransportCounters {
        self.host.counters()
    }

    /// Returns a handle of the clients' addresses, for the game.
    pub fn peer_addrs(&self) -> PeerAddrs {
        self.host.peer_addrs()
    }

    /// Runs the server until `game` returns [`ControlFlow::Break`]: see [`Host::run`].
    ///
    /// The changes of the last call are sent. The clients have the
    /// [`close_timeout`](TransportOptions::close_timeout) to take their queues.
    ///
    /// Dropping the future cuts all connections.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without I/O or a timer.
    pub async fn run(
        mut self,
        game: impl FnMut(&mut MirrorServer, Duration) -> ControlFlow<()>,
    ) -> MirrorServer {
        self.host.run(&mut self.server, game).await;
        self.server
    }
}

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

async fn resolve(addr: impl ToSocketAddrs) -> io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host(addr).await?.collect())
}
