//! `History`: values of successive ticks.

use std::collections::VecDeque;

/// Ticks that a history keeps: those of the predictions of a client.
const MAX_TICKS: usize = 128;

/// Values after ticks, in ascending order.
#[derive(Debug)]
pub(super) struct History<T>(VecDeque<(u64, T)>);

impl<T> Default for History<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> History<T> {
    /// Adds the value after a tick. Later values were those of a wrong prediction.
    pub(super) fn record(&mut self, tick: u64, value: T) {
        self.forget_behind(tick.saturating_sub(1));
        if self.0.len() >= MAX_TICKS {
            self.0.pop_front();
        }
        self.0.push_back((tick, value));
    }

    /// Forgets the values behind a tick.
    pub(super) fn forget_behind(&mut self, tick: u64) {
        while self.0.back().is_some_and(|(last, _)| *last > tick) {
            self.0.pop_back();
        }
    }

    /// Returns the value after a tick.
    pub(super) fn at(&self, tick: u64) -> Option<&T> {
        let first = self.0.front()?.0;
        let place = usize::try_from(tick.checked_sub(first)?).ok()?;
        let (at, value) = self.0.get(place)?;
        (*at == tick).then_some(value)
    }

    /// Returns whether the newest value is that after a tick.
    pub(super) fn ends_at(&self, tick: u64) -> bool {
        self.newest().is_some_and(|(newest, _)| *newest == tick)
    }

    /// Returns the newest value.
    pub(super) fn newest(&self) -> Option<&(u64, T)> {
        self.0.back()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_replaces_the_values_behind_its_tick() {
        let mut history = History::default();
        for tick in 10..20 {
            history.record(tick, 0);
        }
        history.record(15, 1);
        assert_eq!(history.at(14), Some(&0));
        assert_eq!(history.at(15), Some(&1));
        assert_eq!((history.at(16), history.at(9)), (None, None));
    }

    #[test]
    fn a_history_keeps_the_newest_ticks() {
        let mut history = History::default();
        (0..1_000).for_each(|tick| history.record(tick, tick));
        assert_eq!(history.0.len(), MAX_TICKS);
        assert_eq!((history.at(999), history.at(100)), (Some(&999), None));
    }
}
