//! The stock: pieces of packets that wait to be sent, each there once however many it is for.

use std::ops::Range;

use bytes::Bytes;

/// So many pieces may lie there that nobody waits for any more.
const SPARE: usize = 1024;

/// Pieces of packets, numbered in the order in which they came.
///
/// What waits for a connection is a range of these numbers: giving a piece to one more connection
/// costs nothing. All pieces go when nobody waits for anything.
#[derive(Debug, Default)]
pub(super) struct Stock {
    pieces: Vec<Bytes>,
    /// The number of the first of them.
    first: u64,
}

impl Stock {
    /// Adds pieces, and returns their numbers.
    pub(super) fn add(&mut self, pieces: impl Iterator<Item = Bytes>) -> Range<u64> {
        let start = self.end();
        self.pieces.extend(pieces);
        start..self.end()
    }

    /// The pieces with these numbers.
    #[inline]
    pub(super) fn get(&self, numbers: &Range<u64>) -> &[Bytes] {
        let place = |number: u64| usize::try_from(number.saturating_sub(self.first)).ok();
        let range = place(numbers.start).zip(place(numbers.end));
        let pieces = range.and_then(|(start, end)| self.pieces.get(start..end));
        pieces.unwrap_or_default()
    }

    /// How long a piece is.
    #[inline]
    pub(super) fn length(&self, number: u64) -> usize {
        self.get(&(number..number + 1))
            .first()
            .map_or(0, Bytes::len)
    }

    fn end(&self) -> u64 {
        self.first + self.pieces.len() as u64
    }

    /// Nobody waits for anything.
    pub(super) fn clear(&mut self) {
        self.first = self.end();
        self.pieces.clear();
    }

    /// Nobody waits for pieces of smaller numbers than the one that is found. It is not looked for
    /// while there are few pieces.
    pub(super) fn trim(&mut self, oldest: impl FnOnce() -> Option<u64>) {
        if self.pieces.len() < SPARE {
            return;
        }
        let oldest = oldest().unwrap_or(self.end());
        let gone = usize::try_from(oldest.saturating_sub(self.first)).unwrap_or(usize::MAX);
        // Now and then, so that what stays is not moved at every update.
        if gone >= self.pieces.len() / 2 {
            self.pieces.drain(..gone.min(self.pieces.len()));
            self.first = oldest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SPARE, Stock};
    use bytes::Bytes;

    fn pieces(count: usize) -> impl Iterator<Item = Bytes> {
        (0..count).map(|number| Bytes::from(vec![7; number % 5 + 1]))
    }

    #[test]
    fn numbers_go_on_whatever_is_cleared_and_trimmed() {
        let mut stock = Stock::default();
        assert_eq!(stock.add(pieces(3)), 0..3);
        assert_eq!(stock.get(&(1..3)), [&[7; 2][..], &[7; 3]]);
        stock.clear();
        let range = stock.add(pieces(SPARE));
        assert_eq!(range, 3..3 + SPARE as u64);
        stock.trim(|| Some(10));
        assert_eq!(stock.get(&range).len(), SPARE, "few of them are gone");
        let oldest = range.end - 2;
        stock.trim(|| Some(oldest));
        assert_eq!(stock.pieces.len(), 2);
        assert_eq!(stock.get(&(oldest..range.end)).len(), 2);
        assert_eq!(stock.length(oldest), (SPARE - 2) % 5 + 1);
        assert_eq!(stock.add(pieces(1)), range.end..range.end + 1);
    }
}
