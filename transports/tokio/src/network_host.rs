//! `NetworkHost`.

use std::io;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar_net::NetworkServer;
use tokio::net::ToSocketAddrs;

use crate::carrier::Carrier;
use crate::{Host, LinkConditions, PeerAddrs, TransportCounters, TransportOptions};

/// A [`NetworkServer`] that listens on one socket and is updated at its
/// [`tick_rate`](syncvar_net::ServerConfig::tick_rate), by the clock of the transport:
/// `syncvar::tcp::TcpServer`, `syncvar::udp::UdpServer`.
///
/// The crate's documentation has an example, and lists the limits for clients. A [`Host`] is the same
/// without the server, for programs with a loop.
///
/// ```
/// use std::ops::ControlFlow;
/// use syncvar::prelude::*;
/// use syncvar::tcp::{TransportOptions, TcpServer};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let server = NetworkServer::new(Prefabs::new());
/// let tcp = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default()).await?;
/// println!("listens on {}", tcp.local_addr()?);
/// let mut ticks = 0;
/// tcp.run(|_server, _now| {
///     ticks += 1;
///     if ticks < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// })
/// .await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct NetworkHost<C> {
    server: NetworkServer,
    host: Host<NetworkServer>,
    carrier: PhantomData<C>,
}

impl<C: Carrier> NetworkHost<C> {
    /// Listens on an address. Clients can connect from now on; [`run`](Self::run) lets them in.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    pub async fn bind(
        addr: impl ToSocketAddrs,
        server: NetworkServer,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let addrs: Vec<SocketAddr> = tokio::net::lookup_host(addr).await?.collect();
        let mut host = Host::new(options);
        C::listen(&mut host, &addrs)?;
        let carrier = PhantomData;
        Ok(Self {
            server,
            host,
            carrier,
        })
    }

    /// Returns the address of the socket, with the port that the system chose for port 0.
    ///
    /// # Errors
    ///
    /// When the system does not know the address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        let mut addrs = self.host.local_addrs()?;
        addrs
            .pop()
            .ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Returns a handle of the counters: one for each limit of the options.
    pub fn counters(&self) -> TransportCounters {
        self.host.counters()
    }

    /// Returns a handle of the simulated conditions around the sockets.
    pub fn conditions(&self) -> LinkConditions {
        self.host.conditions()
    }

    /// Returns a handle of the clients' addresses, for the game.
    pub fn peer_addrs(&self) -> PeerAddrs {
        self.host.peer_addrs()
    }

    /// Runs the server until `game` returns [`ControlFlow::Break`]: see [`Host::run`].
    ///
    /// The changes of the last call are sent. The clients are told that the server is shutting down,
    /// and have the [`close_timeout`](crate::TransportOptions::close_timeout) to take their queues. For a different
    /// text, call [`NetworkServer::disconnect`] before.
    ///
    /// Dropping the future cuts all connections.
    pub async fn run(
        mut self,
        game: impl FnMut(&mut NetworkServer, Duration) -> ControlFlow<()>,
    ) -> NetworkServer {
        self.host.run(&mut self.server, game).await;
        self.server
    }
}
