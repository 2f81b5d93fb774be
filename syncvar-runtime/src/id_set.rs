//! A set of object numbers that is walked in ascending order, at the cost of what is in it.

/// How many numbers a chunk covers.
const CHUNK: u32 = 64 * 64;

/// Numbers, each once. Adding one costs two bits; walking them costs no more than they are, however
/// large they are.
#[derive(Debug, Default)]
pub(crate) struct IdSet {
    chunks: Vec<Option<Box<Chunk>>>,
    /// The chunks that are not empty, each once, in any order.
    occupied: Vec<u32>,
}

#[derive(Debug)]
struct Chunk {
    /// A bit for every word that is not zero.
    summary: u64,
    words: [u64; 64],
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
            self.insert_into_empty(chunk, word, bit);
        }
    }

    fn insert_into_empty(&mut self, chunk: u32, word: usize, bit: u64) {
        let index = chunk as usize;
        if self.chunks.len() <= index {
            self.chunks.resize_with(index + 1, || None);
        }
        let found = self.chunks[index].get_or_insert_with(|| {
            Box::new(Chunk {
                summary: 0,
                words: [0; 64],
            })
        });
        found.words[word] |= bit;
        found.summary |= 1 << word;
        self.occupied.push(chunk);
    }

    /// Takes all numbers out and appends them, ascending. The memory stays.
    pub(crate) fn drain_into(&mut self, numbers: &mut Vec<crate::NetId>) {
        self.occupied.sort_unstable();
        for chunk in self.occupied.drain(..) {
            let Some(Some(found)) = self.chunks.get_mut(chunk as usize) else {
                continue;
            };
            let first = chunk * CHUNK;
            for word in Bits(std::mem::take(&mut found.summary)) {
                let bits = std::mem::take(&mut found.words[word as usize]);
                let first = first + word * 64;
                numbers.extend(Bits(bits).map(|bit| crate::NetId(first + bit)));
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
            for number in [70_000, 5, 4096, 5, 63, 64, 4_000_000, 0] {
                set.insert(number);
            }
            let mut numbers = Vec::new();
            set.drain_into(&mut numbers);
            assert_eq!(numbers, [0, 5, 63, 64, 4096, 70_000, 4_000_000].map(NetId));
            assert!(set.is_empty());
            set.drain_into(&mut numbers);
            assert_eq!(numbers.len(), 7);
        }
    }
}
