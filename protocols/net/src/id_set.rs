//! A set of object numbers that is walked in ascending order, at the cost of what is in it.

use std::collections::BTreeMap;

/// How many numbers a chunk covers.
const CHUNK: u32 = 64 * 64;

/// How many chunks are found by their position, so that a number far out costs no list up to it.
const DENSE_CHUNKS: usize = 1 << 16;

/// Numbers, each once. Adding one costs two bits; walking them costs no more than they are, however
/// large they are.
#[derive(Debug, Default)]
pub(crate) struct IdSet {
    chunks: Vec<Option<Box<Chunk>>>,
    /// The chunks from `DENSE_CHUNKS` on.
    far: BTreeMap<u32, Box<Chunk>>,
    /// The chunks that are not empty, each once, in any order.
    occupied: Vec<u32>,
}

#[derive(Debug)]
struct Chunk {
    /// A bit for every word that is not zero.
    summary: u64,
    words: [u64; 64],
}

impl Default for Chunk {
    fn default() -> Self {
        Self {
            summary: 0,
            words: [0; 64],
        }
    }
}

impl IdSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.occupied.is_empty()
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        let (chunk, word, bit) = place(number);
        if let Some(Some(found)) = self.chunks.get_mut(chunk as usize)
            && found.summary != 0
        {
            found.words[word] |= bit;
            found.summary |= 1 << word;
        } else {
            self.insert_slowly(chunk, word, bit);
        }
    }

    /// Inserts into a chunk that is empty, or far out.
    fn insert_slowly(&mut self, chunk: u32, word: usize, bit: u64) {
        let index = chunk as usize;
        let found = if index < DENSE_CHUNKS {
            if self.chunks.len() <= index {
                self.chunks.resize_with(index + 1, || None);
            }
            self.chunks[index].get_or_insert_default()
        } else {
            self.far.entry(chunk).or_default()
        };
        if found.summary == 0 {
            self.occupied.push(chunk);
        }
        found.words[word] |= bit;
        found.summary |= 1 << word;
    }

    /// Takes all numbers out and appends them, ascending. The memory stays.
    pub(crate) fn drain_into(&mut self, numbers: &mut Vec<crate::NetId>) {
        self.occupied.sort_unstable();
        for chunk in self.occupied.drain(..) {
            let found = match self.chunks.get_mut(chunk as usize) {
                Some(found) => found.as_mut(),
                None => self.far.get_mut(&chunk),
            };
            let Some(found) = found else {
                continue;
            };
            let first = chunk * CHUNK;
            for word in Bits(std::mem::take(&mut found.summary)) {
                let bits = std::mem::take(&mut found.words[word as usize]);
                let first = first + word * 64;
                numbers.reserve(64);
                for bit in Bits(bits) {
                    numbers.push(crate::NetId(first + bit));
                }
            }
        }
    }
}

/// Chunk, word in it, bit in that.
fn place(number: u32) -> (u32, usize, u64) {
    let word = number % CHUNK / 64;
    (number / CHUNK, word as usize, 1 << (number % 64))
}

/// The positions of the bits that are set, ascending.
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
    use super::IdSet;
    use crate::NetId;

    #[test]
    fn numbers_come_out_once_and_in_order_and_the_set_is_empty_then() {
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
}
