//! Clients of a UDP socket, without the socket.

mod client;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

pub(super) use client::{ClientStage, DatagramClient, counter};

use super::Dialect;
use super::cookies::Cookies;
use super::dialect::{Head, Refused};
use super::hello_rate::HelloRate;
use crate::TransportOptions;
use crate::admission::{Admission, Place};
use crate::kcp::{GOODBYES, Pool};

/// Gap between two updates during which the socket was not read either.
const AWAY: Duration = Duration::from_secs(1);

/// Most datagrams that wait for the socket. Further datagrams are lost, as datagrams may be on the way.
const MAX_OUT: usize = 16 * 1024;

/// Connections by address, and the datagrams for them.
#[derive(Debug)]
pub(super) struct Clients<D> {
    pub(super) by_addr: BTreeMap<SocketAddr, DatagramClient<D>>,
    /// Ended connections whose addresses have a new connection.
    pub(super) replaced: Vec<DatagramClient<D>>,
    cookies: Cookies,
    hello_rate: HelloRate,
    admission: Arc<Admission>,
    /// Refuses new connections.
    shut: bool,
    options: TransportOptions,
    inbox: Pool,
    started: Instant,
    updated: Duration,
    out: VecDeque<(SocketAddr, Bytes)>,
}

impl<D: Dialect> Clients<D> {
    pub(super) fn new(options: &TransportOptions, admission: &Arc<Admission>) -> Self {
        Self {
            by_addr: BTreeMap::new(),
            replaced: Vec::new(),
            cookies: Cookies::new(D::COOKIE_BITS),
            hello_rate: HelloRate::new(options.max_hellos_per_address),
            admission: Arc::clone(admission),
            shut: false,
            options: options.clone(),
            inbox: Pool::new(options.max_inbox_total, options.max_connections),
            started: Instant::now(),
            updated: Duration::ZERO,
            out: VecDeque::new(),
        }
    }

    /// Handles a datagram.
    pub(super) fn handle_datagram(&mut self, now: Duration, from: SocketAddr, datagram: &[u8]) {
        let Some(head) = D::head(datagram) else {
            return;
        };
        let cookie = match head {
            Head::Hello => return self.answer(datagram, from, now),
            Head::Of(cookie) | Head::Goodbye(cookie) => cookie,
        };
        let is_known = self.by_addr.get(&from).map(DatagramClient::cookie) == Some(Some(cookie));
        let is_known = is_known || (head == Head::Of(cookie) && self.accept(from, cookie, now));
        if is_known {
            self.pass(now, from, datagram);
        } else if head != Head::Goodbye(cookie) && !self.cookies.is_valid(from, cookie, now) {
            tracing::trace!(%from, "datagram of no connection");
            self.refuse_unknown(from, cookie, now);
        }
    }

    /// Passes a datagram to its connection.
    fn pass(&mut self, now: Duration, from: SocketAddr, datagram: &[u8]) {
        let Some(client) = self.by_addr.get_mut(&from) else {
            return;
        };
        let connection = &mut client.connection;
        let (before, refused) = (connection.kcp().inbox_bytes(), connection.kcp().refused());
        connection.handle_datagram(now, datagram, self.inbox.room(before));
        let used = self.inbox.used.saturating_sub(before);
        self.inbox.used = used.saturating_add(connection.kcp().inbox_bytes());
        let (segments, messages) = connection.kcp().refused();
        if (segments, messages) != refused {
            let segments = segments.saturating_sub(refused.0);
            let messages = messages.saturating_sub(refused.1);
            self.admission.counters().add_refused(segments, messages);
        }
    }

    /// Answers a first datagram within the rate of its sender, which repeats it otherwise.
    fn answer(&mut self, hello: &[u8], to: SocketAddr, now: Duration) {
        if self.hello_rate.allows(to.ip(), now) {
            let cookie = self.cookies.give(to, now);
            if let Some(answer) = D::answer(hello, cookie, now) {
                self.push_out(to, answer);
            }
        } else {
            let counters = self.admission.counters();
            counters.count(|stats| &mut stats.refused_hellos);
        }
    }

    /// Tells the client of an earlier server, or of an ended connection, that it has none.
    fn refuse_unknown(&mut self, to: SocketAddr, cookie: NonZeroU64, now: Duration) {
        if let Some(refusal) = D::refusal(cookie, Refused::Unknown)
            && self.hello_rate.allows(to.ip(), now)
        {
            self.push_out(to, refusal);
        }
    }

    /// Adds a connection for a cookie from an answer to a first datagram. Returns whether the cookie is
    /// valid and the connection has a place.
    fn accept(&mut self, from: SocketAddr, cookie: NonZeroU64, now: Duration) -> bool {
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
            if let Some(goodbye) = D::refusal(cookie, Refused::Full) {
                for goodbye in std::iter::repeat_n(goodbye, GOODBYES) {
                    self.push_out(from, goodbye);
                }
            }
            return false;
        };
        self.admission.spend(time);
        let connection = D::accept(cookie, now, &self.options);
        tracing::debug!(%from, "connected");
        let client = DatagramClient::new(connection, place);
        if let Some(before) = self.by_addr.insert(from, client) {
            self.replaced.push(before);
        }
        true
    }

    /// Returns a place for a connection: the place of an earlier connection from the same port, or a new place.
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
                client.connection.kcp_mut().excuse(away, now);
            }
        }
        self.inbox.used = 0;
        let mut unsent = 0_u64;
        for (&to, client) in &mut self.by_addr {
            client.connection.update(now);
            while let Some(datagram) = client.connection.poll_transmit() {
                if self.out.len() < MAX_OUT {
                    self.out.push_back((to, datagram));
                } else if D::is_lost_when_full(&datagram) {
                    unsent = unsent.saturating_add(1);
                }
            }
            let used = client.connection.kcp().inbox_bytes();
            self.inbox.used = self.inbox.used.saturating_add(used);
        }
        self.count_unsent(unsent);
        self.by_addr.retain(|_, client| {
            client.stage != ClientStage::Leaving || client.connection.kcp().closed().is_none()
        });
    }

    /// Ends all connections, and refuses new connections.
    pub(super) fn shut_down(&mut self, now: Duration, linger: Duration) {
        self.shut = true;
        for client in self.by_addr.values_mut() {
            client.connection.close(now, linger);
            client.stage = ClientStage::Leaving;
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

    /// Drops the datagrams that a full socket loses: later datagrams bring newer state.
    pub(super) fn lose_datagrams(&mut self) {
        let before = self.out.len();
        self.out
            .retain(|(_, datagram)| !D::is_lost_when_full(datagram));
        let lost = before.saturating_sub(self.out.len());
        self.count_unsent(u64::try_from(lost).unwrap_or(u64::MAX));
    }

    fn count_unsent(&self, datagrams: u64) {
        if datagrams > 0 {
            self.admission.counters().add_unsent(datagrams);
        }
    }

    fn push_out(&mut self, to: SocketAddr, datagram: Bytes) {
        if self.out.len() < MAX_OUT {
            self.out.push_back((to, datagram));
        }
    }
}

#[cfg(test)]
#[cfg(feature = "kcp")]
#[expect(clippy::arithmetic_side_effects, reason = "numbers of the tests")]
mod tests;
