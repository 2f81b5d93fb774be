//! Memory of received messages: attacks reach its limits, and honest clients do not.

use std::collections::{BTreeMap, VecDeque};

use super::super::datagrams::KcpDatagrams;
use super::super::inbox;
use super::super::segment::MAX_FRAGMENT;
use super::super::segment::{Segment, SegmentCommand};
use super::*;

/// Memory of a server for the reliable messages of one connection.
pub(super) const LIMIT: usize = inbox::MESSAGE;

/// Link with 20 % loss and 95 to 104 ms for each direction.
struct LossyLink {
    random: u64,
    due: BTreeMap<(u64, usize), (bool, Bytes)>,
    count: usize,
}

impl LossyLink {
    fn new(seed: u64) -> Self {
        Self {
            random: seed,
            due: BTreeMap::new(),
            count: 0,
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        // Knuth's generator; the low half is not random.
        let random = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = random.wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % limit
    }

    /// Moves the datagrams of both ends.
    fn exchange(&mut self, now: u64, client: &mut KcpConnection, server: &mut KcpConnection) {
        for (from, to_server) in [(&mut *client, true), (&mut *server, false)] {
            from.update(ms(now));
            for datagram in said_by(from) {
                if self.below(100) >= 20 {
                    let at = now + 95 + self.below(10);
                    self.count += 1;
                    self.due.insert((at, self.count), (to_server, datagram));
                }
            }
        }
        while let Some(entry) = self.due.first_entry()
            && entry.key().0 <= now
        {
            let (to_server, datagram) = entry.remove();
            let to = if to_server {
                &mut *server
            } else {
                &mut *client
            };
            to.handle_datagram(ms(now), &datagram);
        }
    }
}

/// Returns a datagram with a full data segment.
fn full(number: u32, fragment: u8) -> Bytes {
    let mut out = VecDeque::new();
    KcpDatagrams::new(COOKIE.get(), &mut out).push(&Segment {
        conversation: 0,
        command: SegmentCommand::Push,
        fragment,
        window: 4096,
        timestamp: 0,
        number,
        una: 1,
        data: &[DATA; MAX_FRAGMENT],
    });
    out.remove(0).unwrap()
}

#[test]
fn early_segments_hold_at_most_330_kb() {
    let (_, mut server) = pair();
    for number in 2..4096 {
        server.handle_datagram(ms(0), &full(number, 0));
    }
    assert!(server.inbox_bytes() > LIMIT * 9 / 10);
    assert!(server.inbox_bytes() <= LIMIT);
    // Numbers 2 to 254 are inside the window of 254 segments.
    assert_eq!(server.refused().0, 4096 - 255);
    // The missing segment arrives: all of them can be read.
    server.handle_datagram(ms(0), &full(1, 0));
    assert_eq!(messages(&mut server, Channel::Reliable).len(), 254);
    assert_eq!(server.inbox_bytes(), 0);
}

#[test]
fn unread_messages_hold_at_most_330_kb() {
    let (_, mut server) = pair();
    for number in 1..4096 {
        server.handle_datagram(ms(0), &full(number, 0));
    }
    assert!(server.inbox_bytes() <= LIMIT);
    assert_eq!(messages(&mut server, Channel::Reliable).len(), 254);
}

#[test]
fn unreliable_messages_hold_at_most_the_inbox() {
    let (mut client, mut server) = pair();
    server.set_max_inbox(10_000);
    server.set_max_unreliable(usize::MAX);
    for number in 0..20_u8 {
        let message = Bytes::from(vec![number; 1000]);
        client.send(Channel::Unreliable, &[message]).unwrap();
    }
    pass(ms(0), &mut client, &mut server);
    assert!(server.inbox_bytes() <= 10_000);
    assert_eq!(server.refused(), (0, 12));
    let newest = messages(&mut server, Channel::Unreliable);
    assert_eq!((newest.len(), newest[7][0]), (8, 19));
}

#[test]
fn early_segments_leave_room_for_the_missing_one() {
    let (_, mut server) = pair();
    let room = 4 * inbox::SEGMENT;
    for number in [3, 2, 4, 5, 1] {
        server.handle_datagram_within(ms(0), &full(number, 0), room - server.inbox_bytes());
    }
    assert_eq!((server.inbox_bytes(), server.refused().0), (room, 1));
    assert_eq!(messages(&mut server, Channel::Reliable).len(), 4);
    server.handle_datagram_within(ms(0), &full(5, 0), room);
    assert_eq!(messages(&mut server, Channel::Reliable).len(), 1);
}

#[test]
fn a_missing_segment_closes_after_the_timeout() {
    let early: Vec<Bytes> = (2..100).map(|number| full(number, 0)).collect();
    assert_eq!(end_of(&early), (10_000, Some(KcpError::MissingSegment)));
    let incomplete = [full(1, 9), full(2, 8)];
    assert_eq!(
        end_of(&incomplete),
        (10_000, Some(KcpError::MissingSegment))
    );

    /// Sends the datagrams at 0 s, and a repeated one every 5 s, as an attacker does that keeps the memory.
    fn end_of(first: &[Bytes]) -> (u64, Option<KcpError>) {
        let (_, mut server) = pair();
        for datagram in first {
            server.handle_datagram(ms(0), datagram);
        }
        for time in (0..60_000).step_by(10) {
            server.update(ms(time));
            if server.closed().is_some() {
                return (time, server.closed());
            }
            if time % 5000 == 0 {
                server.handle_datagram(ms(time), &first[0]);
            }
            drop(said_by(&mut server));
        }
        (60_000, None)
    }
}

#[test]
fn a_segment_missing_for_half_the_timeout_is_in_time() {
    let (_, mut server) = pair();
    for half in 0..8 {
        let next = half * 2 + 1;
        let start = u64::from(half) * 5000;
        server.handle_datagram(ms(start), &full(next + 1, 0));
        for time in (start..start + 5000).step_by(10) {
            server.update(ms(time));
        }
        server.handle_datagram(ms(start + 5000), &full(next, 0));
        assert_eq!(server.closed(), None);
        assert_eq!(messages(&mut server, Channel::Reliable).len(), 2);
    }
}

#[test]
fn a_stopped_process_does_not_count_as_a_gap() {
    let (_, mut server) = pair();
    server.set_timeout(Duration::from_secs(10));
    server.handle_datagram(ms(0), &full(2, 0));
    server.update(ms(0));
    server.handle_datagram(ms(60_000), &full(2, 0));
    server.update(ms(60_000));
    assert_eq!(server.closed(), None);
}

/// A full client that does not read has no missing segment.
#[test]
fn a_closed_window_is_no_gap() {
    let (_, mut server) = pair();
    // 253 messages, and the beginning of a long one.
    for number in 1..254 {
        server.handle_datagram(ms(0), &full(number, 0));
    }
    server.handle_datagram(ms(0), &full(254, 1));
    for time in (0..60_000).step_by(10) {
        server.handle_datagram(ms(time), &full(254, 1));
        server.update(ms(time));
    }
    assert_eq!(server.closed(), None);
}

/// The window is full all the time: the client has 3 MB to send. The first acknowledgement tells the
/// window.
#[test]
fn a_full_window_over_a_lossy_link_meets_no_limit() {
    for seed in 0..4 {
        let (mut client, mut server) = pair();
        let mut link = LossyLink::new(seed);
        let sent: Vec<Bytes> = (0..300_u32)
            .map(|number| Bytes::from(number.to_le_bytes().repeat(2500)))
            .collect();
        let (mut arrived, mut most, mut now) = (Vec::new(), 0, 0);
        client
            .send(Channel::Reliable, &[Bytes::from_static(b"first")])
            .unwrap();
        while now < 2000 {
            link.exchange(now, &mut client, &mut server);
            now += 10;
        }
        assert_eq!(messages(&mut server, Channel::Reliable).len(), 1);
        for message in &sent {
            client.send(Channel::Reliable, from_ref(message)).unwrap();
        }
        while arrived.len() < sent.len() {
            link.exchange(now, &mut client, &mut server);
            most = most.max(server.inbox_bytes());
            arrived.extend(messages(&mut server, Channel::Reliable));
            assert_eq!((client.closed(), server.closed()), (None, None));
            now += 10;
            assert!(now < 60_000, "{} messages", arrived.len());
        }
        assert_eq!(arrived, sent);
        // The client has used the window, and never more than that.
        assert!(most > LIMIT / 2 && most <= LIMIT, "{most}");
        assert_eq!(server.refused(), (0, 0), "seed {seed}");
    }
}

/// 60 messages a second with 1 KB each are 60 KB/s, more than a client of a game sends.
#[test]
fn a_game_over_a_lossy_link_stays_below_half_the_limit() {
    let (mut client, mut server) = pair();
    let mut link = LossyLink::new(1);
    let (mut arrived, mut most) = (0, 0);
    for step in 0..3000 {
        if step % 2 == 0 {
            for channel in [Channel::Reliable, Channel::Unreliable] {
                client.send(channel, &[Bytes::from(vec![1; 1000])]).unwrap();
            }
        }
        link.exchange(step * 10, &mut client, &mut server);
        most = most.max(server.inbox_bytes());
        arrived += messages(&mut server, Channel::Reliable).len();
    }
    assert!(arrived > 1300, "{arrived}");
    assert!(most < LIMIT / 2, "{most}");
    assert_eq!(server.refused(), (0, 0));
}
