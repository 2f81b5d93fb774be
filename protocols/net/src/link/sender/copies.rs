//! `Copies`: the fates of shared chunks that were sent more than once.

use std::collections::VecDeque;

/// Copies of one chunk to one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkCopies {
    pub(super) number: u64,
    /// Tick of the chunk.
    pub(super) tick: u32,
    /// Records that name the chunk.
    pub(super) records: u16,
    /// Copies whose packets are flying.
    pub(super) flying: u16,
    /// Whether a copy was acknowledged.
    pub(super) acked: bool,
}

impl ChunkCopies {
    /// Returns whether no copy can arrive any more and none has.
    pub(super) fn is_lost(&self) -> bool {
        self.flying == 0 && !self.acked
    }
}

/// Chunks with echoes among the records of a connection, by number. Any other chunk has the fate of its only
/// packet.
///
/// Numbers ascend with time, so that entries are added near the end and removed near the start.
#[derive(Debug, Default)]
pub(super) struct Copies(VecDeque<ChunkCopies>);

impl Copies {
    /// Adds a chunk.
    pub(super) fn add(&mut self, copies: ChunkCopies) {
        let at = self.0.partition_point(|it| it.number < copies.number);
        self.0.insert(at, copies);
    }

    /// Returns the copies of a chunk; none of a chunk that was sent once.
    pub(super) fn get(&self, number: u64) -> Option<&ChunkCopies> {
        let at = self.0.binary_search_by_key(&number, |copies| copies.number);
        self.0.get(at.ok()?)
    }

    /// Like [`get`](Self::get), for changes.
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut ChunkCopies> {
        let at = self.0.binary_search_by_key(&number, |copies| copies.number);
        self.0.get_mut(at.ok()?)
    }

    /// Counts one record less. A chunk without records is forgotten.
    pub(super) fn release(&mut self, number: u64) {
        let found = self.0.binary_search_by_key(&number, |copies| copies.number);
        let Ok(at) = found else {
            return;
        };
        self.0[at].records -= 1;
        if self.0[at].records == 0 {
            self.0.remove(at);
        }
    }

    /// Returns whether no chunk has an echo.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all chunks.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
