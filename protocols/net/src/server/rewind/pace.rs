//! `UpdatePace`: ticks between the updates of the server.

/// Share of a new gap in the usual one.
const WEIGHT: f64 = 1.0 / 16.0;

/// Usual number of ticks from one update to the next. A packet waits for the next update, and the clients see the ticks in between
/// together: a loop that is slower than its tick rate makes views older. A stall is no usual gap.
#[derive(Debug)]
pub(super) struct UpdatePace {
    last: u32,
    /// Ticks between the last two updates.
    gap: u32,
    usual: f64,
}

impl Default for UpdatePace {
    fn default() -> Self {
        Self {
            last: 0,
            gap: 1,
            usual: 1.0,
        }
    }
}

impl UpdatePace {
    /// Notes an update.
    pub(super) fn note(&mut self, tick: u32) {
        self.gap = tick.saturating_sub(std::mem::replace(&mut self.last, tick));
        let gap = f64::from(self.gap).min(2.0 * self.usual + 1.0);
        self.usual += (gap - self.usual) * WEIGHT;
    }

    /// Returns the ticks between the last two updates, at least 1.
    pub(super) fn gap(&self) -> u32 {
        self.gap.max(1)
    }

    /// Returns the usual number of ticks, at least 1.
    pub(super) fn ticks(&self) -> f64 {
        self.usual.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_loop_is_usual_and_a_stall_is_not() {
        let mut pace = UpdatePace::default();
        (1..=100).for_each(|update| pace.note(update * 2));
        assert!((1.9..=2.0).contains(&pace.ticks()), "{pace:?}");
        pace.note(10_000);
        assert!(pace.ticks() < 2.25, "{pace:?}");
        (0..200).for_each(|update| pace.note(10_000 + update / 4));
        assert!((pace.ticks() - 1.0).abs() < f64::EPSILON, "{pace:?}");
    }
}
