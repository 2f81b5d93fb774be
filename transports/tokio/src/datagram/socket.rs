//! UDP socket of a server.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use syncvar_runtime::{ConnectionId, Endpoint, Transmit};
use tokio::io::ReadBuf;
use tokio::net::UdpSocket;
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::Dialect;
use super::clients::{ClientStage, Clients, DatagramClient, counter};
use crate::admission::Admission;
use crate::gate::Gate;
use crate::kcp::{INTERVAL, KcpError};
use crate::listener::{Listener, Sent, bind_first};
use crate::peers::PeerFacts;
use crate::turn::{Turn, Turns};
use crate::{PeerAddrs, TransportCounters, TransportOptions};

/// Requested buffer of a socket, in bytes, as in Mirror. Most systems grant less.
const SOCKET_BUFFER: usize = 7 * 1024 * 1024;

/// Room for one datagram and a byte more, in bytes.
pub(super) const BUFFER: usize = 1536;

/// Most datagrams of a `poll`.
const MAX_AT_ONCE: usize = 256;

#[derive(Debug)]
pub(crate) struct DatagramListener<D: Dialect> {
    socket: UdpSocket,
    /// Paused after an error, until the next tick.
    reading: bool,
    clients: Clients<D>,
    /// Addresses of the connections that the server has.
    addrs: BTreeMap<ConnectionId, SocketAddr>,
    started: Instant,
    timer: Interval,
    /// Connection whose turn is next.
    next_turn: ConnectionId,
    /// Time of the last tick.
    now: Option<Duration>,
    options: TransportOptions,
    admission: Arc<Admission>,
}

impl<D: Dialect> DatagramListener<D> {
    pub(crate) fn bind(addrs: &[SocketAddr]) -> io::Result<Self> {
        let socket = bind_first(addrs, bind_to)?;
        configure(&socket);
        let options = TransportOptions::mirror();
        let (counters, peers) = (TransportCounters::default(), PeerAddrs::default());
        let admission = Admission::new(&options, counters, peers);
        Ok(Self {
            socket,
            reading: true,
            clients: Clients::new(&options, &admission),
            addrs: BTreeMap::new(),
            started: Instant::now(),
            timer: timer(),
            next_turn: ConnectionId(0),
            now: None,
            options,
            admission,
        })
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // A longer datagram is too long for each dialect.
        let mut buffer = [0; BUFFER];
        for _ in 0..MAX_AT_ONCE {
            if !self.reading {
                return Poll::Pending;
            }
            let mut datagram = ReadBuf::new(&mut buffer);
            match ready!(self.socket.poll_recv_from(cx, &mut datagram)) {
                Ok(from) => {
                    let now = self.started.elapsed();
                    self.clients.handle_datagram(now, from, datagram.filled());
                }
                // The system reports a closed port of an earlier receiver here.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
                Err(error) => {
                    self.reading = false;
                    tracing::warn!(%error, "could not receive");
                }
            }
        }
        Poll::Ready(())
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Some((to, datagram)) = self.clients.next_out() {
            // Not `poll_send_to`: reading a flood uses up tokio's budget for the task, and the server
            // could not answer.
            match self.socket.try_send_to(datagram, *to) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.clients.lose_datagrams();
                    if ready!(self.socket.poll_send_ready(cx)).is_err() {
                        return Poll::Pending;
                    }
                    continue;
                }
                Err(error) => tracing::debug!(%to, %error, "could not send"),
                Ok(_) => {}
            }
            self.clients.pop_out();
        }
        Poll::Ready(())
    }
}

impl<D: Dialect> DatagramListener<D> {
    /// Passes the input of a tick to the server.
    fn take_turns(&mut self, server: &mut impl Endpoint) {
        let clients = self.clients.by_addr.values_mut();
        let known = clients.filter_map(|client| match client.stage {
            ClientStage::Known(connection) => Some((connection, client)),
            _ => None,
        });
        let mut known: BTreeMap<_, _> = known.collect();
        // A KCP client reports no faults: it closes itself.
        let mut faults = Vec::new();
        let active: Vec<ConnectionId> = known.keys().copied().collect();
        let turns = Turns {
            connections: &mut known,
            active: &active,
            next: self.next_turn,
        };
        if let Some(next) = turns.take(server, &self.options, &mut faults) {
            self.next_turn = next;
            let counters = self.admission.counters();
            counters.count(|stats| &mut stats.tick_full);
        }
    }

    /// Passes the last input of a connection whose address has a new connection.
    fn receive_last(&mut self, mut client: DatagramClient<D>, server: &mut impl Endpoint) {
        if let ClientStage::Known(connection) = client.stage {
            let Ok(_) = client.begin(&self.options);
            while let Ok(Some(_)) = client.receive(connection, server, usize::MAX) {}
            self.addrs.remove(&connection);
            self.admission.peers().end(connection);
            server.handle_disconnect(connection);
        }
    }
}

impl<E: Endpoint, D: Dialect> Listener<E> for DatagramListener<D> {
    fn set_options(&mut self, options: &TransportOptions, admission: &Arc<Admission>) {
        self.clients = Clients::new(options, admission);
        self.options = options.clone();
        self.admission = Arc::clone(admission);
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let received = self.poll_receive(cx);
        if !self.clients.is_idle() && self.timer.poll_tick(cx).is_ready() {
            self.clients.update(self.started.elapsed());
            // Only a pending timer wakes the task again.
            while self.timer.poll_tick(cx).is_ready() {}
        }
        let _ = self.poll_send(cx);
        received
    }

    fn receive(&mut self, server: &mut Gate<'_, E>, now: Duration) {
        self.reading = true;
        for client in std::mem::take(&mut self.clients.replaced) {
            self.receive_last(client, server);
        }
        let limits = D::limits(&self.options);
        for (&from, client) in &mut self.clients.by_addr {
            if client.stage == ClientStage::New {
                let connection = server.handle_connect(limits);
                tracing::debug!(%connection, %from, "connected by UDP");
                self.addrs.insert(connection, from);
                let origin = None;
                let peer = PeerFacts { addr: from, origin };
                self.admission.peers().add(connection, peer);
                client.stage = ClientStage::Known(connection);
            }
        }
        self.take_turns(server);
        let last = self.now.replace(now);
        let elapsed = now.saturating_sub(last.unwrap_or(now));
        for client in self.clients.by_addr.values_mut() {
            let reason = client.end_tick(server, elapsed, &self.options);
            let (Some(reason), ClientStage::Known(connection)) = (reason, client.stage) else {
                continue;
            };
            tracing::info!(%connection, %reason, "disconnected");
            if let Some(counter) = counter(reason) {
                self.admission.counters().count(counter);
            }
            let core = client.connection.kcp_mut();
            if D::HAS_GOODBYE && core.closed().is_none() && server.is_connected(connection) {
                // `Host::transmit` closes it, after the goodbye.
                if reason == KcpError::Idle {
                    server.handle_silence(connection, &reason.to_string());
                } else {
                    server.disconnect(connection, &reason.to_string());
                }
                continue;
            }
            core.fail(reason);
            self.addrs.remove(&connection);
            self.admission.peers().end(connection);
            if reason == KcpError::ClosedByPeer {
                server.handle_leave(connection);
            } else {
                server.handle_disconnect(connection);
            }
            // The queue may end with a `Disconnect`.
            client.stage = ClientStage::Leaving;
        }
    }

    fn send(&mut self, packet: &Transmit<'_>) -> Sent {
        let connection = packet.connection;
        let addr = self.addrs.get(&connection);
        let Some(client) = addr.and_then(|addr| self.clients.by_addr.get_mut(addr)) else {
            return Sent::NotHere;
        };
        // `receive` reports a connection that is over.
        if let Err(error @ KcpError::TooLong) = client.connection.send(packet) {
            tracing::error!(%connection, %error, "not sent");
        }
        if client.connection.kcp().queued_memory() > self.options.max_queued_bytes {
            return Sent::TooSlow;
        }
        Sent::Queued
    }

    fn connections(&self) -> Vec<ConnectionId> {
        self.addrs.keys().copied().collect()
    }

    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool {
        let Some(addr) = self.addrs.remove(&connection) else {
            return false;
        };
        self.admission.peers().end(connection);
        if let Some(client) = self.clients.by_addr.get_mut(&addr) {
            client.connection.close(self.started.elapsed(), linger);
            client.stage = ClientStage::Leaving;
        }
        true
    }

    fn flush(&mut self, _: Duration) {
        self.clients.update(self.started.elapsed());
    }

    fn shut_down(&mut self, linger: Duration) {
        self.addrs.clear();
        self.clients.shut_down(self.started.elapsed(), linger);
    }

    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.reading = true;
        while Listener::<E>::poll(self, cx).is_ready() {}
        ready!(self.poll_send(cx));
        if self.clients.is_idle() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl<D: Dialect> Drop for DatagramListener<D> {
    /// Spares the clients a timeout.
    fn drop(&mut self) {
        let now = self.started.elapsed();
        self.clients.shut_down(now, Duration::ZERO);
        while let Some((to, datagram)) = self.clients.next_out() {
            // As far as the socket takes it.
            let _ = self.socket.try_send_to(datagram, *to);
            self.clients.pop_out();
        }
    }
}

/// Binds a socket. `[::]` includes IPv4 on every system, as in Mirror.
fn bind_to(addr: SocketAddr) -> io::Result<UdpSocket> {
    let domain = Domain::for_address(addr);
    let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
    if addr.is_ipv6() && addr.ip().is_unspecified() {
        // Some systems have IPv6 alone.
        let _ = socket.set_only_v6(false);
    }
    socket.set_nonblocking(true)?;
    socket.bind(&addr.into())?;
    UdpSocket::from_std(socket.into())
}

/// Sets the largest buffers that the system grants: they hold the input between two ticks.
pub(super) fn configure(socket: &UdpSocket) {
    let socket = SockRef::from(socket);
    let asked = [
        socket.set_recv_buffer_size(SOCKET_BUFFER),
        socket.set_send_buffer_size(SOCKET_BUFFER),
    ];
    for error in asked.into_iter().filter_map(Result::err) {
        tracing::debug!(%error, "the socket keeps its buffers");
    }
}

pub(super) fn timer() -> Interval {
    let mut timer = tokio::time::interval(INTERVAL);
    timer.set_missed_tick_behavior(MissedTickBehavior::Skip);
    timer
}
