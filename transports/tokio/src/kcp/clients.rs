//! Clients of one UDP socket, without the socket.

mod client;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

pub(super) use client::{Client, Stage, counter};

use super::connection::GOODBYES;
use super::cookies::Cookies;
use super::datagrams;
use super::hello_rate::HelloRate;
use super::inbox::Pool;
use super::{DISCONNECT, Hello, KcpConnection};
use crate::TransportOptions;
use crate::admission::{Admission, Place};

/// Gap between two updates during which the socket was not read either.
const AWAY: Duration = Duration::from_secs(1);

/// Most datagrams that wait for the socket. Further ones are lost, as they might be on the way.
const MAX_OUT: usize = 16 * 1024;

/// Connections by address, and the datagrams for them.
#[derive(Debug)]
pub(super) struct Clients {
    pub(super) by_addr: BTreeMap<SocketAddr, Client>,
    /// Ended connections whose addresses have a new connection.
    pub(super) replaced: Vec<Client>,
    cookies: Cookies,
    hello_rate: HelloRate,
    admission: Arc<Admission>,
    /// Refuses new connections.
    shut: bool,
    max_unreliable: usize,
    max_inbox: usize,
    inbox: Pool,
    timeout: Duration,
    started: Instant,
    updated: Duration,
    out: VecDeque<(SocketAddr, Bytes)>,
}

impl Clients {
    pub(super) fn new(options: &TransportOptions, admission: &Arc<Admission>) -> Self {
        Self {
            by_addr: BTreeMap::new(),
            replaced: Vec::new(),
            cookies: Cookies::default(),
            hello_rate: HelloRate::new(options.max_hellos_per_address),
            admission: Arc::clone(admission),
            shut: false,
            max_unreliable: options.max_queued_packets,
            max_inbox: options.max_inbox_bytes,
            inbox: Pool::new(options.max_inbox_total, options.max_connections),
            timeout: options.kcp_timeout,
            started: Instant::now(),
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
                self.answer(hello, from, now);
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
            let connection = &mut client.connection;
            let (before, refused) = (connection.inbox_bytes(), connection.refused());
            connection.handle_datagram_within(now, datagram, self.inbox.room(before));
            let used = self.inbox.used.saturating_sub(before);
            self.inbox.used = used.saturating_add(connection.inbox_bytes());
            let (segments, messages) = connection.refused();
            if (segments, messages) != refused {
                let segments = segments.saturating_sub(refused.0);
                let messages = messages.saturating_sub(refused.1);
                self.admission.counters().add_refused(segments, messages);
            }
        }
    }

    /// Answers a `Hello` within the rate of its sender, which repeats it otherwise.
    fn answer(&mut self, hello: Hello, to: SocketAddr, now: Duration) {
        if self.hello_rate.allows(to.ip(), now) {
            let cookie = self.cookies.give(to, now);
            self.push_out(to, hello.answer(cookie, now));
        } else {
            let counters = self.admission.counters();
            counters.count(|stats| &mut stats.refused_hellos);
        }
    }

    /// Adds a connection for a cookie from an answer to `Hello`. Returns whether the cookie is valid and
    /// the connection has a place.
    fn accept(&mut self, from: SocketAddr, cookie: NonZeroU32, now: Duration) -> bool {
        if !self.cookies.is_valid(from, cookie, now) {
            return false;
        }
        let time = self.started.checked_add(now).unwrap_or(self.started);
        if !self.admission.is_open(time) {
            // The client repeats its datagram, and the cookie is still valid.
            let counters = self.admission.counters();
            counters.count(|stats| &mut stats.delayed_accepts);
            return false;
        }
        self.cookies.take(from, now);
        let Some(place) = self.place(from) else {
            let goodbye = datagrams::unreliable(cookie.get(), DISCONNECT, &[]);
            for goodbye in std::iter::repeat_n(goodbye, GOODBYES) {
                self.push_out(from, goodbye);
            }
            return false;
        };
        self.admission.spend(time);
        let mut connection = KcpConnection::accept(cookie, now);
        connection.set_timeout(self.timeout);
        connection.set_max_unreliable(self.max_unreliable);
        connection.set_max_inbox(self.max_inbox);
        tracing::debug!(%from, "connected");
        let client = Client::new(connection, place);
        if let Some(before) = self.by_addr.insert(from, client) {
            self.replaced.push(before);
        }
        true
    }

    /// Returns a place for a connection: that of an earlier one from the same port, or a new one.
    fn place(&mut self, from: SocketAddr) -> Option<Place> {
        if self.shut {
            return None;
        }
        let before = self.by_addr.get_mut(&from);
        if let Some(place) = before.and_then(|before| before.place.take()) {
            return Some(place);
        }
        match self.admission.admit(from.ip()) {
            Ok(place) => Some(place),
            Err(refusal) => {
                tracing::info!(%from, %refusal, "refused");
                None
            }
        }
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

#[cfg(test)]
mod tests;
