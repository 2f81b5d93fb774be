//! `Host`: the sockets of a server, and its ticks.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint, Transmit};
use tokio::runtime::{EnterGuard, Handle};
use tokio::time::{Instant, MissedTickBehavior};

use crate::admission::Admission;
use crate::gate::Gate;
use crate::listener::{Listener, Sent};
use crate::shaping::{Shaping, Wakes};
use crate::tasks::{Port, TaskListener};
use crate::{LinkConditions, PeerAddrs, TransportCounters, TransportOptions, runtime};

/// Text for the clients when the server stops.
const GOODBYE: &str = "the server is shutting down";

/// Time that a packet may wait for its simulated link.
const LINK_STEP: Duration = Duration::from_millis(1);

/// Rounds of reading before a tick, as long as the sockets have input.
const MAX_READS: usize = 64;

/// Margin after the close timeout: each connection ends by itself at the timeout.
const MARGIN: Duration = Duration::from_millis(100);

/// Time between two comparisons of the connections with those of the server.
const COMPARE: Duration = Duration::from_millis(250);

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

    /// Runs a server until `game` returns [`ControlFlow::Break`], then [shuts down](Self::shut_down).
    ///
    /// The server sets the rate: [`Endpoint::tick_rate`]. Each tick has these steps: the server handles
    /// the input; `game` runs, with the time since the start; the server is updated, and its packets are
    /// sent. Events that `game` finds and ignores are dropped. Events that arise during `game` wait for
    /// the next tick.
    ///
    /// The host holds the server's clock meanwhile: a call of the server's `update` by `game` has no
    /// effect. After a late tick the schedule goes on as planned, without a burst of missed ticks.
    ///
    /// Dropping the future leaves the connections open until the host is dropped.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without I/O or a timer.
    pub async fn run(
        &mut self,
        server: &mut E,
        mut game: impl FnMut(&mut E, Duration) -> ControlFlow<()>,
    ) {
        let held = HeldClock::new(server);
        let server = &mut *held.0;
        let started = Instant::now();
        let tick = Duration::from_secs(1) / server.tick_rate().max(1);
        let mut ticks = tokio::time::interval(tick);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                due = ticks.tick() => {
                    // A late tick gets the real time; a punctual one the planned time, without jitter.
                    let late = due.elapsed();
                    let now = if late < tick { due } else { due + late };
                    let now = now.duration_since(started);
                    self.receive(server, now);
                    let old = server.event_count();
                    let flow = game(server, now);
                    server.forget_events(old);
                    server.update(now);
                    self.transmit(server, now);
                    if flow.is_break() {
                        return self.shut_down(server).await;
                    }
                }
                () = self.readable() => {}
                // A packet enters its simulated link when it arrives, not with the next tick.
                () = tokio::time::sleep(LINK_STEP), if self.shaping.has_links() => {
                    self.receive(server, self.now);
                }
            }
        }
    }

    /// Reads and writes until a socket has had input. A program on tokio awaits it between two frames.
    ///
    /// Cancel-safe.
    pub async fn readable(&mut self) {
        std::future::poll_fn(|cx| self.poll_listeners(cx)).await;
    }

    /// Begins a frame: drains the sockets, and passes their input to the server. Does not wait.
    ///
    /// `now` is the time of the loop, since any fixed moment: the time that the server's `update` takes.
    /// Silent clients are timed out by it.
    pub fn receive(&mut self, server: &mut E, now: Duration) {
        self.now = now;
        server.expect_update(now);
        self.peers.sweep();
        let mut cx = Context::from_waker(Waker::noop());
        // A game that takes longer than a tick leaves only this moment for reading.
        for _ in 0..MAX_READS {
            if self.poll_listeners(&mut cx).is_pending() {
                break;
            }
        }
        self.shaping.update();
        let max_bytes = self.options.max_inbox_bytes;
        let mut gate = Gate::new(server, &mut self.shaping, &self.admission, max_bytes);
        for listener in &mut self.listeners {
            listener.receive(&mut gate, now);
        }
        gate.deliver();
        self.hold_states(server);
        self.peers.set_returned(server.returned());
    }

    /// Ends a frame: sends the packets of the server's update, and closes the connections that the
    /// server has ended. Does not wait. `now` is the time of [`receive`](Self::receive).
    ///
    /// Connections that the server does not know are closed, too: a game may put a new server in the
    /// place of the first.
    pub fn transmit(&mut self, server: &mut E, now: Duration) {
        while let Some(packet) = server.poll_transmit() {
            let (bytes, _) = self.shaping.queued_bytes(packet.connection);
            if !self.shaping.send(&packet) {
                self.queue(&packet);
            } else if bytes > self.options.max_queued_bytes {
                self.full.push(packet.connection);
            }
        }
        let mut full = std::mem::take(&mut self.full);
        full.dedup();
        for connection in full {
            if self.close(connection, Duration::ZERO) {
                let max_queued_bytes = self.options.max_queued_bytes;
                tracing::info!(%connection, max_queued_bytes, "disconnected: its queue is full");
                self.counters.count(|stats| &mut stats.queue_full);
                let end = |server: &mut E| server.handle_disconnect(connection);
                self.admission.end_link(server, connection, end);
            }
        }
        while let Some(connection) = server.poll_close() {
            self.close(connection, self.options.close_timeout);
        }
        let compares = now.saturating_sub(self.compared) >= COMPARE || now < self.compared;
        if compares {
            self.compared = now;
        }
        for listener in &mut self.listeners {
            if compares {
                for connection in listener.connections() {
                    if !server.is_connected(connection) {
                        tracing::info!(%connection, "closed: unknown to the server");
                        listener.close(connection, self.options.close_timeout);
                    }
                }
            }
            listener.flush(now);
        }
        // KCP's datagrams leave here.
        let _ = self.poll_listeners(&mut Context::from_waker(Waker::noop()));
    }

    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool {
        self.shaping.end_receiving(connection);
        for due in self.shaping.end_sending(connection) {
            self.queue(&due.transmit());
        }
        let mut listeners = self.listeners.iter_mut();
        listeners.any(|listener| listener.close(connection, linger))
    }

    /// Disconnects all clients, and closes the sockets. The clients have the
    /// [`close_timeout`](TransportOptions::close_timeout) to take their queues.
    pub async fn shut_down(&mut self, server: &mut E) {
        self.begin_shut_down(server);
        let limit = self.options.close_timeout.saturating_add(MARGIN);
        let closed = std::future::poll_fn(|cx| self.poll_shut_down(cx));
        let closed = tokio::time::timeout(limit, closed).await;
        self.end_shut_down(closed.is_ok());
    }

    /// [`shut_down`](Self::shut_down) for programs without async: waits on the thread. In a tokio runtime
    /// with one thread, the queues cannot be sent meanwhile: await `shut_down` there.
    pub fn shut_down_blocking(&mut self, server: &mut E) {
        self.begin_shut_down(server);
        let limit = self.options.close_timeout.saturating_add(MARGIN);
        let begun = std::time::Instant::now();
        let mut cx = Context::from_waker(Waker::noop());
        let mut closed = self.poll_shut_down(&mut cx).is_ready();
        while !closed && begun.elapsed() < limit {
            std::thread::sleep(Duration::from_millis(1));
            closed = self.poll_shut_down(&mut cx).is_ready();
        }
        self.end_shut_down(closed);
    }

    fn begin_shut_down(&mut self, server: &mut E) {
        for listener in &self.listeners {
            for connection in listener.connections() {
                server.disconnect(connection, GOODBYE);
            }
        }
        self.transmit(server, self.now);
        for listener in &mut self.listeners {
            listener.shut_down(self.options.close_timeout);
        }
    }

    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let _context = enter(self.runtime.as_ref());
        self.listeners
            .retain_mut(|listener| listener.poll_shut_down(cx).is_pending());
        if self.listeners.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    fn end_shut_down(&mut self, closed: bool) {
        if !closed {
            tracing::info!("cut: some clients have not closed in time");
        }
        self.listeners.clear();
    }

    /// Polls all listeners. Ready when a listener was.
    fn poll_listeners(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let _context = enter(self.runtime.as_ref());
        self.send_due(cx);
        let mut ready = Poll::Pending;
        for listener in &mut self.listeners {
            if listener.poll(cx).is_ready() {
                ready = Poll::Ready(());
            }
        }
        ready
    }

    /// Sends the packets that have left their simulated links.
    fn send_due(&mut self, cx: &mut Context<'_>) {
        while self.shaping.poll_due(Wakes::Outgoing, cx).is_ready()
            && let Some(due) = self.shaping.next_sent()
        {
            self.queue(&due.transmit());
        }
    }

    /// Queues a packet for its socket.
    fn queue(&mut self, packet: &Transmit<'_>) {
        let listeners = self.listeners.iter_mut();
        let mut sent = listeners.map(|listener| listener.send(packet));
        match sent.find(|sent| *sent != Sent::NotHere) {
            Some(Sent::TooSlow) => self.full.push(packet.connection),
            Some(Sent::Slowly) => {
                self.slow.entry(packet.connection).or_default();
            }
            _ => {}
        }
    }

    /// Lets the server hold back the state of readers whose queues are long since the last tick, and send that of
    /// readers that have caught up.
    fn hold_states(&mut self, server: &mut E) {
        let (listeners, counters) = (&self.listeners, &self.counters);
        self.slow.retain(|connection, held| {
            let mut listeners = listeners.iter();
            let is_slow = listeners.any(|listener| !listener.has_caught_up(*connection));
            if is_slow != std::mem::replace(held, is_slow) {
                server.hold_state(*connection, is_slow);
                if is_slow {
                    counters.count(|stats| &mut stats.slow_readers);
                }
            }
            is_slow
        });
    }
}

/// Enters the runtime of the sockets, for their tasks and timers.
fn enter(runtime: Option<&Handle>) -> Option<EnterGuard<'_>> {
    runtime.map(Handle::enter)
}

/// Server whose clock a transport holds until the drop.
struct HeldClock<'a, E: Endpoint>(&'a mut E);

impl<'a, E: Endpoint> HeldClock<'a, E> {
    fn new(server: &'a mut E) -> Self {
        server.hold_clock(true);
        Self(server)
    }
}

impl<E: Endpoint> Drop for HeldClock<'_, E> {
    fn drop(&mut self) {
        self.0.hold_clock(false);
    }
}
