//! `RecentUse`: memory of a list that is filled and emptied again and again.

/// Rounds after which a list gives memory back.
const ROUNDS: u8 = 128;
/// Elements whose memory stays in any case.
const KEPT: usize = 64;

/// Use of a list that is filled and emptied in each round. A burst leaves memory behind that no later round needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecentUse {
    /// Most elements of a round.
    most: usize,
    rounds: u8,
}

impl RecentUse {
    /// Counts a round with `used` elements. Returns the capacity that is enough once in 128 rounds, if the list has more
    /// than twice as much.
    #[inline]
    pub fn count(&mut self, used: usize, capacity: usize) -> Option<usize> {
        self.most = self.most.max(used);
        self.rounds += 1;
        if self.rounds < ROUNDS {
            return None;
        }
        let enough = self.most.saturating_mul(2).max(KEPT);
        *self = Self::default();
        (capacity > enough.saturating_mul(2)).then_some(enough)
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, ROUNDS, RecentUse};

    /// Returns the results of as many rounds with `used` elements.
    fn rounds(used: usize, capacity: usize) -> Vec<usize> {
        let mut recent = RecentUse::default();
        let results = (0..2 * u32::from(ROUNDS)).filter_map(|_| recent.count(used, capacity));
        results.collect()
    }

    #[test]
    fn a_list_gives_the_memory_of_a_burst_back() {
        assert_eq!(rounds(100, 10_000), [200, 200]);
        assert_eq!(rounds(0, 10_000), [KEPT, KEPT]);
    }

    #[test]
    fn a_list_keeps_the_memory_of_its_rounds() {
        assert_eq!(rounds(100, 400), []);
        assert_eq!(rounds(1, 2 * KEPT), []);
        let mut recent = RecentUse::default();
        let alternating =
            (0..ROUNDS).filter_map(|round| recent.count(usize::from(round % 3) * 50, 200));
        assert_eq!(alternating.collect::<Vec<_>>(), []);
    }
}
