//! This KCP and the `kcp` crate with Mirror's settings, over a bad link, in virtual time.

mod link;
mod stock;

use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Channel;
use syncvar_tokio::kcp::{Hello, KcpConnection, KcpError, MAX_RELIABLE, MAX_UNRELIABLE};

use link::{Link, Weather};
use stock::Stock;

const COOKIE: NonZeroU32 = NonZeroU32::new(0x6001_51ca).unwrap();

/// Link of most tests.
const STORM: Weather = Weather {
    lost: 10,
    twice: 5,
    delay: (20, 80),
};

/// Side of this implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ours {
    Client,
    Server,
}

/// Two ends and their links.
struct Pair {
    now: u64,
    /// `None` for a server before a client has its cookie.
    ours: Option<KcpConnection>,
    stock: Stock,
    to_ours: Link,
    to_stock: Link,
    /// Messages received by this implementation.
    reliable: Vec<Bytes>,
    unreliable: Vec<Bytes>,
    unreliable_at_stock: Vec<Vec<u8>>,
}

impl Pair {
    fn new(ours: Ours, weather: Weather, now: u64, seed: u64) -> Self {
        let (ours, stock) = match ours {
            Ours::Client => (
                Some(KcpConnection::connect(Duration::from_millis(now))),
                Stock::server(now, COOKIE.get()),
            ),
            Ours::Server => (None, Stock::client(now)),
        };
        Self {
            now,
            ours,
            stock,
            to_ours: Link::new(weather, seed),
            to_stock: Link::new(weather, !seed),
            reliable: Vec::new(),
            unreliable: Vec::new(),
            unreliable_at_stock: Vec::new(),
        }
    }

    /// Makes two connected ends.
    fn connected(ours: Ours, weather: Weather, now: u64, seed: u64) -> Self {
        let mut pair = Self::new(ours, weather, now, seed);
        while !pair.stock.is_connected() || !pair.is_connected() {
            pair.step();
            assert_eq!(pair.closed(), None, "{ours:?}, seed {seed}");
            assert!(pair.now < now + 9000, "{ours:?}, seed {seed}");
        }
        pair
    }

    fn is_connected(&self) -> bool {
        self.ours.as_ref().is_some_and(KcpConnection::is_connected)
    }

    fn closed(&self) -> Option<KcpError> {
        self.ours.as_ref().and_then(KcpConnection::closed)
    }

    fn ours(&mut self) -> &mut KcpConnection {
        self.ours.as_mut().unwrap()
    }

    fn send(&mut self, message: Bytes) {
        self.ours().send(Channel::Reliable, &[message]).unwrap();
    }

    /// Advances by 10 ms.
    fn step(&mut self) {
        self.now += 10;
        let now = Duration::from_millis(self.now);
        while let Some(datagram) = self.to_ours.receive(self.now) {
            if let Some(answer) = answer(&datagram, now) {
                self.to_stock.send(self.now, &answer);
            } else if datagram[1..5] != [0; 4] {
                self.ours
                    .get_or_insert_with(|| KcpConnection::accept(COOKIE, now))
                    .handle_datagram(now, &datagram);
            }
        }
        while let Some(datagram) = self.to_stock.receive(self.now) {
            let unreliable = self.stock.handle(self.now, &datagram);
            self.unreliable_at_stock.extend(unreliable);
        }
        if let Some(ours) = &mut self.ours {
            while let Some((channel, message)) = ours.poll_message() {
                match channel {
                    Channel::Reliable => self.reliable.push(message),
                    Channel::Unreliable => self.unreliable.push(message),
                }
            }
            ours.update(now);
            while let Some(datagram) = ours.poll_transmit() {
                self.to_stock.send(self.now, &datagram);
            }
        }
        for datagram in self.stock.update(self.now) {
            self.to_ours.send(self.now, &datagram);
        }
    }

    /// Runs until all messages are acknowledged, for at most this many milliseconds.
    fn settle(&mut self, limit: u64) {
        let end = self.now + limit;
        while self.ours().queued_bytes() > 0 || self.stock.waiting() > 0 {
            self.step();
            assert_eq!(self.closed(), None);
            assert!(self.now < end);
        }
        self.step();
    }
}

/// Returns the server's answer to a client's `Hello`.
fn answer(datagram: &[u8], now: Duration) -> Option<Bytes> {
    Some(Hello::read(datagram)?.answer(COOKIE, now))
}

/// Returns a unique message.
fn message(number: usize, length: usize) -> Vec<u8> {
    (0..length)
        .map(|index| u8::try_from((index * 7 + index / 251 + number * 31) % 256).unwrap())
        .collect()
}

/// Link without loss.
const FAIR: Weather = Weather {
    lost: 0,
    twice: 0,
    delay: (5, 5),
};

#[test]
fn messages_of_all_lengths_arrive_once_and_in_order() {
    /// Lengths of one, two and more fragments, and the limits; the largest twice.
    const LENGTHS: [usize; 12] = [
        1, 2, 1169, 1170, 1171, 2341, 2342, 16_384, 100_000, 148_716, 5, 148_716,
    ];

    for ours in [Ours::Client, Ours::Server] {
        for seed in 0..4 {
            let mut pair = Pair::connected(ours, STORM, 0, seed);
            let mut to_stock: Vec<_> = LENGTHS.iter().copied().enumerate().collect();
            // The `kcp` crate can receive these, but not send them.
            to_stock.extend([(20, MAX_RELIABLE), (21, 148_717), (22, MAX_RELIABLE)]);
            let to_stock = to_stock.into_iter();
            let to_stock: Vec<_> = to_stock
                .map(|(number, length)| message(number, length))
                .collect();
            let to_ours: Vec<_> = LENGTHS.map(|length| message(length, length)).into();
            assert_eq!(LENGTHS.iter().max(), Some(&stock::MAX_RELIABLE));
            for message in &to_stock {
                pair.send(message.clone().into());
            }
            for message in &to_ours {
                pair.stock.send(message);
            }
            pair.settle(60_000);
            assert_eq!(pair.stock.reliable, to_stock, "{ours:?}, seed {seed}");
            assert_eq!(pair.reliable, to_ours, "{ours:?}, seed {seed}");
        }
    }
}

#[test]
fn a_client_loses_no_message_in_ten_minutes() {
    ten_minutes(Ours::Client);
}

#[test]
fn a_server_loses_no_message_in_ten_minutes() {
    ten_minutes(Ours::Server);
}

fn ten_minutes(ours: Ours) {
    let weather = Weather {
        lost: 5,
        twice: 1,
        delay: (10, 40),
    };
    let mut pair = Pair::connected(ours, weather, 0, 1);
    let (mut sent, mut most) = (0_u32, 0);
    while sent < 36_000 {
        pair.step();
        while u64::from(sent) * 1000 < pair.now * 60 && sent < 36_000 {
            let message = [&sent.to_le_bytes()[..], &[9; 60]].concat();
            pair.stock.send(&message);
            pair.send(message.into());
            sent += 1;
        }
        most = most.max(pair.ours().queued_bytes());
    }
    pair.settle(5000);
    let is_next = |(number, message): (u32, &[u8])| message[..4] == number.to_le_bytes();
    assert_eq!(
        (pair.reliable.len(), pair.stock.reliable.len()),
        (36_000, 36_000)
    );
    assert!(
        (0..)
            .zip(pair.reliable.iter().map(|message| &message[..]))
            .all(is_next)
    );
    assert!(
        (0..)
            .zip(pair.stock.reliable.iter().map(Vec::as_slice))
            .all(is_next)
    );
    // The queue has the messages of a few round trips.
    assert!(most < 100 * 65, "{most}");
}

#[test]
fn the_clock_may_start_over_in_the_middle() {
    for ours in [Ours::Client, Ours::Server] {
        for half in [1 << 31, 1 << 32] {
            let mut pair = Pair::connected(ours, STORM, half - 3000, 7);
            let mut sent = Vec::new();
            while pair.now < half + 3000 {
                let message = message(sent.len(), 3000);
                pair.send(message.clone().into());
                pair.stock.send(&message);
                sent.push(message);
                for _ in 0..5 {
                    pair.step();
                }
            }
            pair.settle(5000);
            assert_eq!(pair.stock.reliable, sent, "{ours:?}, {half}");
            assert_eq!(pair.reliable, sent, "{ours:?}, {half}");
        }
    }
}

#[test]
fn unreliable_messages_arrive_unchanged_without_waiting() {
    for ours in [Ours::Client, Ours::Server] {
        let mut pair = Pair::connected(ours, FAIR, 0, 3);
        let largest = message(1, MAX_UNRELIABLE);
        pair.stock.send_unreliable(&largest);
        let unreliable = largest.clone().into();
        pair.ours()
            .send(Channel::Unreliable, &[unreliable])
            .unwrap();
        for _ in 0..3 {
            pair.step();
        }
        assert_eq!(pair.unreliable, [&largest[..]]);
        assert_eq!(pair.unreliable_at_stock, [largest]);
    }
}

/// The client starts first, and sends pings beside its `Hello` until the server listens, as Mirror's
/// does.
#[test]
fn a_client_that_has_waited_for_the_server_is_let_in() {
    let mut pair = Pair::new(Ours::Server, FAIR, 0, 3);
    for _ in 0..500 {
        pair.step();
        // No server yet.
        while pair.to_ours.receive(u64::MAX).is_some() {}
    }
    for _ in 0..400 {
        pair.step();
    }
    assert!(pair.stock.is_connected() && pair.is_connected());
    pair.stock.send(b"ready");
    pair.settle(1000);
    assert_eq!(pair.reliable, ["ready"]);
}

#[test]
fn no_answer_is_lost_when_the_handshake_is() {
    let bad = Weather {
        lost: 25,
        twice: 20,
        delay: (20, 400),
    };
    for ours in [Ours::Client, Ours::Server] {
        for seed in 0..50 {
            let mut pair = Pair::connected(ours, bad, 0, seed);
            pair.send("ours".into());
            pair.stock.send(b"theirs");
            // Pings are always in transit, so the queue never empties.
            let end = pair.now + 60_000;
            while pair.reliable.is_empty() || pair.stock.reliable.is_empty() {
                pair.step();
                assert!(pair.now < end, "{ours:?}, seed {seed}");
            }
            assert_eq!(pair.stock.reliable, [b"ours"], "{ours:?}, seed {seed}");
            assert_eq!(pair.reliable, ["theirs"], "{ours:?}, seed {seed}");
        }
    }
}

#[test]
fn disconnect_sends_five_goodbyes_after_all_messages() {
    for ours in [Ours::Client, Ours::Server] {
        let mut pair = Pair::connected(ours, FAIR, 0, 3);
        let last = message(2, 50_000);
        pair.send(last.clone().into());
        let now = Duration::from_millis(pair.now);
        pair.ours().close(now, Duration::from_secs(5));
        while pair.ours().closed().is_none() {
            assert_eq!(pair.stock.goodbyes, 0);
            pair.step();
        }
        pair.step();
        assert_eq!(pair.ours().closed(), Some(KcpError::Closed));
        assert_eq!(pair.stock.goodbyes, 5);
        assert_eq!(pair.stock.reliable, [last]);
    }
}
