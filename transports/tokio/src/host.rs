//! `Host`: the sockets of a server, and its ticks.

mod frames;

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint};
use tokio::runtime::Handle;

use crate::admission::Admission;
use crate::listener::Listener;
use crate::shaping::Shaping;
use crate::tasks::{Port, TaskListener};
use crate::{LinkConditions, PeerAddrs, TransportCounters, TransportOptions, runtime};

/// Sockets of a server: any number of addresses, with any of this crate's transports.
///
/// A host owns neither the server nor the loop. A program with a loop calls
/// [`receive`](Self::receive) before its game, and [`transmit`](Self::transmit) after the server's
/// update, in each frame. Neither call waits. [`run`](Self::run) is the same loop on tokio.
/// `TcpServer`, `UdpServer` and `MirrorHost` own a server besides.
///
/// ```
/// use std::time::{Duration, Instant};
/// use syncvar::transport::{Host, TransportOptions};
/// use syncvar::{ServerConfig, prelude::*};
///
/// # fn main() -> std::io::Result<()> {
/// let config = ServerConfig { tick_rate: 60, ..ServerConfig::default() };
/// let mut server = NetworkServer::with_config(Prefabs::new(), config);
/// let mut host = Host::new(TransportOptions::mirror());
/// # #[cfg(feature = "tcp")]
/// host.listen_tcp("127.0.0.1:0")?;
/// let started = Instant::now();
/// for _frame in 0..3 {
///     let now = started.elapsed(); // the one clock
///     host.receive(&mut server, now);
///     // The game.
///     server.update(now);
///     host.transmit(&mut server, now);
///     std::thread::sleep(Duration::from_millis(16));
/// }
/// host.shut_down_blocking(&mut server);
/// # Ok(())
/// # }
/// ```
///
/// # Runtime
///
/// The sockets belong to the tokio runtime in which the program calls `listen_*`. Without one they
/// belong to a runtime of this crate, on a thread named `syncvar-sockets` for all hosts and peers of
/// the process. In a runtime with one thread, the program must await between its frames: the tasks of
/// the sockets run there.
#[derive(Debug)]
pub struct Host<E> {
    options: TransportOptions,
    counters: TransportCounters,
    peers: PeerAddrs,
    admission: Arc<Admission>,
    listeners: Vec<Box<dyn Listener<E>>>,
    shaping: Shaping,
    /// Connections whose queues are full.
    full: Vec<ConnectionId>,
    /// Connections with long queues, and whether the server holds their state back.
    slow: BTreeMap<ConnectionId, bool>,
    /// Runtime of the sockets.
    runtime: Option<Handle>,
    /// Time of the last frame.
    now: Duration,
    /// Time of the last comparison of the connections.
    compared: Duration,
}

impl<E: Endpoint> Host<E> {
    /// Makes a host without addresses.
    pub fn new(options: TransportOptions) -> Self {
        let (counters, peers) = (TransportCounters::default(), PeerAddrs::default());
        Self {
            admission: Admission::new(&options, counters.clone(), peers.clone()),
            options,
            counters,
            peers,
            listeners: Vec::new(),
            shaping: Shaping::new(LinkConditions::default()),
            full: Vec::new(),
            slow: BTreeMap::new(),
            runtime: None,
            now: Duration::ZERO,
            compared: Duration::ZERO,
        }
    }

    /// Listens on an address for TCP. Waits for the system's resolver if the address has a name.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    #[cfg(feature = "tcp")]
    pub fn listen_tcp(&mut self, addr: impl ToSocketAddrs) -> io::Result<()> {
        let framing = crate::stream::Framing::Numbered;
        self.listen(addr, crate::stream::StreamPort(framing))
    }

    /// Listens on an address for Telepathy (TCP). Waits for the system's resolver if the address has a
    /// name.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    #[cfg(feature = "telepathy")]
    pub fn listen_telepathy(&mut self, addr: impl ToSocketAddrs) -> io::Result<()> {
        let framing = crate::stream::Framing::Plain;
        self.listen(addr, crate::stream::StreamPort(framing))
    }

    /// Listens on an address for KCP (UDP). `[::]` includes IPv4. Waits for the system's resolver if the
    /// address has a name.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub fn listen_kcp(&mut self, addr: impl ToSocketAddrs) -> io::Result<()> {
        self.listen_by(
            addr,
            crate::datagram::DatagramListener::<crate::datagram::Mirror>::bind,
        )
    }

    /// Listens on an address for UDP, with this crate's own datagrams. `[::]` includes IPv4. Waits for the
    /// system's resolver if the address has a name.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "udp")]
    pub fn listen_udp(&mut self, addr: impl ToSocketAddrs) -> io::Result<()> {
        self.listen_by(
            addr,
            crate::datagram::DatagramListener::<crate::datagram::Own>::bind,
        )
    }

    /// Listens on an address for the connections of a port, such as those of `syncvar-websocket`. Waits for
    /// the system's resolver if the address has a name.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    pub fn listen<P: Port>(&mut self, addr: impl ToSocketAddrs, port: P) -> io::Result<()> {
        let bind = |addrs: &[SocketAddr]| port.bind(addrs).map(TaskListener::new);
        self.listen_by(addr, bind)
    }

    pub(crate) fn listen_by<L: Listener<E> + 'static>(
        &mut self,
        addr: impl ToSocketAddrs,
        bind: impl FnOnce(&[SocketAddr]) -> io::Result<L>,
    ) -> io::Result<()> {
        let addrs: Vec<SocketAddr> = addr.to_socket_addrs()?.collect();
        let runtime = runtime::handle()?;
        let bound = {
            let _context = runtime.enter();
            bind(&addrs)?
        };
        self.runtime = Some(runtime);
        self.add(bound);
        Ok(())
    }

    pub(crate) fn add(&mut self, mut listener: impl Listener<E> + 'static) {
        listener.set_options(&self.options, &self.admission);
        self.listeners.push(Box::new(listener));
    }

    /// Sets the options of the host's addresses. Call it before the first connection.
    pub fn set_options(&mut self, options: TransportOptions) {
        self.options = options;
        let (counters, peers) = (self.counters.clone(), self.peers.clone());
        self.admission = Admission::new(&self.options, counters, peers);
        for listener in &mut self.listeners {
            listener.set_options(&self.options, &self.admission);
        }
    }

    /// Returns a handle of the host's counters.
    pub fn counters(&self) -> TransportCounters {
        self.counters.clone()
    }

    /// Returns a handle of the simulated conditions around the sockets.
    pub fn conditions(&self) -> LinkConditions {
        self.shaping.conditions().clone()
    }

    /// Returns the addresses of the sockets, in the order of the `listen_*` calls.
    ///
    /// # Errors
    ///
    /// When the system does not know an address.
    pub fn local_addrs(&self) -> io::Result<Vec<SocketAddr>> {
        let listeners = self.listeners.iter();
        listeners.map(|listener| listener.local_addr()).collect()
    }

    /// Returns the address of a connection: from its begin, and for one tick after its end. A session that
    /// has returned has the address of its present link.
    pub fn peer_addr(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.peers.get(connection)
    }

    /// Returns a handle of the clients' addresses, for a game that [`run`](Self::run) calls.
    pub fn peer_addrs(&self) -> PeerAddrs {
        self.peers.clone()
    }
}
