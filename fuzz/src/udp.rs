//! Datagrams by UDP: a connection whose link is an attacker, and forged datagrams.

use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::time::Duration;

use bytes::Bytes;
use syncvar::udp::{TransportOptions, UdpConnection};
use syncvar::{Channel, ConnectionId, Transmit};

use crate::limits::bounded;
use crate::script::{Script, Step};

const COOKIE: NonZeroU64 = NonZeroU64::new(0x1234_5678_9abc_def0).expect("not zero");

/// Longest packet of a datagram, and longest datagram.
const MAX_PACKET: usize = 1200;
const MAX_DATAGRAM: usize = 1212;

/// End of a connection: its datagrams on their way, and the packets of its stream.
struct End {
    udp: UdpConnection,
    out: VecDeque<Vec<u8>>,
    sent: Vec<(u8, Vec<u8>)>,
    received: Vec<(u8, Vec<u8>)>,
}

struct Link {
    ends: [End; 2],
    now: Duration,
    /// Set while no byte was forged: the stream then arrives in order.
    is_honest: bool,
}

/// Runs an input.
///
/// # Panics
///
/// When an end exceeds a limit, or an honest link changes the packets.
pub fn run(bytes: &[u8]) {
    let mut link = Link::new();
    for step in Script::new(bytes) {
        link.take(step);
        if link.is_honest {
            link.check();
        }
    }
    if link.is_honest && link.stands() {
        // Resends wait for a timeout of up to a second; the silence of a peer is an end by itself.
        for _ in 0..400 {
            link.pass(Duration::from_millis(20));
            (0..2).for_each(|to| link.deliver_all(to));
        }
        if link.stands() {
            link.check();
            let [client, server] = &link.ends;
            assert_eq!(client.received.len(), server.sent.len(), "to the client");
            assert_eq!(server.received.len(), client.sent.len(), "to the server");
        }
    }
}

impl Link {
    fn new() -> Self {
        let (now, options) = (Duration::ZERO, TransportOptions::default());
        let mut client = UdpConnection::connect(now, &options);
        client.update(now);
        let hello = client.poll_transmit().expect("a hello");
        let answer = UdpConnection::answer(&hello, COOKIE).expect("an answer");
        client.handle_datagram(now, &answer);
        let ends = [client, UdpConnection::accept(COOKIE, now, &options)].map(|udp| End {
            udp,
            out: VecDeque::new(),
            sent: Vec::new(),
            received: Vec::new(),
        });
        let mut link = Self {
            ends,
            now,
            is_honest: true,
        };
        for to in [1, 0, 1] {
            link.pass(Duration::from_millis(10));
            link.deliver_all(to);
        }
        assert!(link.ends.iter().all(|end| end.udp.is_connected()));
        link
    }

    fn stands(&self) -> bool {
        self.ends.iter().all(|end| end.udp.closed().is_none())
    }

    fn take(&mut self, mut step: Step<'_>) {
        let to = usize::from(step.op & 1);
        match step.op / 2 % 12 {
            0 => self.receive(to, step.bytes, false),
            // Any rest behind the right cookie.
            1 | 2 => {
                let kind = 0xa1 + step.byte() % 4;
                let datagram = [&[kind][..], &COOKIE.get().to_le_bytes(), step.bytes];
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
            6 => {
                let out = &mut self.ends[1 - to].out;
                out.rotate_left(usize::from(!out.is_empty()));
            }
            7 => {
                let twice = self.ends[1 - to].out.front().cloned();
                if let Some(datagram) = twice {
                    self.receive(to, &datagram, true);
                }
            }
            8 => self.send(to, step),
            9 => self.pass(Duration::from_millis(u64::from(step.byte()) * 4)),
            10 if step.byte() > 250 => self.ends[to].udp.close(self.now, Duration::from_secs(1)),
            _ => {
                self.pass(Duration::from_millis(10));
                self.deliver_all(to);
            }
        }
    }

    fn send(&mut self, from: usize, mut step: Step<'_>) {
        let length = usize::from(step.byte()) << (step.byte() % 9);
        let channel = step.byte();
        let packet: Vec<u8> = step.bytes.iter().copied().cycle().take(length).collect();
        let end = &mut self.ends[from];
        let is_stream = step.op < 224 && end.udp.queued_bytes() < 1 << 20;
        let delivery = if is_stream {
            Channel::Reliable
        } else {
            Channel::Unreliable
        };
        let chunks = [Bytes::from(packet.clone())];
        let transmit = Transmit::new(ConnectionId(1), channel, delivery, &chunks);
        if end.udp.send(&transmit).is_ok() && is_stream {
            end.sent.push((channel, packet));
        }
    }

    fn receive(&mut self, to: usize, datagram: &[u8], is_honest: bool) {
        self.is_honest &= is_honest;
        let answer = UdpConnection::answer(datagram, COOKIE);
        assert!(answer.is_none_or(|answer| answer.len() <= datagram.len()));
        let _ = UdpConnection::cookie_of(datagram);
        let (end, now) = (&mut self.ends[to], self.now);
        bounded(datagram.len(), || end.udp.handle_datagram(now, datagram));
        while let Some((carrier, channel, packet)) = end.udp.poll_packet() {
            assert!(!packet.is_empty() && packet.len() <= TransportOptions::default().max_packet);
            match carrier {
                Channel::Reliable => end.received.push((channel, packet.to_vec())),
                Channel::Unreliable => assert!(packet.len() <= MAX_PACKET || !self.is_honest),
            }
        }
    }

    /// Lets time pass and collects the datagrams.
    fn pass(&mut self, time: Duration) {
        self.now += time;
        for end in &mut self.ends {
            end.udp.update(self.now);
            let out = std::iter::from_fn(|| end.udp.poll_transmit());
            end.out.extend(out.map(Vec::from));
        }
    }

    fn deliver_all(&mut self, to: usize) {
        while let Some(datagram) = self.ends[1 - to].out.pop_front() {
            assert!(!datagram.is_empty() && datagram.len() <= MAX_DATAGRAM);
            let is_honest = self.is_honest;
            self.receive(to, &datagram, is_honest);
        }
    }

    /// Checks that the packets so far arrived in order and whole.
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
    let mut datagram = vec![0xa2];
    datagram.extend(COOKIE.get().to_le_bytes());
    datagram.extend([high, fragment]);
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
