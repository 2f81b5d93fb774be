//! Datagrams of KCP: a connection whose link is an attacker, and forged datagrams.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use syncvar::Channel;
use syncvar::mirror::kcp::{Hello, KcpConnection, MAX_RELIABLE};

use crate::limits::bounded;
use crate::script::{Script, Step};

const COOKIE: NonZeroU32 = NonZeroU32::new(0x1234_5678).expect("not zero");

/// Bytes of a datagram before its segments: the channel and the cookie.
const HEAD: usize = 5;

/// End of a connection: its datagrams on their way, and its messages.
struct End {
    kcp: KcpConnection,
    out: VecDeque<Vec<u8>>,
    sent: Vec<Vec<u8>>,
    received: Vec<Vec<u8>>,
}

struct Link {
    ends: [End; 2],
    now: Duration,
    /// Set while no byte was forged: reliable messages then arrive in order.
    is_honest: bool,
}

/// Runs an input.
///
/// # Panics
///
/// When an end exceeds a limit, or an honest link changes the messages.
pub fn run(bytes: &[u8]) {
    let mut link = Link::new();
    for step in Script::new(bytes) {
        link.take(step);
        if link.is_honest {
            link.check();
        }
    }
    if link.is_honest && link.ends.iter().all(|end| end.kcp.closed().is_none()) {
        // Resends wait for a timeout that doubles; the silence of a peer is an end by itself.
        for _ in 0..200 {
            link.pass(Duration::from_millis(20));
            (0..2).for_each(|to| link.deliver_all(to));
        }
        if link.ends.iter().all(|end| end.kcp.closed().is_none()) {
            link.check();
            let [client, server] = &link.ends;
            assert_eq!(client.received.len(), server.sent.len(), "to the client");
            assert_eq!(server.received.len(), client.sent.len(), "to the server");
        }
    }
}

impl Link {
    fn new() -> Self {
        let now = Duration::ZERO;
        let mut client = KcpConnection::connect(now);
        client.update(now);
        let hello = client.poll_transmit().expect("a hello");
        let hello = Hello::read(&hello).expect("a hello");
        client.handle_datagram(now, &hello.answer(COOKIE, now));
        assert!(client.is_connected());
        let ends = [client, KcpConnection::accept(COOKIE, now)].map(|kcp| End {
            kcp,
            out: VecDeque::new(),
            sent: Vec::new(),
            received: Vec::new(),
        });
        Self {
            ends,
            now,
            is_honest: true,
        }
    }

    fn take(&mut self, mut step: Step<'_>) {
        let to = usize::from(step.op & 1);
        match step.op / 2 % 12 {
            0 => self.receive(to, step.bytes, false),
            // Segments behind the right head.
            1 | 2 => {
                let datagram = [
                    &[step.op >> 7 | 1][..],
                    &COOKIE.get().to_le_bytes(),
                    step.bytes,
                ];
                self.receive(to, &datagram.concat(), false);
            }
            3 => self.receive(to, &segment(&mut step), false),
            4 => {
                if let Some(mut datagram) = self.ends[1 - to].out.pop_front() {
                    let legal = datagram.clone();
                    step.patch(&mut datagram);
                    self.receive(to, &datagram, datagram == legal);
                }
            }
            5 => drop(self.ends[1 - to].out.pop_front()),
            6 => self.ends[1 - to]
                .out
                .rotate_left(usize::from(!self.ends[1 - to].out.is_empty())),
            7 => {
                let twice = self.ends[1 - to].out.front().cloned();
                if let Some(datagram) = twice {
                    self.receive(to, &datagram, true);
                }
            }
            8 => self.send(to, step),
            9 => self.pass(Duration::from_millis(u64::from(step.byte()) * 4)),
            10 if step.byte() > 250 => self.ends[to].kcp.close(self.now, Duration::from_secs(1)),
            _ => {
                self.pass(Duration::from_millis(10));
                self.deliver_all(to);
            }
        }
    }

    fn send(&mut self, from: usize, mut step: Step<'_>) {
        let length = usize::from(step.byte()) << (step.byte() % 12);
        let message = step
            .bytes
            .iter()
            .copied()
            .cycle()
            .take(length.min(MAX_RELIABLE));
        let message: Vec<u8> = message.collect();
        let end = &mut self.ends[from];
        let reliable = step.op < 224 && end.kcp.queued_bytes() < 1 << 20;
        let channel = if reliable {
            Channel::Reliable
        } else {
            Channel::Unreliable
        };
        let sent = end.kcp.send(channel, &[Bytes::from(message.clone())]);
        if sent.is_ok() && reliable {
            end.sent.push(message);
        }
    }

    fn receive(&mut self, to: usize, datagram: &[u8], is_honest: bool) {
        self.is_honest &= is_honest;
        assert_eq!(Hello::read(datagram), Hello::read(datagram));
        let (end, now) = (&mut self.ends[to], self.now);
        bounded(datagram.len(), || end.kcp.handle_datagram(now, datagram));
        while let Some((channel, message)) = end.kcp.poll_message() {
            assert!(!message.is_empty() && message.len() <= MAX_RELIABLE);
            if channel == Channel::Reliable {
                end.received.push(message.to_vec());
            }
        }
    }

    /// Lets time pass and collects the datagrams.
    fn pass(&mut self, time: Duration) {
        self.now += time;
        for end in &mut self.ends {
            end.kcp.update(self.now);
            end.out
                .extend(std::iter::from_fn(|| end.kcp.poll_transmit()).map(Vec::from));
        }
    }

    fn deliver_all(&mut self, to: usize) {
        while let Some(datagram) = self.ends[1 - to].out.pop_front() {
            assert!(datagram.len() >= HEAD && datagram.len() <= 1200);
            let is_honest = self.is_honest;
            self.receive(to, &datagram, is_honest);
        }
    }

    /// Checks that the messages so far arrived in order and whole.
    fn check(&self) {
        let [client, server] = &self.ends;
        assert!(server.sent.starts_with(&client.received), "to the client");
        assert!(client.sent.starts_with(&server.received), "to the server");
    }
}

/// Returns a datagram with one segment: numbers near those of the connection, and data.
fn segment(step: &mut Step<'_>) -> Vec<u8> {
    let command = 81 + step.byte() % 5;
    let (fragment, window) = (step.byte(), step.byte());
    let (number, una) = (step.byte(), step.byte());
    let high = step.byte();
    let number = i32::from(number.cast_signed()) << (high % 24);
    let mut datagram = vec![1];
    datagram.extend(COOKIE.get().to_le_bytes());
    datagram.extend([0; 4]);
    datagram.extend([command, fragment]);
    datagram.extend((u16::from(window) << (high % 9)).to_le_bytes());
    datagram.extend(u32::from(high).to_le_bytes());
    datagram.extend(number.to_le_bytes());
    datagram.extend(i32::from(una.cast_signed()).to_le_bytes());
    datagram.extend(u32::try_from(step.bytes.len()).unwrap_or(0).to_le_bytes());
    datagram.extend_from_slice(step.bytes);
    datagram
}
