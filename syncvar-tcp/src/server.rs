//! `TcpServer`: a `NetworkServer`, a listener, and a tick.

mod link;
mod socket;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar_net::NetworkServer;
use syncvar_runtime::ConnectionId;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior};

use crate::{TcpOptions, frame};
use link::{Fault, Link};

/// What clients are told when the server stops.
const GOODBYE: &str = "the server is shutting down";

/// A [`NetworkServer`] that listens on TCP and updates itself at a steady rate.
///
/// The crate's documentation has an example, and says what a client can and cannot do to a server.
#[derive(Debug)]
pub struct TcpServer {
    listener: TcpListener,
    /// Whether to accept connections; not after an error, until the next tick.
    accepting: bool,
    server: NetworkServer,
    options: TcpOptions,
    links: BTreeMap<ConnectionId, Link>,
    /// Connections that the server has done with, and that still send what waits for them.
    closing: Vec<Closing>,
    /// The tasks of all connections, of those that are closing too.
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Closing {
    deadline: Option<Instant>,
    task: AbortHandle,
}

impl TcpServer {
    /// Listens on an address. Clients can connect from now on; they are let in by
    /// [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// When the address cannot be listened on, or the tick is zero.
    pub async fn bind(
        addr: impl ToSocketAddrs,
        server: NetworkServer,
        options: TcpOptions,
    ) -> io::Result<Self> {
        if options.tick.is_zero() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the tick is zero",
            ));
        }
        Ok(Self {
            listener: TcpListener::bind(addr).await?,
            accepting: true,
            server,
            options,
            links: BTreeMap::new(),
            closing: Vec::new(),
            tasks: JoinSet::new(),
        })
    }

    /// The address that the server listens on; tells the port where it was left open.
    ///
    /// # Errors
    ///
    /// When the system does not know.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Runs the server until the game ends it.
    ///
    /// `game` is called once per tick, with the server and the time since the start. What the
    /// clients have sent has been handled by then, and the server is updated afterwards. Events
    /// that it finds and does not poll are dropped, so that no client can pile them up.
    ///
    /// When `game` returns [`ControlFlow::Break`], its changes are sent once more, the clients are
    /// told that the server is shutting down, and have the
    /// [`close_timeout`](TcpOptions::close_timeout) to take everything that waits for them. To send
    /// them off in other words, call [`NetworkServer::disconnect`] before.
    ///
    /// Dropping the future cuts all connections.
    pub async fn run(
        mut self,
        mut game: impl FnMut(&mut NetworkServer, Duration) -> ControlFlow<()>,
    ) -> NetworkServer {
        let started = Instant::now();
        let mut ticks = tokio::time::interval(self.options.tick);
        // After a tick that took too long the next one comes when it would have come anyway.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                now = ticks.tick() => {
                    if self.tick(&mut game, now, now.duration_since(started)).is_break() {
                        return self.shut_down().await;
                    }
                }
                accepted = self.listener.accept(), if self.accepting => self.accept(accepted),
            }
        }
    }

    fn tick(
        &mut self,
        game: &mut impl FnMut(&mut NetworkServer, Duration) -> ControlFlow<()>,
        now: Instant,
        elapsed: Duration,
    ) -> ControlFlow<()> {
        self.accepting = true;
        self.receive(now);
        let old = self.server.event_count();
        let flow = game(&mut self.server, elapsed);
        self.server.forget_events(old);
        self.server.update(elapsed);
        self.transmit();
        self.tidy(now);
        flow
    }

    fn accept(&mut self, accepted: io::Result<(TcpStream, SocketAddr)>) {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // When the process is out of sockets, the same error comes back at once.
                self.accepting = false;
                tracing::warn!(%error, "could not accept a connection");
                return;
            }
        };
        if self.tasks.len() >= self.options.max_connections {
            tracing::info!(%peer, "closed: there are as many connections as the limit allows");
            return;
        }
        if let Err(error) = frame::configure(&stream) {
            tracing::debug!(%peer, %error, "lost");
            return;
        }
        let connection = self.server.handle_connect();
        tracing::debug!(%connection, %peer, "connected");
        let link = Link::open(stream, connection, &self.options, &mut self.tasks);
        self.links.insert(connection, link);
    }

    /// Hands to the server what has come from every client, each up to its share.
    fn receive(&mut self, now: Instant) {
        let Self {
            links,
            server,
            options,
            ..
        } = self;
        links.retain(|connection, link| {
            match link.receive(*connection, server, options.max_packet, now) {
                Ok(()) => {}
                Err(Fault::Lost) => {
                    server.handle_disconnect(*connection);
                    return false;
                }
                Err(fault) => {
                    tracing::info!(%connection, %fault, "disconnected");
                    server.disconnect(*connection, &fault.to_string());
                }
            }
            true
        });
    }

    /// Queues what the server has for every client.
    fn transmit(&mut self) {
        while let Some(transmit) = self.server.poll_transmit() {
            let connection = transmit.connection;
            let Some(link) = self.links.get_mut(&connection) else {
                continue;
            };
            if !link.send(&transmit, self.options.max_queued_bytes) {
                tracing::info!(%connection, "disconnected: it is too slow for what it is sent");
                if let Some(link) = self.links.remove(&connection) {
                    link.close().abort();
                }
                self.server.handle_disconnect(connection);
            }
        }
    }

    /// Lets go of the connections that the server no longer has, and of those that are over.
    fn tidy(&mut self, now: Instant) {
        let known: Vec<ConnectionId> = self.server.connections().collect();
        let gone = |id: &ConnectionId, _: &mut Link| known.binary_search(id).is_err();
        let deadline = now.checked_add(self.options.close_timeout);
        for (_, link) in self.links.extract_if(.., gone) {
            self.closing.push(Closing {
                deadline,
                task: link.close(),
            });
        }
        self.closing.retain(|closing| {
            if closing.deadline.is_some_and(|deadline| deadline <= now) {
                closing.task.abort();
            }
            !closing.task.is_finished()
        });
        while self.tasks.try_join_next().is_some() {}
    }

    async fn shut_down(mut self) -> NetworkServer {
        for connection in self.links.keys() {
            self.server.disconnect(*connection, GOODBYE);
        }
        self.transmit();
        self.tidy(Instant::now());
        let closed = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(self.options.close_timeout, closed)
            .await
            .is_err()
        {
            tracing::info!(
                connections = self.tasks.len(),
                "cut: they did not close in time"
            );
        }
        self.server
    }
}
