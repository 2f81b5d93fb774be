//! Hybrid components, Mirror's `SyncMethod.Hybrid`: received baselines, and the schedule of sent
//! baselines.

use std::time::Duration;

use syncvar_runtime::unstable::object::{Nanos, nanos};

/// Received baseline and deltas of an object. The first baseline has number 0: deltas relative
/// to the spawn are valid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceivedBaseline {
    /// `None` accepts any baseline with the next delta.
    baseline: Option<u8>,
    /// Time of the last delta or baseline.
    newest: f64,
    /// Time of the last spawn.
    snapshot_time: f64,
}

impl Default for ReceivedBaseline {
    fn default() -> Self {
        Self {
            baseline: Some(0),
            newest: 0.0,
            snapshot_time: 0.0,
        }
    }
}

impl ReceivedBaseline {
    /// Creates the state for a new owner, whose earlier baselines are unknown.
    pub(crate) fn of_new_owner() -> Self {
        Self {
            baseline: None,
            ..Self::default()
        }
    }

    /// Records a spawn at this time: older deltas are outdated.
    pub(crate) const fn set_snapshot_time(&mut self, time: f64) {
        self.snapshot_time = self.snapshot_time.max(time);
    }

    /// Records a baseline of this time. Deltas up to this time are outdated: in the frame of a baseline, Mirror's server
    /// numbers the deltas for all connections but the first with the new baseline, but computes them from the previous
    /// baseline. Mirror's clients ignore the time.
    pub(crate) const fn set_baseline(&mut self, baseline_tick: u8, time: f64) {
        self.baseline = Some(baseline_tick);
        self.newest = self.newest.max(time);
    }

    /// Returns whether a delta of this time is valid: relative to the last baseline, newer than it and
    /// than the last delta, and not older than the last spawn.
    pub(crate) fn accept(&mut self, baseline_tick: u8, time: f64) -> bool {
        let is_news = time > self.newest && time >= self.snapshot_time;
        let counts = is_news
            && self
                .baseline
                .is_none_or(|baseline| baseline == baseline_tick);
        if counts {
            self.baseline = Some(baseline_tick);
            self.newest = time;
        }
        counts
    }
}

/// Schedule of baselines: for all objects at once, at whole multiples of an interval. Mirror's
/// `AccurateInterval`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaselineSchedule {
    interval: Nanos,
    last: Nanos,
}

impl BaselineSchedule {
    pub(crate) const fn every(interval: Duration) -> Self {
        Self {
            interval: nanos(interval),
            last: 0,
        }
    }

    /// Returns whether baselines are due.
    pub(crate) const fn is_due(&mut self, now: Nanos) -> bool {
        let Some(beyond) = now.checked_rem(self.interval) else {
            return true;
        };
        let elapsed = now >= self.last.saturating_add(self.interval);
        if elapsed {
            self.last = now.saturating_sub(beyond);
        }
        elapsed
    }
}

/// Returns the number of the next baseline. It skips 0, the number that receivers have before the
/// first one, so that no delta of a baseline is valid for them.
pub(crate) const fn next_tick(tick: u8) -> u8 {
    match tick.checked_add(1) {
        Some(next) => next,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{BaselineSchedule, ReceivedBaseline, nanos, next_tick};

    #[test]
    fn baselines_are_sent_at_whole_multiples_of_their_interval() {
        let mut baselines = BaselineSchedule::every(Duration::from_secs(1));
        let mut elapsed = |millis| baselines.is_due(nanos(Duration::from_millis(millis)));
        let times = [0, 990, 1020, 1990, 2000, 2999, 5700, 5900, 6000];
        assert_eq!(
            times.map(&mut elapsed),
            [false, false, true, false, true, false, true, false, true]
        );
        let mut always = BaselineSchedule::every(Duration::ZERO);
        assert!(always.is_due(0) && always.is_due(0));
        assert!(!BaselineSchedule::every(Duration::MAX).is_due(u64::MAX - 1));
    }

    #[test]
    fn baseline_numbers_skip_zero() {
        let ticks = std::iter::successors(Some(0), |tick| Some(next_tick(*tick)));
        let ticks: Vec<_> = ticks.skip(1).take(256).collect();
        assert_eq!((ticks[0], ticks[254], ticks[255]), (1, 255, 1));
        assert!(!ticks.contains(&0));
    }

    #[test]
    fn deltas_are_valid_from_spawn_or_last_baseline() {
        let mut unreliable = ReceivedBaseline::default();
        assert!(unreliable.accept(0, 0.1));
        assert!(!unreliable.accept(0, 0.1), "repeated");
        assert!(!unreliable.accept(0, 0.05), "late");
        assert!(!unreliable.accept(1, 0.2), "relative to a later baseline");
        unreliable.set_baseline(1, 0.15);
        assert!(
            !unreliable.accept(0, 0.3),
            "relative to an earlier baseline"
        );
        assert!(unreliable.accept(1, 0.2));
        assert!(!unreliable.accept(1, f64::NAN));
        assert!(unreliable.accept(1, 0.3));
        unreliable.set_baseline(2, 0.35);
        assert!(!unreliable.accept(2, 0.35), "contained in the baseline");
        unreliable.set_baseline(2, f64::NAN);
        unreliable.set_baseline(1, 0.0);
        assert!(!unreliable.accept(1, 0.35));
        unreliable.set_snapshot_time(0.5);
        assert!(!unreliable.accept(1, 0.4), "contained in the spawn");
        unreliable.set_snapshot_time(0.1);
        unreliable.set_snapshot_time(f64::NAN);
        assert!(!unreliable.accept(1, 0.4));
        assert!(unreliable.accept(1, 0.5), "same frame as the spawn");
    }
}
