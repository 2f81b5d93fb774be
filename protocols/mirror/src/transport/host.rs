//! `Host`: a server, its sockets, and a tick.

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::task::{Context, Poll};
use std::time::Duration;

use syncvar_runtime::ConnectionId;
use tokio::time::{Instant, MissedTickBehavior};

use super::TransportOptions;
use super::game::{Game, Outgoing};

/// How often the ports may go on before a tick, as long as there is more.
const MAX_READS: usize = 64;

/// What a `MirrorHost` is, for any server.
#[derive(Debug)]
pub(crate) struct Host<S> {
    server: S,
    options: TransportOptions,
    ports: Vec<Box<dyn Port<S>>>,
}

/// A socket that clients connect to.
pub(crate) trait Port<S>: Debug + Send {
    /// To be called before anything else.
    fn set_options(&mut self, options: &TransportOptions);

    fn local_addr(&self) -> io::Result<SocketAddr>;

    /// Goes on as far as the socket lets it. Ready when there may be more, and something else should
    /// have its turn.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()>;

    /// Hands to the server what has come from every client, each up to its share.
    fn receive(&mut self, server: &mut S);

    /// Queues a message.
    fn send(&mut self, message: &Outgoing<'_>) -> Sent;

    /// Ends a connection: what is queued is sent first, for as long as `linger`. `false` if it is
    /// not here.
    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool;

    /// Those of the connections here that the server does not know.
    fn unknown(&self, server: &S) -> Vec<ConnectionId>;

    /// Sends what was queued, and lets go of what is over.
    fn update(&mut self);

    /// Ends all connections, as [`close`](Self::close) does.
    fn shut_down(&mut self, linger: Duration);

    /// Goes on until all connections have ended.
    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()>;
}

/// What became of a message that was to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Queued,
    /// There is no such connection here.
    NotHere,
    /// More waits for the client than may.
    TooSlow,
}

impl<S: Game> Host<S> {
    pub(crate) fn new(server: S) -> Self {
        Self {
            server,
            options: TransportOptions::default(),
            ports: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, mut port: impl Port<S> + 'static) {
        port.set_options(&self.options);
        self.ports.push(Box::new(port));
    }

    pub(crate) fn set_options(&mut self, options: TransportOptions) {
        for port in &mut self.ports {
            port.set_options(&options);
        }
        self.options = options;
    }

    pub(crate) fn local_addrs(&self) -> io::Result<Vec<SocketAddr>> {
        self.ports.iter().map(|port| port.local_addr()).collect()
    }

    pub(crate) async fn run(
        mut self,
        mut game: impl FnMut(&mut S, Duration) -> ControlFlow<()>,
    ) -> S {
        let started = Instant::now();
        let tick = self.options.tick.max(Duration::from_micros(1));
        let mut ticks = tokio::time::interval(tick);
        // After a tick that took too long the next one comes when it would have come anyway.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let ports = &mut self.ports;
            tokio::select! {
                due = ticks.tick() => {
                    // After one that took too long, it is later than was planned.
                    let late = due.elapsed();
                    let now = if late < tick { due } else { due + late };
                    self.read_on().await;
                    if self.tick(&mut game, now.duration_since(started)).is_break() {
                        return self.shut_down().await;
                    }
                }
                () = std::future::poll_fn(|cx| poll_any(ports, cx)) => {}
            }
        }
    }

    /// Takes what has come by now, so that a game that takes more than its time does not keep the
    /// sockets from being read.
    async fn read_on(&mut self) {
        let ports = &mut self.ports;
        std::future::poll_fn(|cx| {
            for _ in 0..MAX_READS {
                if poll_any(ports, cx).is_pending() {
                    break;
                }
            }
            Poll::Ready(())
        })
        .await;
    }

    fn tick(
        &mut self,
        game: &mut impl FnMut(&mut S, Duration) -> ControlFlow<()>,
        elapsed: Duration,
    ) -> ControlFlow<()> {
        for port in &mut self.ports {
            port.receive(&mut self.server);
        }
        let old = self.server.event_count();
        let flow = game(&mut self.server, elapsed);
        self.server.forget_events(old);
        self.server.update(elapsed);
        self.transmit();
        self.tidy();
        for port in &mut self.ports {
            port.update();
        }
        flow
    }

    /// Queues what the server has for every client, and ends the connections that it ends.
    fn transmit(&mut self) {
        let mut slow = Vec::new();
        while let Some(message) = self.server.poll_transmit() {
            let mut sent = self.ports.iter_mut().map(|port| port.send(&message));
            if sent.any(|sent| sent == Sent::TooSlow) {
                slow.push(message.connection);
            }
        }
        slow.dedup();
        for connection in slow {
            if self.close(connection, Duration::ZERO) {
                tracing::info!(%connection, "disconnected: it is too slow for what it is sent");
                self.server.handle_disconnect(connection);
            }
        }
        while let Some(connection) = self.server.poll_close() {
            self.close(connection, self.options.close_timeout);
        }
    }

    /// Closes the connections that the server does not know, because the game has put another one into its
    /// place: with it went what was to be closed, and the new one gives the same numbers to others.
    fn tidy(&mut self) {
        for port in &mut self.ports {
            for connection in port.unknown(&self.server) {
                tracing::info!(%connection, "closed: the server does not know it");
                port.close(connection, self.options.close_timeout);
            }
        }
    }

    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool {
        let mut ports = self.ports.iter_mut();
        ports.any(|port| port.close(connection, linger))
    }

    async fn shut_down(mut self) -> S {
        self.server.disconnect_all();
        self.transmit();
        for port in &mut self.ports {
            port.shut_down(self.options.close_timeout);
        }
        let ports = &mut self.ports;
        let closed = std::future::poll_fn(|cx| {
            ports.retain_mut(|port| port.poll_shut_down(cx).is_pending());
            if ports.is_empty() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        // A little more than a connection has itself, to say that its time is over.
        let limit = self.options.close_timeout;
        let limit = limit.saturating_add(Duration::from_millis(100));
        if tokio::time::timeout(limit, closed).await.is_err() {
            tracing::info!("cut: not everybody has closed in time");
        }
        self.server
    }
}

/// Ready when any port was, having asked all of them.
fn poll_any<S>(ports: &mut [Box<dyn Port<S>>], cx: &mut Context<'_>) -> Poll<()> {
    let mut any = Poll::Pending;
    for port in ports {
        if port.poll(cx).is_ready() {
            any = Poll::Ready(());
        }
    }
    any
}
