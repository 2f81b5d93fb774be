//! The connections of one UDP socket, and those that may become some.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::ConnectionId;

use super::connection::GOODBYES;
use super::cookies::Cookies;
use super::datagrams;
use super::{DISCONNECT, Hello, KcpConnection};
use crate::transport::TransportOptions;

/// A listener that has not been updated for so long has not listened either.
const AWAY: Duration = Duration::from_secs(1);

/// How many datagrams wait to be taken by the socket; what comes on top is lost, as it might be on
/// the way.
const MAX_OUT: usize = 16 * 1024;

/// What comes from which address, without the socket.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) peers: BTreeMap<SocketAddr, Peer>,
    /// Connections whose address now has another: they are over.
    pub(super) replaced: Vec<Peer>,
    cookies: Cookies,
    /// Nobody is let in any more.
    shut: bool,
    max_connections: usize,
    max_unreliable: usize,
    timeout: Duration,
    updated: Duration,
    out: VecDeque<(SocketAddr, Bytes)>,
}

#[derive(Debug)]
pub(super) struct Peer {
    pub(super) connection: KcpConnection,
    pub(super) stage: Stage,
}

/// What the server knows of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing yet.
    New,
    Known(ConnectionId),
    /// Nothing any more.
    Leaving,
}

impl Listener {
    pub(super) fn new(options: &TransportOptions) -> Self {
        Self {
            peers: BTreeMap::new(),
            replaced: Vec::new(),
            cookies: Cookies::default(),
            shut: false,
            max_connections: options.max_connections,
            max_unreliable: options.max_queued_packets,
            timeout: options.kcp_timeout,
            updated: Duration::ZERO,
            out: VecDeque::new(),
        }
    }

    /// Takes a datagram.
    pub(super) fn handle_datagram(&mut self, now: Duration, from: SocketAddr, datagram: &[u8]) {
        let Some((_, cookie, _)) = datagrams::split(datagram) else {
            return;
        };
        let Some(cookie) = NonZeroU32::new(cookie) else {
            if let Some(hello) = Hello::read(datagram) {
                let cookie = self.cookies.give(from, now);
                self.push_out(from, hello.answer(cookie, now));
            }
            return;
        };
        if self.peers.get(&from).map(Peer::cookie) != Some(Some(cookie))
            && !self.accept(from, cookie, now)
        {
            tracing::trace!(%from, "datagram of no connection");
            return;
        }
        if let Some(peer) = self.peers.get_mut(&from) {
            peer.connection.handle_datagram(now, datagram);
        }
    }

    /// Whether this is somebody whose `Hello` was answered with this cookie, and there is room.
    fn accept(&mut self, from: SocketAddr, cookie: NonZeroU32, now: Duration) -> bool {
        if !self.cookies.take(from, cookie, now) {
            return false;
        }
        let is_full = !self.peers.contains_key(&from) && self.peers.len() >= self.max_connections;
        if self.shut || is_full {
            tracing::info!(%from, is_full, "refused");
            let goodbye = datagrams::unreliable(cookie.get(), DISCONNECT, &[]);
            for goodbye in std::iter::repeat_n(goodbye, GOODBYES) {
                self.push_out(from, goodbye);
            }
            return false;
        }
        let mut connection = KcpConnection::accept(cookie, now);
        connection.set_timeout(self.timeout);
        connection.set_max_unreliable(self.max_unreliable);
        tracing::debug!(%from, "connected");
        let stage = Stage::New;
        if let Some(before) = self.peers.insert(from, Peer { connection, stage }) {
            self.replaced.push(before);
        }
        true
    }

    /// Lets every connection say what is due.
    ///
    /// While a game takes its time, or the process is stopped, what comes waits in the socket: that
    /// nobody was heard then is nobody's fault.
    pub(super) fn update(&mut self, now: Duration) {
        let away = now.saturating_sub(self.updated);
        self.updated = now;
        if away >= AWAY {
            for peer in self.peers.values_mut() {
                peer.connection.excuse(away, now);
            }
        }
        for (&to, peer) in &mut self.peers {
            peer.connection.update(now);
            peer.transmit(to, &mut self.out);
        }
        self.peers
            .retain(|_, peer| peer.stage != Stage::Leaving || peer.connection.closed().is_none());
    }

    /// Ends all connections, and lets nobody in any more.
    pub(super) fn shut_down(&mut self, now: Duration, linger: Duration) {
        self.shut = true;
        for peer in self.peers.values_mut() {
            peer.connection.close(now, linger);
            peer.stage = Stage::Leaving;
        }
        self.update(now);
    }

    pub(super) fn is_idle(&self) -> bool {
        self.peers.is_empty()
    }

    /// The next datagram to send. It stays where it is until it is [taken](Self::pop_out).
    pub(super) fn next_out(&self) -> Option<&(SocketAddr, Bytes)> {
        self.out.front()
    }

    pub(super) fn pop_out(&mut self) {
        self.out.pop_front();
    }

    fn push_out(&mut self, to: SocketAddr, datagram: Bytes) {
        if self.out.len() < MAX_OUT {
            self.out.push_back((to, datagram));
        }
    }
}

impl Peer {
    fn cookie(&self) -> Option<NonZeroU32> {
        self.connection.cookie()
    }

    fn transmit(&mut self, to: SocketAddr, out: &mut VecDeque<(SocketAddr, Bytes)>) {
        while let Some(datagram) = self.connection.poll_transmit() {
            if out.len() < MAX_OUT {
                out.push_back((to, datagram));
            }
        }
    }
}

#[cfg(test)]
mod tests;
