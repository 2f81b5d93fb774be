//! `DatagramQueue`: chunks on their way into the datagrams of one connection.

use std::collections::VecDeque;
use std::num::NonZeroU8;

use bytes::Bytes;

use crate::link::sender::ChunkRef;
use crate::server::datagrams::frames::Entry;
use crate::server::outbound::chunks::ChunkStore;

/// Most datagrams of one connection in a tick: their number has one byte.
const MAX_PARTS: usize = 255;

/// Chunk in the store that waits for a datagram.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct Queued {
    pub(in crate::server) channel: u8,
    /// Number of the chunk.
    pub(in crate::server) chunk: u64,
    pub(in crate::server) content: ChunkContent,
}

/// Content of a chunk, for the record of its packet.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) enum ChunkContent {
    /// A chunk of a frame, or the echo of one.
    Frame(ChunkRef),
    /// Entries for this connection alone: the first ones of the list.
    Own,
    /// Calls, which are not repaired.
    Calls,
}

/// Chunks of a connection for the datagrams of one tick, and calls for the next one.
#[derive(Debug, Default)]
pub(in crate::server) struct DatagramQueue {
    /// Tick of the chunks.
    pub(in crate::server) tick: u32,
    chunks: VecDeque<Queued>,
    /// Entries of the chunks for this connection alone, with the numbers of their chunks.
    own: VecDeque<(u64, Entry)>,
    /// Channels and bytes of calls, which travel behind the state of their tick.
    calls: VecDeque<(u8, Bytes)>,
    /// Number of datagrams of the tick, and of those sent.
    parts: (u8, u8),
    /// Set if changes of the tick were withheld.
    pub(in crate::server) partial: bool,
    /// Set if the backlog is not empty after the update.
    pub(in crate::server) owed: bool,
    /// Set if a datagram without messages is due.
    pub(in crate::server) probe: bool,
}

impl DatagramQueue {
    /// Appends a chunk of a frame.
    pub(in crate::server) fn push_frame(&mut self, channel: u8, chunk: u64, record: ChunkRef) {
        let content = ChunkContent::Frame(record);
        self.chunks.push_back(Queued {
            channel,
            chunk,
            content,
        });
    }

    /// Appends a chunk with entries for this connection alone.
    pub(in crate::server) fn push_own(&mut self, channel: u8, chunk: u64, entries: &[Entry]) {
        let content = ChunkContent::Own;
        self.chunks.push_back(Queued {
            channel,
            chunk,
            content,
        });
        self.own.extend(entries.iter().map(|entry| (chunk, *entry)));
    }

    /// Appends calls. They wait for the end of the next update.
    pub(in crate::server) fn push_calls(&mut self, channel: u8, calls: &[Bytes]) {
        let calls = calls.iter().map(|calls| (channel, calls.clone()));
        self.calls.extend(calls);
    }

    /// Moves the calls behind the chunks. `too_long` receives those that fit no datagram.
    pub(in crate::server) fn add_calls(
        &mut self,
        (store, room): (&mut ChunkStore, usize),
        mut too_long: impl FnMut(&mut ChunkStore, u8, Bytes),
    ) {
        for (channel, calls) in self.calls.drain(..) {
            if calls.len() > room {
                too_long(store, channel, calls);
                continue;
            }
            let chunk = store.add(std::iter::once(calls)).start;
            let content = ChunkContent::Calls;
            self.chunks.push_back(Queued {
                channel,
                chunk,
                content,
            });
        }
    }

    /// Discards the calls.
    pub(in crate::server) fn drop_calls(&mut self) {
        self.calls.clear();
    }

    /// Divides the chunks of a tick into datagrams. Returns their number, and leaves those beyond the limit.
    pub(in crate::server) fn divide(&mut self, tick: u32, store: &ChunkStore, room: usize) -> u8 {
        self.tick = tick;
        let (mut start, mut count) = (0, 0);
        while start < self.chunks.len() && count < MAX_PARTS {
            start += self.group(start, store, room);
            count += 1;
        }
        let count = u8::try_from(count).unwrap_or(u8::MAX);
        self.parts = (count, 0);
        count
    }

    /// Returns the number of datagrams of the tick.
    pub(in crate::server) fn parts(&self) -> Option<NonZeroU8> {
        NonZeroU8::new(self.parts.0)
    }

    /// Returns whether a datagram is to be sent.
    pub(in crate::server) fn has_more(&self) -> bool {
        self.parts.1 < self.parts.0 || self.probe
    }

    /// Returns whether the queue is empty.
    pub(in crate::server) fn is_empty(&self) -> bool {
        self.chunks.is_empty() && self.calls.is_empty()
    }

    /// Returns the lowest number of a chunk.
    pub(in crate::server) fn first_chunk(&self) -> Option<u64> {
        self.chunks.iter().map(|queued| queued.chunk).min()
    }

    /// Moves the chunks of the next datagram to a list. Returns its index and the number of the tick's
    /// datagrams; (0, 1) for one without chunks.
    pub(in crate::server) fn take(
        &mut self,
        (store, room): (&ChunkStore, usize),
        taken: &mut Vec<Queued>,
    ) -> (u8, NonZeroU8) {
        self.probe = false;
        let (count, index) = self.parts;
        if index >= count {
            return (0, NonZeroU8::MIN);
        }
        self.parts.1 += 1;
        taken.extend(self.chunks.drain(..self.group(0, store, room)));
        (index, NonZeroU8::new(count).unwrap_or(NonZeroU8::MIN))
    }

    /// Takes the entries for this connection alone of the chunks up to a number.
    pub(in crate::server) fn take_own(&mut self, last: Option<u64>) -> impl Iterator<Item = Entry> {
        let own = &mut self.own;
        let is_taken = move |(chunk, _): &mut (u64, Entry)| last.is_some_and(|last| *chunk <= last);
        std::iter::from_fn(move || Some(own.pop_front_if(is_taken)?.1))
    }

    /// Removes all chunks. `withheld` receives each of them, with its entries for this connection alone.
    pub(in crate::server) fn withhold(
        &mut self,
        mut withheld: impl FnMut(Queued, &mut Vec<Entry>),
    ) {
        self.parts = (0, 0);
        let mut own = Vec::new();
        for queued in std::mem::take(&mut self.chunks) {
            if matches!(queued.content, ChunkContent::Own) {
                own.extend(self.take_own(Some(queued.chunk)));
            }
            withheld(queued, &mut own);
            own.clear();
        }
        self.own.clear();
    }

    /// Discards everything.
    pub(in crate::server) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the number of chunks from a position on that fit a datagram together: at least one.
    fn group(&self, start: usize, store: &ChunkStore, room: usize) -> usize {
        let mut chunks = self.chunks.range(start..);
        let Some(first) = chunks.next() else {
            return 0;
        };
        let mut length = store.length(first.chunk);
        let more = chunks.take_while(|queued| {
            length += store.length(queued.chunk);
            queued.channel == first.channel && length <= room
        });
        1 + more.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(lengths: &[usize]) -> ChunkStore {
        let mut store = ChunkStore::default();
        store.add(lengths.iter().map(|length| Bytes::from(vec![0; *length])));
        store
    }

    fn taken(queue: &mut DatagramQueue, store: &ChunkStore) -> Vec<(u8, u8, Vec<u64>)> {
        let mut all = Vec::new();
        while queue.has_more() {
            let mut chunks = Vec::new();
            let (index, count) = queue.take((store, 100), &mut chunks);
            let chunks = chunks.iter().map(|queued| queued.chunk);
            all.push((index, count.get(), chunks.collect()));
        }
        all
    }

    #[test]
    fn datagrams_are_filled_in_order() {
        let store = store(&[40, 60, 1, 100, 30]);
        let mut queue = DatagramQueue::default();
        for chunk in 0..5 {
            let channel = if chunk == 4 { 2 } else { 1 };
            queue.push_frame(
                channel,
                chunk,
                ChunkRef {
                    number: chunk,
                    tick: 9,
                },
            );
        }
        assert_eq!(queue.divide(9, &store, 100), 4);
        let expected = [
            (0, 4, vec![0, 1]),
            (1, 4, vec![2]),
            (2, 4, vec![3]),
            (3, 4, vec![4]),
        ];
        assert_eq!(taken(&mut queue, &store), expected);
        assert!(queue.is_empty());
    }

    #[test]
    fn probe_is_a_datagram_without_chunks() {
        let mut queue = DatagramQueue {
            probe: true,
            ..DatagramQueue::default()
        };
        assert_eq!(taken(&mut queue, &store(&[])), [(0, 1, vec![])]);
    }

    #[test]
    fn calls_follow_the_state() {
        let mut store = store(&[10]);
        let mut queue = DatagramQueue::default();
        queue.push_calls(1, &[Bytes::from_static(b"call")]);
        queue.push_frame(1, 0, ChunkRef { number: 0, tick: 9 });
        queue.add_calls((&mut store, 100), |_, _, _| panic!("it is short"));
        queue.divide(9, &store, 100);
        assert_eq!(taken(&mut queue, &store), [(0, 1, vec![0, 1])]);
    }

    #[test]
    fn datagrams_beyond_the_limit_stay() {
        let store = store(&[100; 300]);
        let mut queue = DatagramQueue::default();
        for chunk in 0..300 {
            queue.push_frame(
                1,
                chunk,
                ChunkRef {
                    number: chunk,
                    tick: 9,
                },
            );
        }
        assert_eq!(queue.divide(9, &store, 100), 255);
        assert_eq!(taken(&mut queue, &store).len(), 255);
        let mut left = 0;
        queue.withhold(|_, _| left += 1);
        assert_eq!((left, queue.is_empty()), (45, true));
    }
}
