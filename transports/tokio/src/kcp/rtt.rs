//! How long an answer takes, and how long to wait for one.

/// Bounds of the time after which something is sent again, in milliseconds.
const MIN_TIMEOUT: u32 = 30;
const MAX_TIMEOUT: u32 = 60_000;

/// Before anything has been measured, in milliseconds.
const FIRST_TIMEOUT: u32 = 200;

/// How often acks leave, in milliseconds: an answer may be late by as much.
const INTERVAL: u32 = 10;

/// The smoothed time of a round trip, in milliseconds.
#[derive(Debug)]
pub(super) struct RoundTrip {
    smoothed: u32,
    variation: u32,
    timeout: u32,
}

impl Default for RoundTrip {
    fn default() -> Self {
        Self {
            smoothed: 0,
            variation: 0,
            timeout: FIRST_TIMEOUT,
        }
    }
}

impl RoundTrip {
    pub(super) fn timeout(&self) -> u32 {
        self.timeout
    }

    /// An answer has come after so many milliseconds. One later than the longest wait tells no more
    /// than that.
    pub(super) fn measure(&mut self, time: u32) {
        let time = time.min(MAX_TIMEOUT);
        if self.smoothed == 0 {
            self.smoothed = time;
            self.variation = time / 2;
        } else {
            let difference = time.abs_diff(self.smoothed);
            self.variation = self.variation.saturating_mul(3).saturating_add(difference) / 4;
            self.smoothed = (self.smoothed.saturating_mul(7).saturating_add(time) / 8).max(1);
        }
        let late = INTERVAL.max(self.variation.saturating_mul(4));
        let timeout = self.smoothed.saturating_add(late);
        self.timeout = timeout.clamp(MIN_TIMEOUT, MAX_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_follows_the_round_trips() {
        let mut round_trip = RoundTrip::default();
        assert_eq!(round_trip.timeout(), 200);
        round_trip.measure(100);
        assert_eq!(round_trip.timeout(), 300);
        for _ in 0..100 {
            round_trip.measure(100);
        }
        assert_eq!(round_trip.timeout(), 110);
        for _ in 0..100 {
            round_trip.measure(1);
        }
        assert_eq!(round_trip.timeout(), 30);
    }

    #[test]
    fn a_lie_about_the_time_cannot_make_the_wait_endless() {
        let mut round_trip = RoundTrip::default();
        for _ in 0..1000 {
            round_trip.measure(u32::MAX);
            assert!(round_trip.timeout() <= 60_000);
        }
    }
}
