//! `Sender`: unsent and unacknowledged segments.

use std::collections::VecDeque;

use bytes::Bytes;

use super::KcpError;
use super::congestion::Congestion;
use super::inbox::OVERHEAD;
use super::rtt::KcpRoundTrip;
use super::segment::{MAX_FRAGMENT, ahead, distance};

/// Acks of later segments after which a segment counts as lost.
const OVERTAKEN: u32 = 2;

/// Sends of a segment after which overtaking acks are ignored.
const MAX_HASTE: u32 = 5;

/// Longest time between two sends of a segment where the window follows losses, in milliseconds.
const MAX_TIMEOUT: u32 = 1000;

/// Sends of a segment after which the link is dead.
const DEAD_LINK: u32 = 40;

/// Part of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fragment {
    /// Number of later fragments of the message.
    pub(super) following: u8,
    pub(super) data: Bytes,
}

#[derive(Debug)]
pub(super) struct Sender {
    /// Fragments beyond the window.
    queue: VecDeque<Fragment>,
    /// Sent segments, numbered from `first`.
    flight: VecDeque<InFlight>,
    first: u32,
    /// Bytes of `queue` and `flight`.
    bytes: usize,
    /// Window that the peer has announced, in segments.
    remote_window: u16,
    /// Window of a link with other traffic. `None`: unlimited, as Mirror's.
    congestion: Option<Congestion>,
    round_trip: KcpRoundTrip,
}

#[derive(Debug)]
struct InFlight {
    /// `None` after the ack.
    fragment: Option<Fragment>,
    sent_at: u32,
    resend_at: u32,
    timeout: u32,
    /// Acks of later segments since the last send.
    overtaken: u32,
    transmissions: u32,
}

impl Sender {
    /// Makes a sender whose first segment has the number `first`.
    pub(super) fn new(first: u32) -> Self {
        Self {
            queue: VecDeque::new(),
            flight: VecDeque::new(),
            first,
            bytes: 0,
            remote_window: 128,
            congestion: None,
            round_trip: KcpRoundTrip::default(),
        }
    }

    /// Queues a message. Returns whether its fragments can be numbered.
    pub(super) fn push(&mut self, message: &Bytes) -> bool {
        let count = message.len().div_ceil(MAX_FRAGMENT).max(1);
        let Ok(count) = u8::try_from(count) else {
            return false;
        };
        let mut rest = message.clone();
        for following in (0..count).rev() {
            let data = rest.split_to(rest.len().min(MAX_FRAGMENT));
            self.queue.push_back(Fragment { following, data });
        }
        self.bytes = self.bytes.saturating_add(message.len());
        true
    }

    /// Returns the bytes that are not sent or not acknowledged.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the memory for them, estimated.
    pub(super) fn memory(&self) -> usize {
        let fragments = self.queue.len().saturating_add(self.flight.len());
        self.bytes
            .saturating_add(fragments.saturating_mul(OVERHEAD))
    }

    /// Returns whether all segments are acknowledged.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.flight.is_empty()
    }

    /// Returns whether the peer's window is 0.
    pub(super) fn is_shut(&self) -> bool {
        self.remote_window == 0
    }

    /// Lets the window follow losses, and bounds the time between two sends of a segment.
    #[cfg(feature = "udp")]
    pub(super) fn avoid_congestion(&mut self) {
        self.congestion = Some(Congestion::default());
    }

    pub(super) fn set_remote_window(&mut self, window: u16) {
        self.remote_window = window;
    }

    /// Returns the most segments on the way.
    fn window(&self) -> u16 {
        let own = self.congestion.as_ref().map(Congestion::window);
        self.remote_window.min(own.unwrap_or(super::WINDOW))
    }

    /// Handles the peer's first missing number.
    pub(super) fn acknowledge_before(&mut self, una: u32) {
        while !self.flight.is_empty() && distance(una, self.first) > 0 {
            self.pop_first();
        }
    }

    /// Handles the ack of segment `number`, sent at `timestamp`.
    pub(super) fn acknowledge(&mut self, number: u32, timestamp: u32, now: u32) {
        if let Ok(round_trip) = u32::try_from(distance(now, timestamp)) {
            self.round_trip.measure(round_trip);
        }
        if let Some(index) = ahead(number, self.first)
            && let Some(segment) = self.flight.get_mut(index)
            && let Some(fragment) = segment.fragment.take()
        {
            self.forget(&fragment);
        }
        while let Some(InFlight { fragment: None, .. }) = self.flight.front() {
            self.pop_first();
        }
    }

    /// Handles the latest ack of a datagram, for `number`, sent at `timestamp`: it has overtaken the earlier
    /// segments with lower numbers.
    pub(super) fn overtake(&mut self, number: u32, timestamp: u32) {
        let Some(before) = ahead(number, self.first).filter(|&index| index < self.flight.len())
        else {
            return;
        };
        for segment in self.flight.iter_mut().take(before) {
            if distance(timestamp, segment.sent_at) >= 0 {
                segment.overtaken = segment.overtaken.saturating_add(1);
            }
        }
    }

    /// Calls `send` for every due segment, with its number.
    pub(super) fn flush(
        &mut self,
        now: u32,
        mut send: impl FnMut(u32, &Fragment),
    ) -> Result<(), KcpError> {
        self.fill_window(now);
        let timeout = self.round_trip.timeout();
        let max_timeout = self.congestion.as_ref().map_or(u32::MAX, |_| MAX_TIMEOUT);
        let (mut number, mut is_lost) = (self.first, false);
        for segment in &mut self.flight {
            let is_due = segment.fragment.is_some() && segment.is_due(now, timeout, max_timeout);
            if let Some(fragment) = &segment.fragment
                && is_due
            {
                send(number, fragment);
                is_lost |= segment.transmissions > 1;
                if segment.transmissions >= DEAD_LINK {
                    return Err(KcpError::DeadLink);
                }
            }
            number = number.wrapping_add(1);
        }
        if let Some(congestion) = &mut self.congestion
            && is_lost
        {
            congestion.lose(now, timeout);
        }
        Ok(())
    }

    fn fill_window(&mut self, now: u32) {
        let window = usize::from(self.window());
        while self.flight.len() < window
            && let Some(fragment) = self.queue.pop_front()
        {
            self.flight.push_back(InFlight {
                fragment: Some(fragment),
                sent_at: now,
                resend_at: now,
                timeout: 0,
                overtaken: 0,
                transmissions: 0,
            });
        }
    }

    /// Counts a fragment that has arrived.
    fn forget(&mut self, fragment: &Fragment) {
        self.bytes = self.bytes.saturating_sub(fragment.data.len());
        if let Some(congestion) = &mut self.congestion {
            congestion.acknowledge();
        }
    }

    fn pop_first(&mut self) {
        if let Some(segment) = self.flight.pop_front() {
            if let Some(fragment) = segment.fragment {
                self.forget(&fragment);
            }
            self.first = self.first.wrapping_add(1);
        }
    }
}

impl InFlight {
    /// Returns whether the segment is due, and counts it as sent then.
    fn is_due(&mut self, now: u32, timeout: u32, max_timeout: u32) -> bool {
        if self.transmissions == 0 {
            self.timeout = timeout;
        } else if distance(now, self.resend_at) >= 0 {
            let longer = self.timeout.saturating_add(self.timeout / 2);
            self.timeout = longer.min(max_timeout);
        } else if self.overtaken >= OVERTAKEN && self.transmissions <= MAX_HASTE {
            self.overtaken = 0;
        } else {
            return false;
        }
        self.resend_at = now.wrapping_add(self.timeout);
        self.sent_at = now;
        self.transmissions = self.transmissions.saturating_add(1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(sender: &mut Sender, now: u32) -> Vec<u32> {
        let mut numbers = Vec::new();
        sender.flush(now, |number, _| numbers.push(number)).unwrap();
        numbers
    }

    fn sender(messages: usize) -> Sender {
        let mut sender = Sender::new(0);
        for _ in 0..messages {
            assert!(sender.push(&Bytes::from("x")));
        }
        sender
    }

    #[test]
    fn a_message_is_cut_into_at_most_255_fragments_that_count_down() {
        let mut sender = Sender::new(0);
        sender.set_remote_window(4096);
        assert!(sender.push(&Bytes::from(vec![7; 2 * MAX_FRAGMENT + 1])));
        let mut sent = Vec::new();
        sender
            .flush(0, |number, fragment| {
                sent.push((number, fragment.following, fragment.data.len()));
            })
            .unwrap();
        let expected = [(0, 2, MAX_FRAGMENT), (1, 1, MAX_FRAGMENT), (2, 0, 1)];
        assert_eq!(sent, expected);
        assert_eq!(sender.bytes(), 2 * MAX_FRAGMENT + 1);

        assert!(sender.push(&Bytes::from(vec![0; 255 * MAX_FRAGMENT])));
        assert!(!sender.push(&Bytes::from(vec![0; 255 * MAX_FRAGMENT + 1])));
    }

    #[test]
    fn unacknowledged_segment_is_resent_with_growing_delay() {
        let mut sender = sender(1);
        let mut sent = Vec::new();
        for now in (0..3000).step_by(10) {
            if !numbers(&mut sender, now).is_empty() {
                sent.push(now);
            }
        }
        assert_eq!(sent, [0, 200, 500, 950, 1630, 2650]);
        sender.acknowledge(0, 2650, 2700);
        assert!(sender.is_empty());
        assert_eq!(sender.bytes(), 0);
    }

    #[test]
    fn segment_overtaken_twice_is_resent_at_once() {
        let mut sender = sender(4);
        assert_eq!(numbers(&mut sender, 0), [0, 1, 2, 3]);
        sender.acknowledge(2, 0, 20);
        sender.overtake(2, 0);
        assert!(numbers(&mut sender, 20).is_empty());
        sender.acknowledge(3, 0, 25);
        sender.overtake(3, 0);
        assert_eq!(numbers(&mut sender, 25), [0, 1]);
        assert!(numbers(&mut sender, 26).is_empty());
    }

    #[test]
    fn no_more_is_on_its_way_than_the_peer_can_take() {
        let mut sender = sender(5);
        sender.set_remote_window(2);
        assert_eq!(numbers(&mut sender, 0), [0, 1]);
        sender.acknowledge_before(1);
        assert_eq!(numbers(&mut sender, 1), [2]);
        sender.set_remote_window(0);
        sender.acknowledge_before(3);
        assert!(numbers(&mut sender, 2).is_empty());
        assert!(sender.is_shut() && !sender.is_empty());
    }

    #[test]
    fn small_messages_count_with_their_headers() {
        let mut sender = sender(1000);
        assert_eq!(sender.bytes(), 1000);
        assert!(sender.memory() >= 1000 * size_of::<InFlight>());
        numbers(&mut sender, 0);
        assert!(sender.memory() >= 1000 * size_of::<InFlight>());
        sender.acknowledge_before(128);
        numbers(&mut sender, 0);
        sender.acknowledge_before(256);
        assert_eq!(sender.memory(), 744 * 129);
    }

    #[test]
    fn numbers_go_on_after_the_largest() {
        let mut sender = Sender::new(u32::MAX - 1);
        for _ in 0..5 {
            assert!(sender.push(&Bytes::from("x")));
        }
        assert_eq!(numbers(&mut sender, 0), [u32::MAX - 1, u32::MAX, 0, 1, 2]);
        for number in [1, 2] {
            sender.acknowledge(number, 0, 10);
            sender.overtake(number, 0);
        }
        assert_eq!(numbers(&mut sender, 10), [u32::MAX - 1, u32::MAX, 0]);
        sender.acknowledge_before(0);
        assert_eq!(sender.bytes(), 1);
        sender.acknowledge(0, 10, 20);
        assert!(sender.is_empty());
    }

    #[test]
    fn acks_of_unknown_segments_change_nothing() {
        let mut sender = sender(2);
        numbers(&mut sender, 0);
        for number in [2, 3, u32::MAX, 1 << 31] {
            sender.acknowledge(number, 0, 10);
            sender.overtake(number, 0);
        }
        assert_eq!(sender.bytes(), 2);
        sender.acknowledge_before(1000);
        assert!(sender.is_empty());
        sender.push(&Bytes::from("y"));
        assert_eq!(numbers(&mut sender, 20), [2]);
    }

    #[test]
    fn a_peer_that_never_answers_is_dead_after_forty_transmissions() {
        let mut sender = sender(1);
        let mut sent = 0;
        let mut now = 0_u32;
        let dead = loop {
            // The timeout grows by half each time: this is always later.
            now = now.wrapping_add(1 << 30);
            if let Err(error) = sender.flush(now, |_, _| sent += 1) {
                break error;
            }
        };
        assert_eq!((dead, sent), (KcpError::DeadLink, 40));
    }
}
