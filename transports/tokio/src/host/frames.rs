//! Ticks and frames of a [`Host`], and its end.

use std::ops::ControlFlow;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint, NetworkTime, Transmit};
use tokio::runtime::{EnterGuard, Handle};
use tokio::time::Instant;

use super::Host;
use crate::gate::Gate;
use crate::listener::Sent;
use crate::shaping::Wakes;

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

impl<E: Endpoint> Host<E> {
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
        let rate = server.tick_rate().max(1);
        let mut next = NetworkTime::of_tick(0, rate);
        let mut timer = std::pin::pin!(tokio::time::sleep_until(started));
        loop {
            tokio::select! {
                () = timer.as_mut() => {
                    // A late tick gets the real time; a punctual one the planned time, without jitter.
                    let time = NetworkTime::new(started.elapsed(), rate);
                    let now = if time.tick > next.tick { time.time } else { next.time };
                    next = NetworkTime::of_tick(next.tick.max(time.tick) + 1, rate);
                    timer.as_mut().reset(started + next.time);
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
        let _context = enter(self.runtime.as_ref());
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
    /// [`close_timeout`](crate::TransportOptions::close_timeout) to take their queues.
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
