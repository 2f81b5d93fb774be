//! The connections of one UDP socket, and those that may become some.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::ConnectionId;

use super::datagrams;
use super::{DISCONNECT, Hello, KcpConnection};
use crate::transport::TransportOptions;

/// How long an answered `Hello` is remembered.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// How many of those who have said `Hello` are remembered.
const MAX_GREETED: usize = 4096;

/// How many datagrams wait to be taken by the socket; what comes on top is lost, as it might be on
/// the way.
const MAX_OUT: usize = 16 * 1024;

/// What comes from which address, without the socket.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) peers: BTreeMap<SocketAddr, Peer>,
    /// Connections whose address now has another: they are over.
    pub(super) replaced: Vec<Peer>,
    greeted: Greeted,
    max_connections: usize,
    max_unreliable: usize,
    timeout: Duration,
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
            greeted: Greeted::default(),
            max_connections: options.max_connections,
            max_unreliable: options.max_queued_packets,
            timeout: options.kcp_timeout,
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
                let cookie = self.greeted.greet(from, now);
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
        if !self.greeted.has(from, cookie, now) {
            return false;
        }
        self.greeted.forget(from);
        if !self.peers.contains_key(&from) && self.peers.len() >= self.max_connections {
            tracing::info!(%from, "refused: there are as many connections as the limit allows");
            self.push_out(from, datagrams::unreliable(cookie.get(), DISCONNECT, &[]));
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
    pub(super) fn update(&mut self, now: Duration) {
        for (&to, peer) in &mut self.peers {
            peer.connection.update(now);
            peer.transmit(to, &mut self.out);
        }
        self.peers
            .retain(|_, peer| peer.stage != Stage::Leaving || peer.connection.closed().is_none());
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

/// Who was answered, and with which cookie. Anybody can write any address on a `Hello`, so there is a
/// limit, and the newest displace the oldest.
#[derive(Debug, Default)]
struct Greeted {
    cookies: BTreeMap<SocketAddr, (NonZeroU32, Duration)>,
    /// In the order in which they came.
    order: VecDeque<SocketAddr>,
    random: RandomState,
    count: u64,
}

impl Greeted {
    /// The cookie for an address: the one that it was given, or a new one.
    fn greet(&mut self, from: SocketAddr, now: Duration) -> NonZeroU32 {
        if let Some(&(cookie, at)) = self.cookies.get(&from)
            && now.saturating_sub(at) < HANDSHAKE_TIMEOUT
        {
            return cookie;
        }
        let cookie = self.cookie();
        self.cookies.insert(from, (cookie, now));
        self.order.push_back(from);
        if self.order.len() > MAX_GREETED
            && let Some(oldest) = self.order.pop_front()
            && oldest != from
        {
            self.cookies.remove(&oldest);
        }
        cookie
    }

    fn has(&self, from: SocketAddr, cookie: NonZeroU32, now: Duration) -> bool {
        self.cookies.get(&from).is_some_and(|&(expected, at)| {
            cookie == expected && now.saturating_sub(at) < HANDSHAKE_TIMEOUT
        })
    }

    fn forget(&mut self, from: SocketAddr) {
        self.cookies.remove(&from);
    }

    /// A number that nobody can guess: a keyed hash of a count.
    fn cookie(&mut self) -> NonZeroU32 {
        loop {
            self.count = self.count.wrapping_add(1);
            let [_, _, _, _, a, b, c, d] = self.random.hash_one(self.count).to_le_bytes();
            if let Some(cookie) = NonZeroU32::new(u32::from_le_bytes([a, b, c, d])) {
                return cookie;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use syncvar_runtime::Channel;

    use super::super::KcpError;
    use super::*;

    const NOW: Duration = Duration::ZERO;

    fn addr(number: u32) -> SocketAddr {
        let [a, b, c, d] = number.to_be_bytes();
        ([a, b, c, d], 7000).into()
    }

    fn listener(max_connections: usize) -> Listener {
        Listener::new(&TransportOptions {
            max_connections,
            ..TransportOptions::default()
        })
    }

    fn answers(listener: &mut Listener, to: SocketAddr) -> Vec<Bytes> {
        let out = std::mem::take(&mut listener.out).into_iter();
        out.filter_map(|(addr, datagram)| (addr == to).then_some(datagram))
            .collect()
    }

    /// Moves everything both ways.
    fn exchange(listener: &mut Listener, from: SocketAddr, client: &mut KcpConnection) {
        client.update(NOW);
        while let Some(datagram) = client.poll_transmit() {
            listener.handle_datagram(NOW, from, &datagram);
        }
        listener.update(NOW);
        for datagram in answers(listener, from) {
            client.handle_datagram(NOW, &datagram);
        }
    }

    fn join(listener: &mut Listener, from: SocketAddr) -> KcpConnection {
        let mut client = KcpConnection::connect(NOW);
        exchange(listener, from, &mut client);
        assert!(client.is_connected());
        exchange(listener, from, &mut client);
        client
    }

    fn hello() -> Bytes {
        let mut client = KcpConnection::connect(NOW);
        client.update(NOW);
        client.poll_transmit().unwrap()
    }

    #[test]
    fn whoever_says_hello_is_let_in_when_he_has_shown_that_he_hears_the_answer() {
        let mut listener = listener(10);
        let mut client = KcpConnection::connect(NOW);
        exchange(&mut listener, addr(1), &mut client);
        assert!(client.is_connected());
        assert!(listener.is_idle());
        exchange(&mut listener, addr(1), &mut client);
        assert_eq!(listener.peers[&addr(1)].stage, Stage::New);
    }

    #[test]
    fn hellos_from_false_addresses_take_no_more_room_than_the_limit() {
        let mut listener = listener(10);
        let hello = hello();
        for number in 0..10_000 {
            listener.handle_datagram(NOW, addr(number), &hello);
        }
        assert!(listener.is_idle());
        assert!(listener.greeted.cookies.len() <= MAX_GREETED);
        assert!(listener.greeted.order.len() <= MAX_GREETED);
        assert_eq!(answers(&mut listener, addr(9_999)).len(), 1);
        // And they keep nobody out.
        join(&mut listener, addr(u32::MAX));
        assert_eq!(listener.peers.len(), 1);
    }

    #[test]
    fn one_hello_is_answered_once_and_the_same_address_always_the_same() {
        let mut listener = listener(10);
        let hello = hello();
        let mut said = Vec::new();
        for _ in 0..3 {
            listener.handle_datagram(NOW, addr(1), &hello);
            said.extend(answers(&mut listener, addr(1)));
        }
        assert_eq!(said.len(), 3);
        assert!(said.iter().all(|answer| answer[1..5] == said[0][1..5]));
        listener.handle_datagram(NOW, addr(2), &hello);
        let other = answers(&mut listener, addr(2)).remove(0);
        assert_ne!(other[1..5], said[0][1..5]);
    }

    #[test]
    fn a_guessed_cookie_lets_nobody_in() {
        let mut listener = listener(10);
        listener.handle_datagram(NOW, addr(1), &hello());
        let answer = answers(&mut listener, addr(1)).remove(0);
        let mut guess = [&[2][..], &answer[1..5], &[4, 1]].concat();
        guess[1] ^= 1;
        listener.handle_datagram(NOW, addr(1), &guess);
        guess[1] ^= 1;
        listener.handle_datagram(NOW, addr(2), &guess);
        listener.handle_datagram(HANDSHAKE_TIMEOUT, addr(1), &guess);
        assert!(listener.is_idle());
        listener.handle_datagram(NOW, addr(1), &guess);
        assert_eq!(listener.peers.len(), 1);
    }

    #[test]
    fn a_client_that_begins_again_takes_the_place_of_what_it_was() {
        let mut listener = listener(1);
        let mut before = join(&mut listener, addr(1));
        before
            .send(Channel::Reliable, &[Bytes::from_static(b"before")])
            .unwrap();
        exchange(&mut listener, addr(1), &mut before);
        // A hello alone ends nothing: anybody can say it.
        listener.handle_datagram(NOW, addr(1), &hello());
        assert!(listener.replaced.is_empty());
        listener.out.clear();

        let mut after = join(&mut listener, addr(1));
        assert_eq!((listener.peers.len(), listener.replaced.len()), (1, 1));
        let message = listener.replaced[0].connection.poll_message();
        assert_eq!(message, Some((Channel::Reliable, "before".into())));
        after
            .send(Channel::Reliable, &[Bytes::from_static(b"after")])
            .unwrap();
        exchange(&mut listener, addr(1), &mut after);
        let peer = listener.peers.get_mut(&addr(1)).unwrap();
        let message = peer.connection.poll_message();
        assert_eq!(message, Some((Channel::Reliable, "after".into())));
    }

    #[test]
    fn who_comes_when_there_is_no_room_is_told() {
        let mut listener = listener(1);
        join(&mut listener, addr(1));
        let late = join(&mut listener, addr(2));
        assert_eq!(late.closed(), Some(KcpError::ClosedByPeer));
        assert_eq!(listener.peers.len(), 1);
    }

    #[test]
    fn nothing_stays_of_a_connection_that_has_ended() {
        let mut listener = listener(1);
        let mut client = join(&mut listener, addr(1));
        let peer = listener.peers.get_mut(&addr(1)).unwrap();
        peer.stage = Stage::Leaving;
        peer.connection.close(NOW, Duration::ZERO);
        exchange(&mut listener, addr(1), &mut client);
        assert_eq!(client.closed(), Some(KcpError::ClosedByPeer));
        assert!(listener.is_idle());
        // What comes late does not bring it back.
        let late = [
            &[2][..],
            &client.cookie().unwrap().get().to_le_bytes(),
            &[4, 1],
        ]
        .concat();
        listener.handle_datagram(NOW, addr(1), &late);
        assert!(listener.is_idle());
    }
}
