//! `Held`: datagrams that arrived before the packets of the stream that precede them.

use std::collections::VecDeque;

use super::arrived::Arrived;

/// Early datagrams in the order of their arrival, within limits.
#[derive(Debug)]
pub(crate) struct Held {
    datagrams: VecDeque<HeldDatagram>,
    bytes: usize,
    max_datagrams: usize,
    max_bytes: usize,
}

/// Early datagram without its header.
#[derive(Debug)]
pub(crate) struct HeldDatagram {
    pub(crate) header: Arrived,
    pub(crate) channel: u8,
    pub(crate) messages: Box<[u8]>,
}

impl Held {
    pub(crate) fn new(max_datagrams: usize, max_bytes: usize) -> Self {
        Self {
            datagrams: VecDeque::new(),
            bytes: 0,
            max_datagrams,
            max_bytes,
        }
    }

    /// Returns whether a datagram of this sequence is held.
    pub(crate) fn contains(&self, sequence: u64) -> bool {
        let mut datagrams = self.datagrams.iter();
        datagrams.any(|held| held.header.sequence == sequence)
    }

    /// Keeps a datagram. The oldest datagrams make room and are lost: the server sends their fields again.
    pub(crate) fn push(&mut self, header: Arrived, channel: u8, messages: &[u8]) {
        if messages.len() > self.max_bytes {
            return;
        }
        while self.datagrams.len() >= self.max_datagrams.max(1)
            || self.bytes + messages.len() > self.max_bytes
        {
            self.remove(0);
        }
        self.bytes += messages.len();
        self.datagrams.push_back(HeldDatagram {
            header,
            channel,
            messages: messages.into(),
        });
    }

    /// Removes and returns the next datagram by tick and index for which the stream has caught up.
    pub(crate) fn pop(&mut self, handled: u64) -> Option<HeldDatagram> {
        let ready = self.datagrams.iter().enumerate();
        let ready = ready.filter(|(_, held)| held.header.after <= handled);
        let next = ready.min_by_key(|(_, held)| (held.header.tick, held.header.index));
        let (at, _) = next?;
        self.remove(at)
    }

    /// Removes all datagrams: they are lost.
    pub(crate) fn clear(&mut self) {
        self.datagrams.clear();
        self.bytes = 0;
    }

    fn remove(&mut self, at: usize) -> Option<HeldDatagram> {
        let held = self.datagrams.remove(at)?;
        self.bytes -= held.messages.len();
        Some(held)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU8;

    use super::{Arrived, Held};

    fn datagram(sequence: u64, tick: u32, after: u64) -> Arrived {
        Arrived {
            sequence,
            tick,
            after,
            index: 0,
            count: NonZeroU8::MIN,
            partial: false,
            owed: false,
            settled: 0,
        }
    }

    #[test]
    fn oldest_datagrams_make_room() {
        let mut held = Held::new(3, 100);
        for sequence in 1..=4 {
            held.push(datagram(sequence, 1, 1), 1, &[0; 10]);
        }
        assert!(!held.contains(1) && held.contains(2));
        held.push(datagram(5, 1, 1), 1, &[0; 85]);
        assert!(!held.contains(3) && held.contains(4) && held.contains(5));
        held.push(datagram(6, 1, 1), 1, &[0; 101]);
        assert!(!held.contains(6));
        assert_eq!(held.bytes, 95);
    }

    #[test]
    fn datagrams_return_by_tick_once_the_stream_has_caught_up() {
        let mut held = Held::new(8, 100);
        held.push(datagram(3, 9, 2), 1, &[]);
        held.push(datagram(2, 8, 2), 1, &[]);
        held.push(datagram(4, 7, 3), 1, &[]);
        assert!(held.pop(1).is_none());
        let order = std::iter::from_fn(|| held.pop(2)).map(|held| held.header.tick);
        assert_eq!(order.collect::<Vec<_>>(), [8, 9]);
        assert_eq!(held.pop(3).map(|held| held.header.sequence), Some(4));
    }
}
