//! `Clock`: the own time of a server or client.

use std::time::Duration;

/// Own time of a server or client, driven by readings of the caller's clock.
///
/// The own time advances by the difference between two readings and never goes back. A reading below
/// the previous one adds 0: the own time stands still for that update and continues from there.
/// A restarted clock therefore costs one update.
///
/// The first reading counts from zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    now: Duration,
    /// The previous reading.
    last: Duration,
}

impl Clock {
    /// Returns the own time.
    #[inline]
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Takes a reading of the caller's clock and returns the own time.
    #[inline]
    pub fn advance(&mut self, reading: Duration) -> Duration {
        let step = reading.saturating_sub(self.last);
        self.last = reading;
        self.now = self.now.saturating_add(step);
        self.now
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Clock;

    fn own_times(readings: &[u64]) -> Vec<u64> {
        let mut clock = Clock::default();
        let times = readings.iter().map(|reading| {
            let now = clock.advance(Duration::from_secs(*reading));
            assert_eq!(now, clock.now());
            now.as_secs()
        });
        times.collect()
    }

    #[test]
    fn own_time_follows_the_readings() {
        assert_eq!(own_times(&[0, 1, 1, 7]), [0, 1, 1, 7]);
        assert_eq!(own_times(&[100, 101]), [100, 101]);
    }

    #[test]
    fn reading_that_goes_back_stops_own_time_for_one_update() {
        assert_eq!(own_times(&[10, 4, 5, 12]), [10, 10, 11, 18]);
        assert_eq!(own_times(&[10, 0, 0, 3]), [10, 10, 10, 13]);
    }

    #[test]
    fn own_time_saturates() {
        let mut clock = Clock::default();
        clock.advance(Duration::MAX);
        clock.advance(Duration::ZERO);
        assert_eq!(clock.advance(Duration::MAX), Duration::MAX);
    }
}
