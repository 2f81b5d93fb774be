//! `Host`: the sockets of a server, and its ticks.

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint};
use tokio::net::ToSocketAddrs;
use tokio::time::{Instant, MissedTickBehavior};

use crate::admission::Admission;
use crate::listener::{Listener, Sent};
use crate::{TransportCounters, TransportOptions};

/// Text for the clients when the server stops.
const GOODBYE: &str = "the server is shutting down";

/// Rounds of reading before a tick, as long as the sockets have input.
const MAX_READS: usize = 64;

/// Least time between two ticks.
const MIN_TICK: Duration = Duration::from_micros(1);

/// Sockets of a server: any number of addresses, with any of this crate's transports.
///
/// A host owns neither the server nor the loop. [`run`](Self::run) is the usual loop; a program with
/// its own loop calls [`readable`](Self::readable), [`receive`](Self::receive) and
/// [`transmit`](Self::transmit). `TcpServer` and `MirrorHost` own a server besides.
#[derive(Debug)]
pub struct Host<E> {
    options: TransportOptions,
    counters: TransportCounters,
    admission: Arc<Admission>,
    listeners: Vec<Box<dyn Listener<E>>>,
}

impl<E: Endpoint> Host<E> {
    /// Makes a host without addresses.
    pub fn new(options: TransportOptions) -> Self {
        let counters = TransportCounters::default();
        Self {
            admission: Admission::new(&options, counters.clone()),
            options,
            counters,
            listeners: Vec::new(),
        }
    }

    /// Listens on an address for TCP.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    #[cfg(feature = "tcp")]
    pub async fn listen_tcp(&mut self, addr: impl ToSocketAddrs) -> io::Result<()> {
        let listener = crate::stream::StreamListener::bind(addr, crate::stream::Framing::Numbered);
        self.add(listener.await?);
        Ok(())
    }

    /// Listens on an address for Telepathy (TCP).
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    #[cfg(feature = "telepathy")]
    pub async fn listen_telepathy(&mut self, addr: impl ToSocketAddrs) -> io::Result<()> {
        let listener = crate::stream::StreamListener::bind(addr, crate::stream::Framing::Plain);
        self.add(listener.await?);
        Ok(())
    }

    /// Listens on an address for KCP (UDP). `[::]` includes IPv4.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn listen_kcp(&mut self, addr: impl ToSocketAddrs) -> io::Result<()> {
        self.add(crate::kcp::KcpListener::bind(addr).await?);
        Ok(())
    }

    pub(crate) fn add(&mut self, mut listener: impl Listener<E> + 'static) {
        listener.set_options(&self.options, &self.admission);
        self.listeners.push(Box::new(listener));
    }

    /// Sets the options of all addresses. Call it before the first connection.
    pub fn set_options(&mut self, options: TransportOptions) {
        self.options = options;
        self.admission = Admission::new(&self.options, self.counters.clone());
        for listener in &mut self.listeners {
            listener.set_options(&self.options, &self.admission);
        }
    }

    /// Returns a handle of the counters of all addresses.
    pub fn counters(&self) -> TransportCounters {
        self.counters.clone()
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

    /// Runs a server until `game` returns [`ControlFlow::Break`], then [shuts down](Self::shut_down).
    ///
    /// Each [tick](TransportOptions::tick) has these steps: the server handles the input; `game` runs,
    /// with the time since the start; the server is updated, and its packets are sent. Events that
    /// `game` finds and ignores are dropped. Events that arise during `game` wait for the next tick.
    ///
    /// After a late tick the schedule goes on as planned, without a burst of missed ticks.
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
        let started = Instant::now();
        let tick = self.options.tick.max(MIN_TICK);
        let mut ticks = tokio::time::interval(tick);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                due = ticks.tick() => {
                    // A late tick gets the real time; a punctual one the planned time, without jitter.
                    let late = due.elapsed();
                    let now = if late < tick { due } else { due + late };
                    let elapsed = now.duration_since(started);
                    self.receive(server).await;
                    let old = server.event_count();
                    let flow = game(server, elapsed);
                    server.forget_events(old);
                    server.update(elapsed);
                    self.transmit(server);
                    if flow.is_break() {
                        return self.shut_down(server).await;
                    }
                }
                () = self.readable() => {}
            }
        }
    }

    /// Reads and writes until a socket has had input. Await it between two ticks.
    ///
    /// Cancel-safe.
    pub async fn readable(&mut self) {
        std::future::poll_fn(|cx| self.poll_listeners(cx)).await;
    }

    /// Drains the sockets, and passes their input to the server.
    pub async fn receive(&mut self, server: &mut E) {
        // A game that takes longer than a tick leaves no other moment for reading.
        std::future::poll_fn(|cx| {
            for _ in 0..MAX_READS {
                if self.poll_listeners(cx).is_pending() {
                    break;
                }
            }
            Poll::Ready(())
        })
        .await;
        for listener in &mut self.listeners {
            listener.receive(server);
        }
    }

    /// Sends the server's packets, and closes the connections that it has ended.
    ///
    /// Connections that the server does not know are closed, too: a game may put another server in the
    /// place of the first.
    pub fn transmit(&mut self, server: &mut E) {
        let mut slow = Vec::new();
        while let Some(packet) = server.poll_transmit() {
            let mut sent = self
                .listeners
                .iter_mut()
                .map(|listener| listener.send(&packet));
            if sent.any(|sent| sent == Sent::TooSlow) {
                slow.push(packet.connection);
            }
        }
        slow.dedup();
        for connection in slow {
            if self.close(connection, Duration::ZERO) {
                tracing::info!(%connection, "disconnected: its queue is full");
                self.counters.count(|stats| &mut stats.queue_full);
                server.handle_disconnect(connection);
            }
        }
        while let Some(connection) = server.poll_close() {
            self.close(connection, self.options.close_timeout);
        }
        for listener in &mut self.listeners {
            for connection in listener.connections() {
                if !server.is_connected(connection) {
                    tracing::info!(%connection, "closed: unknown to the server");
                    listener.close(connection, self.options.close_timeout);
                }
            }
            listener.flush();
        }
    }

    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool {
        let mut listeners = self.listeners.iter_mut();
        listeners.any(|listener| listener.close(connection, linger))
    }

    /// Disconnects all clients, and closes the sockets. The clients have the
    /// [`close_timeout`](TransportOptions::close_timeout) to take their queues.
    pub async fn shut_down(&mut self, server: &mut E) {
        for listener in &self.listeners {
            for connection in listener.connections() {
                server.disconnect(connection, GOODBYE);
            }
        }
        self.transmit(server);
        for listener in &mut self.listeners {
            listener.shut_down(self.options.close_timeout);
        }
        let listeners = &mut self.listeners;
        let closed = std::future::poll_fn(|cx| {
            listeners.retain_mut(|listener| listener.poll_shut_down(cx).is_pending());
            if listeners.is_empty() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        // Each connection has the close timeout; the margin lets it end by itself.
        let limit = self.options.close_timeout;
        let limit = limit.saturating_add(Duration::from_millis(100));
        if tokio::time::timeout(limit, closed).await.is_err() {
            tracing::info!("cut: some clients have not closed in time");
        }
        self.listeners.clear();
    }

    /// Polls all listeners. Ready when one of them was.
    fn poll_listeners(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut ready = Poll::Pending;
        for listener in &mut self.listeners {
            if listener.poll(cx).is_ready() {
                ready = Poll::Ready(());
            }
        }
        ready
    }
}
