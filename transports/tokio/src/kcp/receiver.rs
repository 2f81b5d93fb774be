//! `Receiver`: received segments and their acks.

use std::collections::{BTreeMap, VecDeque};

use bytes::{Bytes, BytesMut};

use super::KcpError;
use super::segment::{Segment, ahead};
use super::sender::Fragment;

/// Most segments in memory, in order or early.
const WINDOW: u16 = super::WINDOW;

#[derive(Debug)]
pub(super) struct Receiver {
    /// Next number in order.
    next: u32,
    /// Early segments by number.
    early: BTreeMap<u32, Fragment>,
    /// Fragments in order, not yet polled.
    queue: VecDeque<Fragment>,
    /// Number of complete messages in `queue`.
    complete: usize,
    /// Expected count of the next fragment; `None` at the beginning of a message.
    following: Option<u8>,
    /// Numbers and timestamps of unacknowledged segments.
    acks: Vec<(u32, u32)>,
}

impl Receiver {
    /// Makes a receiver whose first segment has the number `next`.
    pub(super) fn new(next: u32) -> Self {
        Self {
            next,
            early: BTreeMap::new(),
            queue: VecDeque::new(),
            complete: 0,
            following: None,
            acks: Vec::new(),
        }
    }

    /// Returns the first missing number.
    pub(super) fn una(&self) -> u32 {
        self.next
    }

    /// Returns the window: the segments that fit into memory.
    pub(super) fn window(&self) -> u16 {
        let waiting = u16::try_from(self.queue.len()).unwrap_or(u16::MAX);
        WINDOW.saturating_sub(waiting)
    }

    /// Returns the acks since the last call: numbers and timestamps.
    pub(super) fn take_acks(&mut self) -> impl Iterator<Item = (u32, u32)> {
        self.acks.drain(..)
    }

    /// Handles a data segment. A segment beyond the window is dropped; the peer repeats it.
    pub(super) fn push(&mut self, segment: &Segment<'_>) -> Result<(), KcpError> {
        let ahead = ahead(segment.number, self.next);
        if ahead.is_some_and(|ahead| ahead >= self.window().into()) {
            return Ok(());
        }
        if self.acks.len() < WINDOW.into() {
            self.acks.push((segment.number, segment.timestamp));
        }
        if ahead.is_none() {
            return Ok(());
        }
        self.early
            .entry(segment.number)
            .or_insert_with(|| Fragment {
                following: segment.fragment,
                data: Bytes::copy_from_slice(segment.data),
            });
        while let Some(fragment) = self.early.remove(&self.next) {
            self.next = self.next.wrapping_add(1);
            if self
                .following
                .is_some_and(|following| following != fragment.following)
            {
                return Err(KcpError::Malformed);
            }
            self.following = fragment.following.checked_sub(1);
            if self.following.is_none() {
                self.complete = self.complete.saturating_add(1);
            }
            self.queue.push_back(fragment);
        }
        Ok(())
    }

    /// Returns the next message, if it is complete.
    pub(super) fn pop(&mut self) -> Option<Bytes> {
        self.complete = self.complete.checked_sub(1)?;
        let first = self.queue.pop_front()?;
        if first.following == 0 {
            return Some(first.data);
        }
        let mut message = BytesMut::from(&first.data[..]);
        while let Some(fragment) = self.queue.pop_front() {
            message.extend_from_slice(&fragment.data);
            if fragment.following == 0 {
                break;
            }
        }
        Some(message.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::super::segment::Command;
    use super::*;

    fn push(number: u32, fragment: u8, data: &[u8]) -> Segment<'_> {
        Segment {
            conversation: 0,
            command: Command::Push,
            fragment,
            window: 4096,
            timestamp: number.wrapping_add(1000),
            number,
            una: 0,
            data,
        }
    }

    #[test]
    fn messages_are_ordered_and_whole_for_any_arrival() {
        let mut receiver = Receiver::new(0);
        for segment in [
            push(3, 0, b"second"),
            push(1, 1, b"ir"),
            push(1, 1, b"ir"),
            push(2, 0, b"st"),
        ] {
            receiver.push(&segment).unwrap();
            assert_eq!(receiver.pop(), None);
        }
        assert_eq!(receiver.una(), 0);
        receiver.push(&push(0, 2, b"f")).unwrap();
        assert_eq!(receiver.una(), 4);
        assert_eq!(receiver.pop().unwrap(), "first");
        assert_eq!(receiver.pop().unwrap(), "second");
        assert_eq!(receiver.pop(), None);
    }

    #[test]
    fn each_segment_is_acknowledged_even_when_repeated() {
        let mut receiver = Receiver::new(0);
        for number in [0, 2, 0] {
            receiver.push(&push(number, 0, b"x")).unwrap();
        }
        let acks: Vec<_> = receiver.take_acks().collect();
        assert_eq!(acks, [(0, 1000), (2, 1002), (0, 1000)]);
        assert_eq!(receiver.take_acks().count(), 0);
    }

    #[test]
    fn numbers_go_on_after_the_largest() {
        let mut receiver = Receiver::new(u32::MAX);
        for number in [1, 0, u32::MAX] {
            receiver
                .push(&Segment {
                    number,
                    ..push(0, 0, b"x")
                })
                .unwrap();
        }
        assert_eq!(receiver.una(), 2);
        assert_eq!(receiver.window(), 4096 - 3);
    }

    #[test]
    fn segments_beyond_the_window_are_dropped_without_ack() {
        let mut receiver = Receiver::new(0);
        receiver.push(&push(4096, 0, b"x")).unwrap();
        assert!(receiver.acks.is_empty() && receiver.early.is_empty());
        for number in 0..5000 {
            receiver.push(&push(number, 0, b"x")).unwrap();
        }
        assert_eq!((receiver.window(), receiver.una()), (0, 4096));
        assert_eq!(receiver.queue.len(), 4096);
        assert_eq!(receiver.acks.len(), 4096);
        assert!(receiver.pop().is_some());
        assert_eq!(receiver.window(), 1);
    }

    #[test]
    fn a_fragment_out_of_turn_is_an_error() {
        for next in [2, 0, 255] {
            let mut receiver = Receiver::new(0);
            receiver.push(&push(0, 2, b"a")).unwrap();
            let pushed = receiver.push(&push(1, next, b"b"));
            assert_eq!(pushed, Err(KcpError::Malformed));
        }
    }
}
