//! Components that travel unreliably, Mirror's `SyncMethod.Hybrid`: what has come of those of an object, and
//! when baselines are due.

use std::time::Duration;

use syncvar_runtime::object::{Nanos, nanos};

/// Which state the changes of an object are counted from, and when the last of them was sent. A baseline
/// has 0 until the first one comes: changes that are counted from what an object was spawned with count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unreliable {
    /// None: whatever the first changes are counted from.
    baseline: Option<u8>,
    time: f64,
    /// When the object was shown last.
    shown: f64,
}

impl Default for Unreliable {
    fn default() -> Self {
        Self {
            baseline: Some(0),
            time: 0.0,
            shown: 0.0,
        }
    }
}

impl Unreliable {
    /// Of somebody who may have sent baselines before, which are not known any more.
    pub(crate) fn of_another() -> Self {
        Self {
            baseline: None,
            ..Self::default()
        }
    }

    /// The object has been shown as it was at this time: what was sent before that is no news.
    pub(crate) const fn show(&mut self, time: f64) {
        self.shown = self.shown.max(time);
    }

    /// A baseline has come. Mirror does not ask when it was sent.
    pub(crate) const fn begin(&mut self, baseline_tick: u8) {
        self.baseline = Some(baseline_tick);
    }

    /// Whether changes in a batch of this time count: they are counted from the last baseline, newer than
    /// those that came last, and not older than what the object was shown as.
    pub(crate) fn accept(&mut self, baseline_tick: u8, time: f64) -> bool {
        let is_news = time > self.time && time >= self.shown;
        let counts = is_news
            && self
                .baseline
                .is_none_or(|baseline| baseline == baseline_tick);
        if counts {
            self.baseline = Some(baseline_tick);
            self.time = time;
        }
        counts
    }
}

/// When baselines are sent: for all objects at once, at whole multiples of an interval. Mirror's
/// `AccurateInterval`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Baselines {
    interval: Nanos,
    last: Nanos,
}

impl Baselines {
    pub(crate) const fn every(interval: Duration) -> Self {
        Self {
            interval: nanos(interval),
            last: 0,
        }
    }

    /// Whether it is time for baselines.
    pub(crate) const fn elapsed(&mut self, now: Nanos) -> bool {
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

/// The number of the baseline after another one. None is 0, which is what receivers have before the first
/// one: nothing that is counted from any of them counts with those.
pub(crate) const fn next_tick(tick: u8) -> u8 {
    match tick.checked_add(1) {
        Some(next) => next,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Baselines, Unreliable, nanos, next_tick};

    #[test]
    fn baselines_are_sent_at_whole_multiples_of_their_interval() {
        let mut baselines = Baselines::every(Duration::from_secs(1));
        let mut elapsed = |millis| baselines.elapsed(nanos(Duration::from_millis(millis)));
        let times = [0, 990, 1020, 1990, 2000, 2999, 5700, 5900, 6000];
        assert_eq!(
            times.map(&mut elapsed),
            [false, false, true, false, true, false, true, false, true]
        );
        let mut always = Baselines::every(Duration::ZERO);
        assert!(always.elapsed(0) && always.elapsed(0));
        assert!(!Baselines::every(Duration::MAX).elapsed(u64::MAX - 1));
    }

    #[test]
    fn no_baseline_has_the_number_of_none() {
        let ticks = std::iter::successors(Some(0), |tick| Some(next_tick(*tick)));
        let ticks: Vec<_> = ticks.skip(1).take(256).collect();
        assert_eq!((ticks[0], ticks[254], ticks[255]), (1, 255, 1));
        assert!(!ticks.contains(&0));
    }

    #[test]
    fn changes_count_from_the_spawn_on_and_then_from_the_last_baseline() {
        let mut unreliable = Unreliable::default();
        assert!(unreliable.accept(0, 0.1));
        assert!(!unreliable.accept(0, 0.1), "it comes twice");
        assert!(!unreliable.accept(0, 0.05), "it is late");
        assert!(
            !unreliable.accept(1, 0.2),
            "it is counted from what is not there"
        );
        unreliable.begin(1);
        assert!(
            !unreliable.accept(0, 0.3),
            "it is counted from what was before"
        );
        assert!(unreliable.accept(1, 0.2));
        assert!(!unreliable.accept(1, f64::NAN));
        assert!(unreliable.accept(1, 0.3));
        unreliable.show(0.5);
        assert!(!unreliable.accept(1, 0.4), "it is in the spawn");
        unreliable.show(0.1);
        unreliable.show(f64::NAN);
        assert!(!unreliable.accept(1, 0.4));
        assert!(unreliable.accept(1, 0.5), "it is of the same frame");
    }
}
