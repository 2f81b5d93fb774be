//! `ChunkStore`: bytes shared by the queues of several connections.

use std::ops::Range;

use bytes::Bytes;

/// Number of sent chunks that may remain in the store.
const SPARE: usize = 1024;

/// Chunks numbered in the order of writing.
///
/// A queue holds ranges of these numbers, so one more receiver of a chunk costs no copy. The store
/// clears itself when all queues are empty.
#[derive(Debug, Default)]
pub(crate) struct ChunkStore {
    chunks: Vec<Bytes>,
    /// Number of the first chunk.
    first: u64,
    /// Tick of the last update; 0 before the first.
    pub(crate) tick: u32,
}

impl ChunkStore {
    /// Adds chunks, and returns their numbers.
    pub(crate) fn add(&mut self, chunks: impl Iterator<Item = Bytes>) -> Range<u64> {
        let start = self.end();
        self.chunks.extend(chunks);
        start..self.end()
    }

    /// Returns the chunks with these numbers.
    #[inline]
    pub(crate) fn get(&self, numbers: &Range<u64>) -> &[Bytes] {
        let index = |number: u64| usize::try_from(number.saturating_sub(self.first)).ok();
        let range = index(numbers.start).zip(index(numbers.end));
        let chunks = range.and_then(|(start, end)| self.chunks.get(start..end));
        chunks.unwrap_or_default()
    }

    /// Returns the length of a chunk.
    #[inline]
    pub(crate) fn length(&self, number: u64) -> usize {
        self.get(&(number..number + 1))
            .first()
            .map_or(0, Bytes::len)
    }

    /// Returns the number of the next chunk.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.chunks.len() as u64
    }

    /// Removes all chunks: all queues are empty.
    pub(crate) fn clear(&mut self) {
        self.first = self.end();
        self.chunks.clear();
    }

    /// Removes the chunks before the oldest one in a queue. Calls `oldest` only if the store has
    /// grown.
    pub(crate) fn trim(&mut self, oldest: impl FnOnce() -> Option<u64>) {
        if self.chunks.len() < SPARE {
            return;
        }
        let oldest = oldest().unwrap_or(self.end());
        let gone = usize::try_from(oldest.saturating_sub(self.first)).unwrap_or(usize::MAX);
        // Half the store at once: moving the rest at every update would cost more.
        if gone >= self.chunks.len() / 2 {
            self.chunks.drain(..gone.min(self.chunks.len()));
            self.first = oldest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ChunkStore, SPARE};
    use bytes::Bytes;

    fn chunks(count: usize) -> impl Iterator<Item = Bytes> {
        (0..count).map(|number| Bytes::from(vec![7; number % 5 + 1]))
    }

    #[test]
    fn numbers_continue_after_clear_and_trim() {
        let mut store = ChunkStore::default();
        assert_eq!(store.add(chunks(3)), 0..3);
        assert_eq!(store.get(&(1..3)), [&[7; 2][..], &[7; 3]]);
        store.clear();
        let range = store.add(chunks(SPARE));
        assert_eq!(range, 3..3 + SPARE as u64);
        store.trim(|| Some(10));
        assert_eq!(store.get(&range).len(), SPARE, "few of them are sent");
        let oldest = range.end - 2;
        store.trim(|| Some(oldest));
        assert_eq!(store.chunks.len(), 2);
        assert_eq!(store.get(&(oldest..range.end)).len(), 2);
        assert_eq!(store.length(oldest), (SPARE - 2) % 5 + 1);
        assert_eq!(store.add(chunks(1)), range.end..range.end + 1);
    }
}
