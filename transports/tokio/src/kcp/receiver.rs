//! `Receiver`: received segments and their acks.

use std::collections::{BTreeMap, VecDeque};

use bytes::{Bytes, BytesMut};

use super::KcpError;
use super::inbox::{self, SEGMENT};
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
    /// Memory of `early` and of `queue`, estimated, in bytes.
    early_bytes: usize,
    queue_bytes: usize,
    /// Most memory of segments and messages. The window follows from it.
    max_bytes: usize,
    /// Segments without room, not acknowledged: the peer repeats them.
    refused: u64,
    /// Number of complete messages in `queue`.
    complete: usize,
    /// Number of messages that were taken.
    taken: u64,
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
            early_bytes: 0,
            queue_bytes: 0,
            max_bytes: usize::MAX,
            refused: 0,
            complete: 0,
            taken: 0,
            following: None,
            acks: Vec::new(),
        }
    }

    /// Returns the first missing number.
    pub(super) fn una(&self) -> u32 {
        self.next
    }

    /// Returns the window: the full segments that fit into memory. Early segments are inside it, so its
    /// end never goes back.
    pub(super) fn window(&self) -> u16 {
        let waiting = u16::try_from(self.queue.len()).unwrap_or(u16::MAX);
        let room = self.max_bytes.saturating_sub(self.queue_bytes) / SEGMENT;
        let room = u16::try_from(room).unwrap_or(u16::MAX);
        WINDOW.saturating_sub(waiting).min(room)
    }

    /// Sets the most memory of unpolled segments.
    pub(super) fn set_max_bytes(&mut self, max_bytes: usize) {
        self.max_bytes = max_bytes;
    }

    /// Returns the memory of unpolled segments, estimated.
    pub(super) fn bytes(&self) -> usize {
        self.early_bytes.saturating_add(self.queue_bytes)
    }

    /// Returns the number of refused segments.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// Returns the number of the missing segment, while later segments wait for it and it has room.
    pub(super) fn missing(&self) -> Option<u32> {
        let is_waiting = !self.early.is_empty() || self.following.is_some();
        (is_waiting && self.window() > 0).then_some(self.next)
    }

    /// Returns the acks since the last call: numbers and timestamps.
    pub(super) fn take_acks(&mut self) -> impl Iterator<Item = (u32, u32)> {
        self.acks.drain(..)
    }

    /// Handles a data segment. A segment beyond the window, or beyond `room` bytes, is dropped; the peer
    /// repeats it.
    pub(super) fn push(&mut self, segment: &Segment<'_>, room: usize) -> Result<(), KcpError> {
        let ahead = ahead(segment.number, self.next);
        let is_new = ahead.is_some() && !self.early.contains_key(&segment.number);
        let bytes = inbox::memory(segment.data.len());
        // Early segments leave room for the missing one, without which they cannot be read.
        let room = if ahead == Some(0) { room } else { room / 2 };
        if ahead.is_some_and(|ahead| ahead >= self.window().into()) || (is_new && bytes > room) {
            self.refused = self.refused.saturating_add(1);
            return Ok(());
        }
        if self.acks.len() < WINDOW.into() {
            self.acks.push((segment.number, segment.timestamp));
        }
        if !is_new {
            return Ok(());
        }
        let fragment = Fragment {
            following: segment.fragment,
            data: Bytes::copy_from_slice(segment.data),
        };
        self.early.insert(segment.number, fragment);
        self.early_bytes = self.early_bytes.saturating_add(bytes);
        while let Some(fragment) = self.early.remove(&self.next) {
            let bytes = inbox::memory(fragment.data.len());
            self.early_bytes = self.early_bytes.saturating_sub(bytes);
            self.queue_bytes = self.queue_bytes.saturating_add(bytes);
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

    /// Returns the number of messages that were taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns the number of messages that are complete or were taken.
    #[cfg(feature = "udp")]
    pub(super) fn arrived(&self) -> u64 {
        let complete = u64::try_from(self.complete).unwrap_or(u64::MAX);
        self.taken.wrapping_add(complete)
    }

    /// Returns the length of the next message, if it is complete.
    #[cfg(feature = "kcp")]
    pub(super) fn next_length(&self) -> Option<usize> {
        if self.complete == 0 {
            return None;
        }
        let last = self.queue.iter().position(|part| part.following == 0)?;
        let parts = self.queue.iter().take(last.saturating_add(1));
        Some(parts.map(|part| part.data.len()).sum())
    }

    /// Returns the next message, if it is complete.
    pub(super) fn pop(&mut self) -> Option<Bytes> {
        self.complete = self.complete.checked_sub(1)?;
        self.taken = self.taken.wrapping_add(1);
        let first = self.pop_fragment()?;
        if first.following == 0 {
            return Some(first.data);
        }
        let mut message = BytesMut::from(&first.data[..]);
        while let Some(fragment) = self.pop_fragment() {
            message.extend_from_slice(&fragment.data);
            if fragment.following == 0 {
                break;
            }
        }
        Some(message.freeze())
    }

    fn pop_fragment(&mut self) -> Option<Fragment> {
        let fragment = self.queue.pop_front()?;
        let bytes = inbox::memory(fragment.data.len());
        self.queue_bytes = self.queue_bytes.saturating_sub(bytes);
        Some(fragment)
    }
}

#[cfg(test)]
mod tests {
    use super::super::segment::SegmentCommand;
    use super::*;

    fn push(number: u32, fragment: u8, data: &[u8]) -> Segment<'_> {
        Segment {
            conversation: 0,
            command: SegmentCommand::Push,
            fragment,
            window: 4096,
            timestamp: number.wrapping_add(1000),
            number,
            una: 0,
            data,
        }
    }

    fn receive(receiver: &mut Receiver, segment: &Segment<'_>) -> Result<(), KcpError> {
        receiver.push(segment, usize::MAX)
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
            receive(&mut receiver, &segment).unwrap();
            assert_eq!(receiver.pop(), None);
        }
        assert_eq!(receiver.una(), 0);
        receive(&mut receiver, &push(0, 2, b"f")).unwrap();
        assert_eq!(receiver.una(), 4);
        assert_eq!(receiver.pop().unwrap(), "first");
        assert_eq!(receiver.pop().unwrap(), "second");
        assert_eq!(receiver.pop(), None);
    }

    #[test]
    fn each_segment_is_acknowledged_even_when_repeated() {
        let mut receiver = Receiver::new(0);
        for number in [0, 2, 0] {
            receive(&mut receiver, &push(number, 0, b"x")).unwrap();
        }
        let acks: Vec<_> = receiver.take_acks().collect();
        assert_eq!(acks, [(0, 1000), (2, 1002), (0, 1000)]);
        assert_eq!(receiver.take_acks().count(), 0);
    }

    #[test]
    fn numbers_go_on_after_the_largest() {
        let mut receiver = Receiver::new(u32::MAX);
        for number in [1, 0, u32::MAX] {
            receive(&mut receiver, &push(number, 0, b"x")).unwrap();
        }
        assert_eq!(receiver.una(), 2);
        assert_eq!(receiver.window(), 4096 - 3);
    }

    #[test]
    fn segments_beyond_the_window_are_dropped_without_ack() {
        let mut receiver = Receiver::new(0);
        receive(&mut receiver, &push(4096, 0, b"x")).unwrap();
        assert!(receiver.acks.is_empty() && receiver.early.is_empty());
        for number in 0..5000 {
            receive(&mut receiver, &push(number, 0, b"x")).unwrap();
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
            receive(&mut receiver, &push(0, 2, b"a")).unwrap();
            let pushed = receive(&mut receiver, &push(1, next, b"b"));
            assert_eq!(pushed, Err(KcpError::Malformed));
        }
    }
}
