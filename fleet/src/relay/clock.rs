//! `OriginClock`: an estimate of the time of the origin.

use std::collections::VecDeque;
use std::time::Duration;

/// Time after which a sample is forgotten, so that the estimate follows the drift of two clocks.
const WINDOW: Duration = Duration::from_secs(20);

/// Estimate of the time of the origin: its time in the records, and the shortest of their last travel times.
///
/// A record with a longer travel arrives at a later time of the origin than it shows. The estimate is behind the origin
/// by the shortest time from the origin to the sample. It never goes back.
#[derive(Debug, Default)]
pub(crate) struct OriginClock {
    /// Own time of a sample, and its difference from the time of the origin, in microseconds. The differences ascend.
    samples: VecDeque<(Duration, i128)>,
    last: Duration,
}

impl OriginClock {
    /// Takes the time of a record that has arrived.
    pub(crate) fn sample(&mut self, now: Duration, origin: Duration) {
        let difference = micros(now) - micros(origin);
        while self.samples.back().is_some_and(|(_, it)| *it >= difference) {
            self.samples.pop_back();
        }
        self.samples.push_back((now, difference));
        while let Some((time, _)) = self.samples.front()
            && self.samples.len() > 1
            && now.saturating_sub(*time) > WINDOW
        {
            self.samples.pop_front();
        }
    }

    /// Returns the estimated time of the origin.
    pub(crate) fn estimate(&mut self, now: Duration) -> Duration {
        let estimate = micros(now) - self.difference();
        let estimate = Duration::from_micros(u64::try_from(estimate).unwrap_or_default());
        self.last = self.last.max(estimate);
        self.last
    }

    /// Returns the own time at a time of the origin.
    pub(crate) fn own_time(&self, origin: Duration) -> Duration {
        let own = micros(origin) + self.difference();
        Duration::from_micros(u64::try_from(own).unwrap_or_default())
    }

    fn difference(&self) -> i128 {
        self.samples
            .front()
            .map_or(0, |(_, difference)| *difference)
    }
}

fn micros(time: Duration) -> i128 {
    i128::try_from(time.as_micros()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_shortest_travel_time_counts() {
        let mut clock = OriginClock::default();
        clock.sample(1000 * MS, 30 * MS);
        clock.sample(1080 * MS, 60 * MS);
        assert_eq!(clock.estimate(1080 * MS), 110 * MS);
        clock.sample(1100 * MS, 135 * MS);
        assert_eq!(clock.estimate(1100 * MS), 135 * MS);
        assert_eq!(clock.estimate(1090 * MS), 135 * MS, "it never goes back");
        assert_eq!(clock.own_time(200 * MS), 1165 * MS);
    }

    #[test]
    fn old_samples_are_forgotten() {
        let mut clock = OriginClock::default();
        clock.sample(1000 * MS, Duration::ZERO);
        for second in 2..60 {
            // The clock of the origin is slower by 1 ms in a second.
            clock.sample(second * 1000 * MS, (second * 999 - 999) * MS);
        }
        let estimate = clock.estimate(59_000 * MS);
        assert!(estimate <= 57_942 * MS + 21 * MS, "{estimate:?}");
    }
}
