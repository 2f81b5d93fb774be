//! Clients of one UDP socket, without the socket.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::ConnectionId;

use super::connection::GOODBYES;
use super::cookies::Cookies;
use super::datagrams;
use super::inbox::Pool;
use super::{DISCONNECT, Hello, KcpConnection};
use crate::TransportOptions;

/// Gap between two updates during which the socket was not read either.
const AWAY: Duration = Duration::from_secs(1);

const MAX_INBOX: usize = 256 * 1024;
const MAX_INBOX_TOTAL: usize = 64 * 1024 * 1024;

/// Most datagrams that wait for the socket. Further ones are lost, as they might be on the way.
const MAX_OUT: usize = 16 * 1024;

/// Connections by address, and the datagrams for them.
#[derive(Debug)]
pub(super) struct Clients {
    pub(super) by_addr: BTreeMap<SocketAddr, Client>,
    /// Ended connections whose addresses have a new connection.
    pub(super) replaced: Vec<Client>,
    cookies: Cookies,
    /// Refuses new connections.
    shut: bool,
    max_connections: usize,
    max_unreliable: usize,
    max_inbox: usize,
    inbox: Pool,
    timeout: Duration,
    updated: Duration,
    out: VecDeque<(SocketAddr, Bytes)>,
}

#[derive(Debug)]
pub(super) struct Client {
    pub(super) connection: KcpConnection,
    pub(super) stage: Stage,
}

/// State of a connection for the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Unknown to the server until the next tick.
    New,
    Known(ConnectionId),
    /// Ended for the server; sends its queue.
    Leaving,
}

impl Clients {
    pub(super) fn new(options: &TransportOptions) -> Self {
        Self {
            by_addr: BTreeMap::new(),
            replaced: Vec::new(),
            cookies: Cookies::default(),
            shut: false,
            max_connections: options.max_connections,
            max_unreliable: options.max_queued_packets,
            max_inbox: MAX_INBOX,
            inbox: Pool::new(MAX_INBOX_TOTAL, options.max_connections),
            timeout: options.kcp_timeout,
            updated: Duration::ZERO,
            out: VecDeque::new(),
        }
    }

    /// Handles a datagram.
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
        if self.by_addr.get(&from).map(Client::cookie) != Some(Some(cookie))
            && !self.accept(from, cookie, now)
        {
            tracing::trace!(%from, "datagram of no connection");
            return;
        }
        if let Some(client) = self.by_addr.get_mut(&from) {
            let before = client.connection.inbox_bytes();
            let room = self.inbox.room(before);
            client
                .connection
                .handle_datagram_within(now, datagram, room);
            let used = self.inbox.used.saturating_sub(before);
            self.inbox.used = used.saturating_add(client.connection.inbox_bytes());
        }
    }

    /// Adds a connection for a cookie from an answer to `Hello`. Returns whether the cookie is valid and
    /// the limit of connections allows it.
    fn accept(&mut self, from: SocketAddr, cookie: NonZeroU32, now: Duration) -> bool {
        if !self.cookies.take(from, cookie, now) {
            return false;
        }
        let is_full =
            !self.by_addr.contains_key(&from) && self.by_addr.len() >= self.max_connections;
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
        connection.set_max_inbox(self.max_inbox);
        tracing::debug!(%from, "connected");
        let stage = Stage::New;
        if let Some(before) = self.by_addr.insert(from, Client { connection, stage }) {
            self.replaced.push(before);
        }
        true
    }

    /// Updates every connection.
    ///
    /// A slow game or a stopped process leaves its input in the socket: silence in that time is no
    /// reason for a timeout.
    pub(super) fn update(&mut self, now: Duration) {
        let away = now.saturating_sub(self.updated);
        self.updated = now;
        if away >= AWAY {
            for client in self.by_addr.values_mut() {
                client.connection.excuse(away, now);
            }
        }
        self.inbox.used = 0;
        for (&to, client) in &mut self.by_addr {
            client.connection.update(now);
            client.transmit(to, &mut self.out);
            let used = client.connection.inbox_bytes();
            self.inbox.used = self.inbox.used.saturating_add(used);
        }
        self.by_addr.retain(|_, client| {
            client.stage != Stage::Leaving || client.connection.closed().is_none()
        });
    }

    /// Ends all connections, and refuses new ones.
    pub(super) fn shut_down(&mut self, now: Duration, linger: Duration) {
        self.shut = true;
        for client in self.by_addr.values_mut() {
            client.connection.close(now, linger);
            client.stage = Stage::Leaving;
        }
        self.update(now);
    }

    pub(super) fn is_idle(&self) -> bool {
        self.by_addr.is_empty()
    }

    /// Returns the next datagram to send; [`pop_out`](Self::pop_out) removes it.
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

impl Client {
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
