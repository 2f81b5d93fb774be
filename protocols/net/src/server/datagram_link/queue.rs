//! `DatagramQueue`: chunks on their way into the datagrams of a connection.

use std::num::NonZeroU8;
use std::ops::Range;

use bytes::Bytes;

use crate::link::sender::ChunkRef;
use crate::server::chunk_store::ChunkStore;
use crate::server::ledger::field_set::FieldSet;

/// Most datagrams of a connection in a tick: their number has one byte.
const MAX_PARTS: usize = 255;

/// Chunk in the store that waits for a datagram.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queued {
    pub(crate) channel: u8,
    /// Number of the chunk.
    pub(crate) chunk: u64,
    pub(crate) content: ChunkContent,
}

/// Content of a chunk, for the record of its packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ChunkContent {
    /// A chunk of a frame, or a repeated chunk.
    Frame(ChunkRef),
    /// This number of entries for this connection alone: the first ones of the list.
    Unicast(u32),
    /// Calls, which are not repaired.
    Calls,
}

/// Chunks of a connection for the datagrams of a tick, and calls for the next tick.
#[derive(Debug, Default)]
pub(crate) struct DatagramQueue {
    /// Tick of the chunks.
    pub(crate) tick: u32,
    chunks: Vec<Queued>,
    /// Entries of the chunks for this connection alone.
    unicast: Vec<FieldSet>,
    /// Ends of the datagrams in the lists.
    ends: Vec<DatagramEnd>,
    /// Number of the sent datagrams.
    sent: u8,
    /// Channels and bytes of calls, which travel behind the state of their tick.
    calls: Vec<(u8, Bytes)>,
    /// Set if changes of the tick were withheld.
    pub(crate) partial: bool,
    /// Set if losses of the connection are open after the update.
    pub(crate) lacks: bool,
    /// Set if a datagram without messages is due.
    pub(crate) probe: bool,
}

/// End of a datagram.
#[derive(Clone, Copy, Debug, Default)]
struct DatagramEnd {
    /// End of its chunks, and of its entries for this connection alone.
    chunks: usize,
    unicast: usize,
    /// Bytes of its chunks.
    length: usize,
    /// Set if its chunks are not adjacent in the store.
    scattered: bool,
}

/// Content of the next datagram.
#[derive(Debug)]
pub(crate) struct DatagramPart<'a> {
    /// Its index, and the number of the tick's datagrams; (0, 1) for a probe.
    pub(crate) place: (u8, NonZeroU8),
    pub(crate) chunks: &'a [Queued],
    /// Entries of the chunks for this connection alone.
    pub(crate) unicast: &'a [FieldSet],
    /// Bytes of the chunks.
    pub(crate) length: usize,
    /// Set if the chunks are not adjacent in the store.
    pub(crate) scattered: bool,
}

impl DatagramQueue {
    /// Appends a chunk of a frame.
    pub(crate) fn push_frame(&mut self, channel: u8, chunk: u64, record: ChunkRef) {
        let content = ChunkContent::Frame(record);
        self.push(channel, chunk, content);
    }

    /// Appends a chunk with entries for this connection alone.
    pub(crate) fn push_unicast(&mut self, channel: u8, chunk: u64, entries: &[FieldSet]) {
        let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        self.push(channel, chunk, ChunkContent::Unicast(count));
        self.unicast.extend(entries);
    }

    fn push(&mut self, channel: u8, chunk: u64, content: ChunkContent) {
        self.chunks.push(Queued {
            channel,
            chunk,
            content,
        });
    }

    /// Appends calls. They wait for the end of the next update.
    pub(crate) fn push_calls(&mut self, channel: u8, calls: &[Bytes]) {
        let calls = calls.iter().map(|calls| (channel, calls.clone()));
        self.calls.extend(calls);
    }

    /// Moves the calls behind the chunks. `too_long` receives calls above the size of a datagram.
    pub(crate) fn add_calls(
        &mut self,
        store: &mut ChunkStore,
        room: usize,
        mut too_long: impl FnMut(&mut ChunkStore, u8, Bytes),
    ) {
        for (channel, calls) in std::mem::take(&mut self.calls) {
            if calls.len() > room {
                too_long(store, channel, calls);
                continue;
            }
            let chunk = store.add(std::iter::once(calls)).start;
            self.push(channel, chunk, ChunkContent::Calls);
        }
    }

    /// Discards the calls.
    pub(crate) fn drop_calls(&mut self) {
        self.calls.clear();
    }

    /// Divides the chunks of a tick into datagrams. Returns their number, and leaves chunks beyond the limit.
    pub(crate) fn divide(&mut self, tick: u32, store: &ChunkStore, room: usize) -> u8 {
        self.tick = tick;
        let (mut end, mut former) = (DatagramEnd::default(), None::<&Queued>);
        for (place, queued) in (1..).zip(&self.chunks) {
            let length = store.length(queued.chunk);
            let follows = former
                .filter(|former| former.channel == queued.channel && end.length + length <= room);
            if let Some(former) = follows {
                end.length += length;
                end.scattered |= former.chunk + 1 != queued.chunk;
                self.ends.pop();
            } else if self.ends.len() == MAX_PARTS {
                break;
            } else {
                (end.length, end.scattered) = (length, false);
            }
            end.chunks = place;
            end.unicast += queued.content.unicast();
            self.ends.push(end);
            former = Some(queued);
        }
        self.count()
    }

    fn count(&self) -> u8 {
        u8::try_from(self.ends.len()).unwrap_or(u8::MAX)
    }

    /// Returns the number of datagrams of the tick.
    pub(crate) fn parts(&self) -> Option<NonZeroU8> {
        NonZeroU8::new(self.count())
    }

    /// Returns whether a datagram is to be sent.
    pub(crate) fn has_more(&self) -> bool {
        self.sent < self.count() || self.probe
    }

    /// Returns whether the queue is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting().is_empty() && self.calls.is_empty()
    }

    /// Returns the lowest number of a chunk.
    pub(crate) fn first_chunk(&self) -> Option<u64> {
        self.waiting().iter().map(|queued| queued.chunk).min()
    }

    fn waiting(&self) -> &[Queued] {
        self.chunks
            .get(self.sent_end().chunks..)
            .unwrap_or_default()
    }

    /// Returns the end of the sent datagrams.
    fn sent_end(&self) -> DatagramEnd {
        let last = usize::from(self.sent).checked_sub(1);
        let last = last.and_then(|last| self.ends.get(last));
        last.copied().unwrap_or_default()
    }

    /// Takes the next datagram, without chunks if none waits.
    pub(crate) fn take(&mut self) -> DatagramPart<'_> {
        self.probe = false;
        let start = self.sent_end();
        let next = self.ends.get(usize::from(self.sent)).zip(self.parts());
        let Some((end, count)) = next else {
            return DatagramPart::default();
        };
        let place = (self.sent, count);
        self.sent += 1;
        DatagramPart {
            place,
            chunks: slice(&self.chunks, start.chunks..end.chunks),
            unicast: slice(&self.unicast, start.unicast..end.unicast),
            length: end.length,
            scattered: end.scattered,
        }
    }

    /// Ends the tick. `withheld` receives each chunk that was not sent, with its entries for this connection
    /// alone.
    pub(crate) fn end_tick(&mut self, mut withheld: impl FnMut(&Queued, &[FieldSet])) {
        let mut start = self.sent_end().unicast;
        for queued in self.waiting() {
            let end = start + queued.content.unicast();
            withheld(queued, slice(&self.unicast, start..end));
            start = end;
        }
        self.chunks.clear();
        self.unicast.clear();
        self.ends.clear();
        self.sent = 0;
    }

    /// Discards everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Default for DatagramPart<'_> {
    fn default() -> Self {
        Self {
            place: (0, NonZeroU8::MIN),
            chunks: &[],
            unicast: &[],
            length: 0,
            scattered: false,
        }
    }
}

impl ChunkContent {
    /// Returns the number of entries for one connection alone.
    fn unicast(self) -> usize {
        match self {
            Self::Unicast(count) => count as usize,
            Self::Frame(_) | Self::Calls => 0,
        }
    }
}

fn slice<T>(list: &[T], range: Range<usize>) -> &[T] {
    list.get(range).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(lengths: &[usize]) -> ChunkStore {
        let mut store = ChunkStore::default();
        store.add(lengths.iter().map(|length| Bytes::from(vec![0; *length])));
        store
    }

    fn taken(queue: &mut DatagramQueue) -> Vec<(u8, u8, Vec<u64>)> {
        let mut all = Vec::new();
        while queue.has_more() {
            let part = queue.take();
            let (index, count) = part.place;
            let chunks = part.chunks.iter().map(|queued| queued.chunk);
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
        assert_eq!(taken(&mut queue), expected);
        assert!(queue.is_empty());
    }

    #[test]
    fn probe_is_a_datagram_without_chunks() {
        let mut queue = DatagramQueue {
            probe: true,
            ..DatagramQueue::default()
        };
        assert_eq!(taken(&mut queue), [(0, 1, vec![])]);
    }

    #[test]
    fn calls_follow_the_state() {
        let mut store = store(&[10]);
        let mut queue = DatagramQueue::default();
        queue.push_calls(1, &[Bytes::from_static(b"call")]);
        queue.push_frame(1, 0, ChunkRef { number: 0, tick: 9 });
        queue.add_calls(&mut store, 100, |_, _, _| panic!("it is short"));
        queue.divide(9, &store, 100);
        assert_eq!(taken(&mut queue), [(0, 1, vec![0, 1])]);
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
        assert_eq!(taken(&mut queue).len(), 255);
        let mut left = 0;
        queue.end_tick(|_, _| left += 1);
        assert_eq!((left, queue.is_empty()), (45, true));
    }
}
