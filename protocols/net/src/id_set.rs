//! `IdSet`: a set of object numbers with ordered iteration in time proportional to its size.

use syncvar_runtime::unstable::ordered::IdMap;

/// Numbers per chunk.
const CHUNK: u32 = 64 * 64;

/// Number of chunks in the dense list. A high number must not cost a list up to it.
const DENSE_CHUNKS: usize = 1 << 16;

/// Drains after which a chunk without members is freed.
const MAX_IDLE: u32 = 128;

/// Set of numbers. An insertion sets two bits. Iteration costs time in proportion to the number of
/// members, however large they are. Chunks that stay empty are freed.
#[derive(Debug, Default)]
pub(crate) struct IdSet {
    chunks: Vec<Option<Box<IdChunk>>>,
    /// Chunks from `DENSE_CHUNKS` on.
    far: IdMap<u32, Box<IdChunk>>,
    /// Numbers of the chunks with members, unordered.
    occupied: Vec<u32>,
    /// Numbers of all chunks, unordered.
    allocated: Vec<u32>,
    /// Number of drains, which wraps around.
    drains: u32,
}

#[derive(Debug)]
struct IdChunk {
    /// One bit per nonzero word.
    summary: u64,
    words: [u64; 64],
    /// Drain that found members last.
    drained: u32,
}

impl Default for IdChunk {
    fn default() -> Self {
        Self {
            summary: 0,
            words: [0; 64],
            drained: 0,
        }
    }
}

impl IdSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.occupied.is_empty()
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        let (chunk, word, bit) = position(number);
        if let Some(Some(found)) = self.chunks.get_mut(chunk as usize)
            && found.summary != 0
        {
            found.words[word] |= bit;
            found.summary |= 1 << word;
        } else {
            self.insert_slowly(chunk, word, bit);
        }
    }

    /// Inserts into an empty or distant chunk.
    fn insert_slowly(&mut self, chunk: u32, word: usize, bit: u64) {
        let index = chunk as usize;
        let found = if index < DENSE_CHUNKS {
            if self.chunks.len() <= index {
                self.chunks.resize_with(index + 1, || None);
            }
            self.chunks[index].get_or_insert_with(|| {
                self.allocated.push(chunk);
                Box::default()
            })
        } else {
            self.far.get_or_insert_with(chunk, || {
                self.allocated.push(chunk);
                Box::default()
            })
        };
        if found.summary == 0 {
            self.occupied.push(chunk);
        }
        found.words[word] |= bit;
        found.summary |= 1 << word;
    }

    /// Moves all numbers to the list in ascending order. The set keeps the chunks for the next drains.
    pub(crate) fn drain_into(&mut self, numbers: &mut Vec<syncvar_runtime::NetId>) {
        self.drains = self.drains.wrapping_add(1);
        self.occupied.sort_unstable();
        for chunk in self.occupied.drain(..) {
            let found = match self.chunks.get_mut(chunk as usize) {
                Some(found) => found.as_mut(),
                None => self.far.get_mut(chunk),
            };
            let Some(found) = found else {
                continue;
            };
            found.drained = self.drains;
            let first = chunk * CHUNK;
            for word in Bits(std::mem::take(&mut found.summary)) {
                let bits = std::mem::take(&mut found.words[word as usize]);
                let first = first + word * 64;
                numbers.reserve(64);
                for bit in Bits(bits) {
                    numbers.push(syncvar_runtime::NetId(first + bit));
                }
            }
        }
        if self.drains.is_multiple_of(MAX_IDLE) {
            self.free_idle();
        }
    }

    /// Frees the chunks without members in the last drains. All chunks must be empty.
    fn free_idle(&mut self) {
        let Self { chunks, far, .. } = self;
        let drains = self.drains;
        let is_idle = |chunk: &IdChunk| drains.wrapping_sub(chunk.drained) >= MAX_IDLE;
        self.allocated.retain(|number| {
            if let Some(slot) = chunks.get_mut(*number as usize) {
                slot.take_if(|chunk| is_idle(chunk));
                return slot.is_some();
            }
            let is_idle = far.get(*number).is_none_or(|chunk| is_idle(chunk));
            if is_idle {
                far.remove(*number);
            }
            !is_idle
        });
        self.allocated.shrink_to(2 * self.allocated.len());
        self.occupied.shrink_to(2 * self.allocated.len());
    }
}

/// Returns the chunk of a number, the word in the chunk and the bit in the word.
fn position(number: u32) -> (u32, usize, u64) {
    let word = number % CHUNK / 64;
    (number / CHUNK, word as usize, 1 << (number % 64))
}

/// Iterator over the positions of set bits, ascending.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::{IdSet, MAX_IDLE};
    use syncvar_runtime::NetId;

    #[test]
    fn drain_yields_each_number_once_in_order() {
        let mut set = IdSet::default();
        for _ in 0..2 {
            for number in [u32::MAX, 70_000, 5, 4096, 5, 63, u32::MAX, 64, 1 << 28, 0] {
                set.insert(number);
            }
            let mut numbers = Vec::new();
            set.drain_into(&mut numbers);
            let expected = [0, 5, 63, 64, 4096, 70_000, 1 << 28, u32::MAX];
            assert_eq!(numbers, expected.map(NetId));
            assert!(set.is_empty());
            set.drain_into(&mut numbers);
            assert_eq!(numbers.len(), 8);
            assert!(set.chunks.len() < 20);
        }
    }

    #[test]
    fn chunks_without_members_are_freed() {
        let mut set = IdSet::default();
        let mut numbers = Vec::new();
        for number in (0..400_000).chain([1 << 28, u32::MAX]) {
            set.insert(number);
        }
        for _ in 0..2 * MAX_IDLE {
            set.insert(7);
            set.drain_into(&mut numbers);
        }
        assert_eq!(set.allocated, [0]);
        assert_eq!(set.chunks.iter().flatten().count(), 1);
        assert!(set.far.is_empty());
        set.insert(399_999);
        numbers.clear();
        set.drain_into(&mut numbers);
        assert_eq!(numbers, [NetId(399_999)]);
    }
}
