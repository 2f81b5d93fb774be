//! Listening TCP socket of a server.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint, Transmit};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::Framing;
use super::connection::{Connection, Fault};
use crate::admission::Admission;
use crate::listener::{Listener, Sent, bind_first};
use crate::turn::take_turns;
use crate::{PeerAddrs, TransportCounters, TransportOptions};

/// Most connections that wait for [`StreamListener::poll`]. Most systems grant less.
const BACKLOG: u32 = 4096;

/// Least buffer of a socket for input, in bytes.
const MIN_RECEIVE_BUFFER: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) struct StreamListener {
    listener: TcpListener,
    framing: Framing,
    /// Paused after an error or a burst, until the next tick.
    accepting: bool,
    options: TransportOptions,
    admission: Arc<Admission>,
    /// Connections since the last tick, unknown to the server.
    new: Vec<(SocketAddr, Connection)>,
    connections: BTreeMap<ConnectionId, Connection>,
    /// Connection whose turn is next.
    next_turn: ConnectionId,
    /// Time of the last tick.
    now: Option<Duration>,
    /// Connections that the server has ended, as long as their queues are not sent.
    closing: Vec<Closing>,
    /// Tasks of all connections, including the closing ones.
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Closing {
    deadline: Option<Duration>,
    task: AbortHandle,
}

impl StreamListener {
    pub(crate) fn bind(addrs: &[SocketAddr], framing: Framing) -> io::Result<Self> {
        let options = TransportOptions::default();
        let (counters, peers) = (TransportCounters::default(), PeerAddrs::default());
        Ok(Self {
            listener: bind_first(addrs, bind_to)?,
            framing,
            accepting: true,
            admission: Admission::new(&options, counters, peers),
            options,
            new: Vec::new(),
            connections: BTreeMap::new(),
            next_turn: ConnectionId(0),
            now: None,
            closing: Vec::new(),
            tasks: JoinSet::new(),
        })
    }

    fn accept(&mut self, stream: TcpStream, peer: SocketAddr, now: Instant) {
        let place = match self.admission.admit(peer.ip()) {
            Ok(place) => {
                self.admission.spend(now);
                place
            }
            Err(refusal) => {
                self.admission.spend_refused(now);
                tracing::info!(%peer, %refusal, "closed at once");
                return;
            }
        };
        if let Err(error) = configure(&stream, &self.options) {
            tracing::debug!(%peer, %error, "lost");
            return;
        }
        let (options, admission) = (&self.options, &self.admission);
        let connection = Connection::open(
            stream,
            self.framing,
            place,
            options,
            admission,
            &mut self.tasks,
        );
        self.new.push((peer, connection));
    }

    fn drop_connection(&mut self, id: ConnectionId, linger: Duration) -> bool {
        let Some(connection) = self.connections.remove(&id) else {
            return false;
        };
        let task = connection.close();
        if linger.is_zero() {
            task.abort();
        }
        self.admission.peers().end(id);
        let deadline = self.now.unwrap_or_default().checked_add(linger);
        self.closing.push(Closing { deadline, task });
        true
    }

    /// Ends a connection because of its client.
    fn end(&mut self, connection: ConnectionId, fault: &Fault, server: &mut impl Endpoint) {
        tracing::info!(%connection, %fault, "disconnected");
        if let Some(counter) = fault.counter() {
            self.admission.counters().count(counter);
        }
        match fault {
            Fault::Lost => {
                self.drop_connection(connection, Duration::ZERO);
                server.handle_disconnect(connection);
            }
            // `Host::transmit` closes it after the goodbye.
            fault if self.framing.has_goodbye() => {
                server.disconnect(connection, &fault.to_string());
            }
            _ => {
                self.drop_connection(connection, self.options.close_timeout);
                server.handle_disconnect(connection);
            }
        }
    }
}

impl<E: Endpoint> Listener<E> for StreamListener {
    fn set_options(&mut self, options: &TransportOptions, admission: &Arc<Admission>) {
        self.options = options.clone();
        self.admission = Arc::clone(admission);
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.accepting {
            return Poll::Pending;
        }
        let now = Instant::now();
        if !self.admission.is_open(now) {
            self.accepting = false;
            let counters = self.admission.counters();
            counters.count(|stats| &mut stats.delayed_accepts);
            return Poll::Pending;
        }
        match ready!(self.listener.poll_accept(cx)) {
            Ok((stream, peer)) => self.accept(stream, peer, now),
            Err(error) => {
                // A process without free sockets gets the same error at once again.
                self.accepting = false;
                tracing::warn!(%error, "could not accept a connection");
            }
        }
        Poll::Ready(())
    }

    fn receive(&mut self, server: &mut E, now: Duration) {
        self.accepting = true;
        for (peer, new) in self.new.drain(..) {
            let connection = server.handle_connect(super::limits(&self.options));
            tracing::debug!(%connection, %peer, "connected");
            self.admission.peers().add(connection, peer);
            self.connections.insert(connection, new);
        }
        let last = self.now.replace(now);
        let elapsed = now.saturating_sub(last.unwrap_or(now));
        let mut faults = Vec::new();
        let turns = take_turns(
            &mut self.connections,
            self.next_turn,
            server,
            &self.options,
            &mut faults,
        );
        if let Some(next) = turns {
            self.next_turn = next;
            let counters = self.admission.counters();
            counters.count(|stats| &mut stats.tick_full);
        }
        for (&id, connection) in &mut self.connections {
            if let Err(fault) = connection.end(id, server, elapsed, &self.options) {
                faults.push((id, fault));
            }
        }
        // Of two faults of a connection, the first is the reason.
        faults.sort_by_key(|(connection, _)| *connection);
        faults.dedup_by_key(|(connection, _)| *connection);
        for (connection, fault) in faults {
            self.end(connection, &fault, server);
        }
    }

    fn send(&mut self, packet: &Transmit<'_>) -> Sent {
        match self.connections.get(&packet.connection) {
            Some(connection) => connection.send(packet, &self.options),
            None => Sent::NotHere,
        }
    }

    fn connections(&self) -> Vec<ConnectionId> {
        self.connections.keys().copied().collect()
    }

    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool {
        self.drop_connection(connection, linger)
    }

    fn flush(&mut self, now: Duration) {
        self.closing.retain(|closing| {
            if closing.deadline.is_some_and(|deadline| deadline <= now) {
                if !closing.task.is_finished() {
                    let counters = self.admission.counters();
                    counters.count(|stats| &mut stats.linger_cuts);
                }
                closing.task.abort();
            }
            !closing.task.is_finished()
        });
        while self.tasks.try_join_next().is_some() {}
    }

    fn shut_down(&mut self, linger: Duration) {
        self.new.clear();
        let connections: Vec<ConnectionId> = self.connections.keys().copied().collect();
        for connection in connections {
            self.drop_connection(connection, linger);
        }
    }

    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while ready!(self.tasks.poll_join_next(cx)).is_some() {}
        Poll::Ready(())
    }
}

fn bind_to(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = match addr {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // The port of a server that has just ended is free; on Windows it is without the option.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    socket.listen(BACKLOG)
}

fn configure(stream: &TcpStream, options: &TransportOptions) -> io::Result<()> {
    super::configure(stream, options)?;
    // Input that waits costs the system memory, too: megabytes for each client by default.
    let bytes = options.max_inbox_bytes.max(MIN_RECEIVE_BUFFER);
    socket2::SockRef::from(stream).set_recv_buffer_size(bytes)
}
