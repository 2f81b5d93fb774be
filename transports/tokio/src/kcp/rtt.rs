//! `KcpRoundTrip`: measured round-trip time and resend timeout.

/// Bounds of the resend timeout, in milliseconds.
const MIN_TIMEOUT: u32 = 30;
const MAX_TIMEOUT: u32 = 60_000;

/// Resend timeout before the first measurement, in milliseconds.
const FIRST_TIMEOUT: u32 = 200;

/// Interval of acks, in milliseconds: the delay of an answer.
const INTERVAL: u32 = 10;

/// Smoothed round-trip time, in milliseconds.
#[derive(Debug)]
pub(super) struct KcpRoundTrip {
    smoothed: u32,
    variation: u32,
    timeout: u32,
}

impl Default for KcpRoundTrip {
    fn default() -> Self {
        Self {
            smoothed: 0,
            variation: 0,
            timeout: FIRST_TIMEOUT,
        }
    }
}

impl KcpRoundTrip {
    pub(super) fn timeout(&self) -> u32 {
        self.timeout
    }

    /// Adds a measurement in milliseconds. One beyond the longest timeout counts as the longest.
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
        let mut round_trip = KcpRoundTrip::default();
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
        let mut round_trip = KcpRoundTrip::default();
        for _ in 0..1000 {
            round_trip.measure(u32::MAX);
            assert!(round_trip.timeout() <= 60_000);
        }
    }
}
