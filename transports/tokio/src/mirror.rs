//! Mirror's ends with sockets: `MirrorHost`, a server, and `MirrorPeer`, a client.
//!
//! Telepathy, KCP or `SimpleWebTransport` (WebSocket): the transport in the `NetworkManager` of the Unity side
//! decides. KCP is Mirror's default and has an unreliable channel; a `WebGL` build has WebSocket alone. A host can
//! listen for every one.

mod peer;

pub use peer::MirrorPeer;

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar_mirror::MirrorServer;
use tokio::net::ToSocketAddrs;

use crate::tasks::{Acceptor, Port, TaskListener};
use crate::{Host, PeerAddrs, TransportCounters, TransportOptions};

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

async fn resolve(addr: impl ToSocketAddrs) -> io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host(addr).await?.collect())
}
