//! A server's UDP socket.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use syncvar_runtime::ConnectionId;
use tokio::io::ReadBuf;
use tokio::net::{ToSocketAddrs, UdpSocket};
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::listener::{Listener, Peer, Stage};
use super::{INTERVAL, KcpError, MAX_DATAGRAM};
use crate::Limits;
use crate::transport::TransportOptions;
use crate::transport::game::{Game, Outgoing};
use crate::transport::host::{self, Sent};

/// How much the system is asked to hold for a socket, in bytes. As Mirror asks for; most systems
/// give less.
const SOCKET_BUFFER: usize = 7 * 1024 * 1024;

/// After so many datagrams something else may happen.
const MAX_AT_ONCE: usize = 256;

#[derive(Debug)]
pub(crate) struct Port {
    socket: UdpSocket,
    /// Whether to read; not after an error, until the next tick.
    reading: bool,
    listener: Listener,
    /// The address of each connection that the server has.
    addrs: BTreeMap<ConnectionId, SocketAddr>,
    started: Instant,
    timer: Interval,
    options: TransportOptions,
}

impl Port {
    pub(crate) async fn bind(addr: impl ToSocketAddrs) -> io::Result<Self> {
        let socket = bind(addr).await?;
        configure(&socket);
        let options = TransportOptions::default();
        Ok(Self {
            socket,
            reading: true,
            listener: Listener::new(&options),
            addrs: BTreeMap::new(),
            started: Instant::now(),
            timer: timer(),
            options,
        })
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut buffer = [0; MAX_DATAGRAM + 1];
        for _ in 0..MAX_AT_ONCE {
            if !self.reading {
                return Poll::Pending;
            }
            let mut datagram = ReadBuf::new(&mut buffer);
            match ready!(self.socket.poll_recv_from(cx, &mut datagram)) {
                Ok(from) => {
                    let now = self.started.elapsed();
                    self.listener.handle_datagram(now, from, datagram.filled());
                }
                // That somebody to whom something was sent is not there: the system tells it here.
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
        while let Some((to, datagram)) = self.listener.next_out() {
            // Not `poll_send_to`: what a task may do in one go would have been used up by reading, and
            // a flood would keep the server from answering.
            match self.socket.try_send_to(datagram, *to) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if ready!(self.socket.poll_send_ready(cx)).is_err() {
                        return Poll::Pending;
                    }
                    continue;
                }
                Err(error) => tracing::debug!(%to, %error, "could not send"),
                Ok(_) => {}
            }
            self.listener.pop_out();
        }
        Poll::Ready(())
    }
}

impl<S: Game> host::Port<S> for Port {
    fn set_options(&mut self, options: &TransportOptions) {
        self.listener = Listener::new(options);
        self.options = options.clone();
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let received = self.poll_receive(cx);
        if !self.listener.is_idle() && self.timer.poll_tick(cx).is_ready() {
            self.listener.update(self.started.elapsed());
            // It says when it is to be asked again only when there is nothing to say.
            while self.timer.poll_tick(cx).is_ready() {}
        }
        let _ = self.poll_send(cx);
        received
    }

    fn receive(&mut self, server: &mut S) {
        self.reading = true;
        let Self {
            listener,
            addrs,
            options,
            ..
        } = self;
        for mut peer in std::mem::take(&mut listener.replaced) {
            receive(&mut peer, server, usize::MAX);
            if let Stage::Known(connection) = peer.stage {
                addrs.remove(&connection);
                server.handle_disconnect(connection);
            }
        }
        listener.peers.retain(|&from, peer| {
            if peer.stage == Stage::New {
                let connection = server.handle_connect(Limits::KCP);
                tracing::debug!(%connection, %from, "connected by KCP");
                addrs.insert(connection, from);
                peer.stage = Stage::Known(connection);
            }
            let all = receive(peer, server, options.max_queued_packets.max(1));
            let (true, Some(reason)) = (all, peer.connection.closed()) else {
                return true;
            };
            if let Stage::Known(connection) = peer.stage {
                tracing::info!(%connection, %reason, "disconnected");
                addrs.remove(&connection);
                server.handle_disconnect(connection);
                // It may have a goodbye to say.
                peer.stage = Stage::Leaving;
            }
            true
        });
    }

    fn send(&mut self, message: &Outgoing<'_>) -> Sent {
        let connection = message.connection;
        let addr = self.addrs.get(&connection);
        let Some(peer) = addr.and_then(|addr| self.listener.peers.get_mut(addr)) else {
            return Sent::NotHere;
        };
        // If the connection is over, `receive` will notice.
        if let Err(error @ KcpError::TooLong) =
            peer.connection.send(message.channel, message.chunks)
        {
            tracing::error!(%connection, %error, "not sent");
        }
        if peer.connection.queued_memory() > self.options.max_queued_bytes {
            return Sent::TooSlow;
        }
        Sent::Queued
    }

    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool {
        let Some(addr) = self.addrs.remove(&connection) else {
            return false;
        };
        if let Some(peer) = self.listener.peers.get_mut(&addr) {
            peer.connection.close(self.started.elapsed(), linger);
            peer.stage = Stage::Leaving;
        }
        true
    }

    fn unknown(&self, server: &S) -> Vec<ConnectionId> {
        let links = self.addrs.keys().copied();
        links.filter(|link| !server.is_connected(*link)).collect()
    }

    fn update(&mut self) {
        self.listener.update(self.started.elapsed());
    }

    fn shut_down(&mut self, linger: Duration) {
        self.addrs.clear();
        self.listener.shut_down(self.started.elapsed(), linger);
    }

    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.reading = true;
        while host::Port::<S>::poll(self, cx).is_ready() {}
        ready!(self.poll_send(cx));
        if self.listener.is_idle() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Drop for Port {
    /// Without a goodbye, the clients would wait for their timeouts.
    fn drop(&mut self) {
        let now = self.started.elapsed();
        self.listener.shut_down(now, Duration::ZERO);
        while let Some((to, datagram)) = self.listener.next_out() {
            // As much as the socket takes.
            let _ = self.socket.try_send_to(datagram, *to);
            self.listener.pop_out();
        }
    }
}

/// Hands to the server what has come from one client, up to so many messages. Whether that was all.
fn receive(peer: &mut Peer, server: &mut impl Game, share: usize) -> bool {
    let Stage::Known(connection) = peer.stage else {
        return true;
    };
    for _ in 0..share {
        let Some((channel, message)) = peer.connection.poll_message() else {
            return true;
        };
        if let Err(error) = server.handle_packet(connection, channel, &message) {
            tracing::info!(%connection, %error, "malformed packet");
            return true;
        }
    }
    false
}

/// A socket at the first of the addresses that can be had.
async fn bind(addrs: impl ToSocketAddrs) -> io::Result<UdpSocket> {
    let mut last = None;
    for addr in tokio::net::lookup_host(addrs).await? {
        match bind_to(addr) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = Some(error),
        }
    }
    Err(last
        .unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "there is no such address")))
}

/// At `[::]` it takes IPv4 too, on every system, as Mirror's does.
fn bind_to(addr: SocketAddr) -> io::Result<UdpSocket> {
    let domain = Domain::for_address(addr);
    let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
    if addr.is_ipv6() && addr.ip().is_unspecified() {
        // Where the system cannot, there is IPv6 alone.
        let _ = socket.set_only_v6(false);
    }
    socket.set_nonblocking(true)?;
    socket.bind(&addr.into())?;
    UdpSocket::from_std(socket.into())
}

/// As large buffers as the system gives: whatever comes between two ticks has to wait there.
pub(super) fn configure(socket: &UdpSocket) {
    let socket = SockRef::from(socket);
    let asked = [
        socket.set_recv_buffer_size(SOCKET_BUFFER),
        socket.set_send_buffer_size(SOCKET_BUFFER),
    ];
    for error in asked.into_iter().filter_map(Result::err) {
        tracing::debug!(%error, "the socket keeps the buffers that it has");
    }
}

pub(super) fn timer() -> Interval {
    let mut timer = tokio::time::interval(INTERVAL);
    timer.set_missed_tick_behavior(MissedTickBehavior::Skip);
    timer
}
