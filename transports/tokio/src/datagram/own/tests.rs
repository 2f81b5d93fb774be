//! Two ends and a link that loses, repeats, delays and forges, in virtual time.

use std::collections::BTreeMap;

use proptest::prelude::*;
use syncvar_runtime::ConnectionId;

use super::*;

const COOKIE: NonZeroU64 = NonZeroU64::new(0x1234_5678_9abc_def0).expect("not zero");
const STEP: Duration = Duration::from_millis(10);

/// Link with a rate of each misfortune, in percent.
#[derive(Clone, Copy, Debug, Default)]
struct Loss {
    lost: u32,
    twice: u32,
    late: u32,
}

/// Generator of random numbers: xorshift.
struct Dice(u64);

impl Dice {
    fn hits(&mut self, percent: u32) -> bool {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % 100 < u64::from(percent)
    }
}

/// Client, server and the datagrams between them by arrival.
struct Link {
    ends: [Own; 2],
    flying: [BTreeMap<(Duration, u64), Bytes>; 2],
    received: [Vec<Arrival>; 2],
    now: Duration,
    sent: u64,
    loss: Loss,
    dice: Dice,
}

impl Link {
    /// Makes a link whose client has its answer.
    fn new(loss: Loss, seed: u64) -> Self {
        let (now, options) = (Duration::ZERO, TransportOptions::mirror());
        let mut client = Own::connect(now, &options);
        client.update(now);
        let hello = client.poll_transmit().unwrap();
        let answer = Own::answer(&hello, COOKIE, now).unwrap();
        client.handle_datagram(now, &answer, usize::MAX);
        let mut link = Self {
            ends: [client, Own::accept(COOKIE, now, &options)],
            flying: Default::default(),
            received: Default::default(),
            now,
            sent: 0,
            loss: Loss::default(),
            dice: Dice(seed | 1),
        };
        link.run(Duration::from_millis(100));
        assert!(link.ends[0].kcp().is_connected());
        link.loss = loss;
        link
    }

    fn send(&mut self, from: usize, delivery: Channel, channel: u8, packet: &[u8]) {
        let chunks = [Bytes::copy_from_slice(packet)];
        let packet = Transmit::new(ConnectionId(1), channel, delivery, &chunks);
        self.ends[from].send(&packet).unwrap();
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.now += STEP;
            for from in 0..2 {
                self.ends[from].update(self.now);
                while let Some(datagram) = self.ends[from].poll_transmit() {
                    self.launch(1 - from, &datagram);
                }
            }
            for to in 0..2 {
                let rest = self.flying[to].split_off(&(self.now + Duration::from_nanos(1), 0));
                for datagram in std::mem::replace(&mut self.flying[to], rest).values() {
                    self.ends[to].handle_datagram(self.now, datagram, usize::MAX);
                }
                let arrivals = std::iter::from_fn(|| self.ends[to].poll_packet());
                self.received[to].extend(arrivals);
            }
        }
    }

    fn launch(&mut self, to: usize, datagram: &Bytes) {
        assert!(datagram.len() <= 1232, "{}", datagram.len());
        if self.dice.hits(self.loss.lost) {
            return;
        }
        let copies = 1 + usize::from(self.dice.hits(self.loss.twice));
        for _ in 0..copies {
            let late = if self.dice.hits(self.loss.late) { 7 } else { 2 };
            self.sent += 1;
            let key = (self.now + STEP * late, self.sent);
            self.flying[to].insert(key, datagram.clone());
        }
    }

    /// Returns the received packets of a carrier, with their channels.
    fn of(&self, end: usize, carrier: Channel) -> Vec<(u8, Bytes)> {
        let arrivals = self.received[end].iter();
        let arrivals = arrivals.filter(|arrival| arrival.carrier == carrier);
        arrivals
            .map(|arrival| (arrival.channel, arrival.packet.clone()))
            .collect()
    }
}

#[test]
fn stream_of_a_mebibyte_survives_loss_duplicates_and_reordering() {
    let loss = Loss {
        lost: 10,
        twice: 5,
        late: 10,
    };
    let mut link = Link::new(loss, 7);
    let mut expected = Vec::new();
    for number in 0..300_u32 {
        // From one byte to 64 KiB, of which one packet has most.
        let length = [1, 5, 700, 1340, 3000, 16_000][number as usize % 6];
        let packet: Vec<u8> = (0..length).map(|index| (index + number) as u8).collect();
        expected.push((3, Bytes::from(packet)));
    }
    expected.push((0, vec![9; 64 * 1024].into()));
    let total: usize = expected.iter().map(|(_, packet)| packet.len()).sum();
    assert!(total > 1 << 20);
    for (channel, packet) in &expected {
        link.send(1, Channel::Reliable, *channel, packet);
    }
    link.ends[0].frames = Frames::with_sizes(2, 1 << 20);
    link.run(Duration::from_secs(30));
    assert_eq!(link.of(0, Channel::Reliable), expected);
}

#[test]
fn datagrams_arrive_whole_or_not_at_all() {
    let loss = Loss {
        lost: 20,
        twice: 10,
        late: 20,
    };
    let mut link = Link::new(loss, 11);
    let packet = |number: u32| {
        let length = 4 + (number as usize * 97) % 1197;
        let mut packet = number.to_le_bytes().to_vec();
        packet.resize(length, number as u8);
        packet
    };
    for number in 0..500 {
        link.send(1, Channel::Unreliable, 5, &packet(number));
        link.run(STEP);
    }
    link.run(Duration::from_secs(1));
    let received = link.of(0, Channel::Unreliable);
    for (channel, body) in &received {
        let number = u32::from_le_bytes(body[..4].try_into().unwrap());
        assert_eq!((*channel, body), (5, &Bytes::from(packet(number))));
    }
    let numbers = received.iter().map(|(_, body)| &body[..4]);
    let distinct = numbers.collect::<std::collections::BTreeSet<_>>().len();
    assert!((370..=430).contains(&distinct), "{distinct} of 500");
    assert!(received.len() > distinct, "repeated ones arrive twice");
}

#[test]
fn datagram_follows_the_stream_packets_that_arrived_before_it() {
    let mut link = Link::new(Loss::default(), 1);
    for round in 0..12 {
        link.send(1, Channel::Reliable, 0, &[round; 2000]);
        link.ends[1].update(link.now);
        link.send(1, Channel::Unreliable, 1, &[round]);
    }
    link.run(Duration::from_secs(1));
    let order: Vec<u8> = link.received[0]
        .iter()
        .map(|arrival| arrival.channel)
        .collect();
    // All segments precede: they were sent first.
    assert_eq!(order, [vec![0; 12], vec![1; 12]].concat());
}

#[test]
fn packets_beyond_1200_bytes_are_not_sent_as_datagrams() {
    let mut link = Link::new(Loss::default(), 1);
    link.send(0, Channel::Unreliable, 1, &[7; 1200]);
    let chunks = [Bytes::from(vec![7; 1201])];
    let long = Transmit::new(ConnectionId(1), 1, Channel::Unreliable, &chunks);
    assert_eq!(link.ends[0].send(&long), Err(KcpError::TooLong));
    link.run(Duration::from_secs(1));
    assert_eq!(link.of(1, Channel::Unreliable).len(), 1);
}

#[test]
fn held_datagram_is_not_delivered_after_a_minute() {
    let mut link = Link::new(Loss::default(), 1);
    link.send(1, Channel::Unreliable, 1, b"late");
    link.ends[1].update(link.now);
    let held = link.ends[1].poll_transmit().unwrap();
    assert!(head::is_packet(&held));
    link.run(Duration::from_secs(20));
    link.ends[0].handle_datagram(link.now, &held, usize::MAX);
    link.run(Duration::from_secs(40));
    assert_eq!(link.of(0, Channel::Unreliable).len(), 1, "after 20 s");
    link.ends[0].handle_datagram(link.now, &held, usize::MAX);
    link.run(STEP);
    assert_eq!(link.of(0, Channel::Unreliable).len(), 1, "after 60 s");
    assert_eq!(link.ends[0].kcp().refused().1, 1);
}

#[test]
fn datagrams_of_another_connection_are_ignored() {
    let mut link = Link::new(Loss::default(), 1);
    let other = NonZeroU64::new(COOKIE.get() ^ 1).unwrap();
    let (time, now) = (Age::time(link.now), link.now);
    for datagram in [
        head::packet(
            head::PacketHead {
                id: other,
                time,
                channel: 1,
            },
            1,
            [&[7][..]].into_iter(),
        ),
        head::segments(other, time, &[0xff; 30]),
        head::goodbye(other, Reason::Unknown),
        Own::answer(&head::hello(77), other, now).unwrap(),
    ] {
        link.ends[0].handle_datagram(now, &datagram, usize::MAX);
    }
    link.run(Duration::from_secs(1));
    assert!(link.ends[0].kcp().is_connected());
    assert_eq!(link.ends[0].cookie(), Some(COOKIE));
    assert_eq!(link.received[0], []);
}

#[test]
fn answer_to_another_hello_is_ignored() {
    let (now, options) = (Duration::ZERO, TransportOptions::mirror());
    let mut client = Own::connect(now, &options);
    client.update(now);
    let hello = client.poll_transmit().unwrap();
    let forged = Own::answer(&head::hello(77), NonZeroU64::MIN, now).unwrap();
    client.handle_datagram(now, &forged, usize::MAX);
    assert_eq!(client.cookie(), None);
    let answer = Own::answer(&hello, COOKIE, now).unwrap();
    client.handle_datagram(now, &answer, usize::MAX);
    client.handle_datagram(now, &forged, usize::MAX);
    assert_eq!(client.cookie(), Some(COOKIE));
}

#[test]
fn server_of_another_version_says_so() {
    let (now, options) = (Duration::ZERO, TransportOptions::mirror());
    let mut client = Own::connect(now, &options);
    client.update(now);
    let mut hello = client.poll_transmit().unwrap().to_vec();
    hello[9] = 200;
    let answer = Own::answer(&hello, COOKIE, now).unwrap();
    client.handle_datagram(now, &answer, usize::MAX);
    assert_eq!(client.kcp().closed(), Some(KcpError::VersionMismatch));
}

#[test]
fn hello_is_repeated_with_growing_intervals() {
    let mut client = Own::connect(Duration::ZERO, &TransportOptions::mirror());
    let mut sent = Vec::new();
    for millis in (0..5000).step_by(10) {
        client.update(Duration::from_millis(millis));
        sent.extend(client.poll_transmit().map(|_| millis));
    }
    assert_eq!(sent, [0, 200, 500, 950, 1630, 2650, 4170]);
}

#[test]
fn too_long_packet_ends_the_connection_with_a_reason() {
    let mut link = Link::new(Loss::default(), 1);
    let max = TransportOptions::mirror().max_packet;
    link.send(0, Channel::Reliable, 0, &vec![1; max]);
    link.run(Duration::from_secs(1));
    assert_eq!(link.of(1, Channel::Reliable).len(), 1);
    link.send(0, Channel::Reliable, 0, &vec![1; max + 1]);
    link.run(Duration::from_secs(1));
    assert_eq!(link.ends[1].kcp().closed(), Some(KcpError::Malformed));
    assert_eq!(link.ends[0].kcp().closed(), Some(KcpError::PacketRefused));
}

#[test]
fn close_sends_the_queue_first() {
    let loss = Loss {
        lost: 20,
        ..Loss::default()
    };
    let mut link = Link::new(loss, 3);
    link.send(1, Channel::Reliable, 0, &[4; 10_000]);
    link.ends[1].close(link.now, Duration::from_secs(5));
    link.run(Duration::from_secs(4));
    assert_eq!(link.of(0, Channel::Reliable), [(0, vec![4; 10_000].into())]);
    assert_eq!(link.ends[0].kcp().closed(), Some(KcpError::ClosedByPeer));
    assert_eq!(link.ends[1].kcp().closed(), Some(KcpError::Closed));
}

proptest! {
    #[test]
    fn any_link_delivers_the_stream_in_order(
        seed in any::<u64>(),
        lost in 0_u32..40,
        twice in 0_u32..30,
        late in 0_u32..50,
        packets in prop::collection::vec((0_usize..2, any::<bool>(), 1_usize..5000), 1..60),
    ) {
        let mut link = Link::new(Loss { lost, twice, late }, seed);
        let mut sent = [Vec::new(), Vec::new()];
        for (number, (to, reliable, length)) in packets.into_iter().enumerate() {
            let packet = vec![number as u8; length];
            if reliable {
                link.send(1 - to, Channel::Reliable, 2, &packet);
                sent[to].push((2, Bytes::from(packet)));
            } else {
                link.send(1 - to, Channel::Unreliable, 1, &packet[..length.min(1200)]);
            }
            link.run(STEP);
        }
        link.run(Duration::from_secs(20));
        link.loss = Loss::default();
        link.run(Duration::from_secs(5));
        for (end, sent) in sent.iter().enumerate() {
            prop_assert_eq!(&link.of(end, Channel::Reliable), sent);
            for (_, packet) in link.of(end, Channel::Unreliable) {
                prop_assert!(packet.iter().all(|byte| *byte == packet[0]));
            }
        }
    }

    #[test]
    fn any_bytes_are_no_fault(
        datagrams in prop::collection::vec(
            (0xa0_u8..0xa6, any::<bool>(), prop::collection::vec(any::<u8>(), 0..60)),
            1..20,
        ),
    ) {
        let mut link = Link::new(Loss::default(), 1);
        for (kind, is_own, rest) in datagrams {
            let mut datagram = vec![kind];
            if is_own {
                datagram.extend(COOKIE.get().to_le_bytes());
            }
            datagram.extend(rest);
            let _ = Own::head(&datagram);
            link.ends[0].handle_datagram(link.now, &datagram, 10_000);
            let _ = link.ends[0].next_length();
            let _ = link.ends[0].poll_packet();
            prop_assert!(link.ends[0].kcp().inbox_bytes() <= 10_000 * 20);
        }
    }
}
