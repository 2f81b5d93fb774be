//! What a client knows of time: how long the way to the server is, and what time it is there.

use std::time::Duration;

/// So many samples count in Mirror's averages. Mirror, `NetworkTime.PingWindowSize`.
const WINDOW: f64 = 50.0;

/// So many send intervals the time of the server is behind. Mirror,
/// `SnapshotInterpolationSettings.bufferTimeMultiplier`.
const BUFFERED_INTERVALS: f64 = 2.0;

/// The send interval as long as there are no two times to tell it by: Mirror's 60 a second.
const SEND_INTERVAL: f64 = 1.0 / 60.0;

/// Jumps of more than this are followed at once, in seconds.
const JUMP: f64 = 1.0;

/// An average of which each sample counts less the older it is. Mirror,
/// `ExponentialMovingAverage`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MovingAverage(Option<f64>);

impl MovingAverage {
    pub(super) fn add(&mut self, sample: f64) {
        if !sample.is_finite() {
            return;
        }
        const ALPHA: f64 = 2.0 / (WINDOW + 1.0);
        self.0 = Some(match self.0 {
            Some(value) => value + ALPHA * (sample - value),
            None => sample,
        });
    }

    pub(super) fn value(self) -> f64 {
        self.0.unwrap_or_default()
    }
}

/// What is known of time.
#[derive(Debug, Default)]
pub(super) struct Clock {
    rtt: MovingAverage,
    /// How far the server's clock is ahead of ours when a ping gets there.
    prediction_error: MovingAverage,
    last_ping: Option<Duration>,
    /// How far the times that the server sends are ahead of ours when they get here.
    offset: MovingAverage,
    interval: MovingAverage,
    last_remote: Option<f64>,
    /// What was given out last: time does not go back.
    shown: f64,
}

impl Clock {
    /// Whether it is time for a ping; if so, it is sent now.
    pub(super) fn take_ping(&mut self, now: Duration, interval: Duration) -> bool {
        let due = !interval.is_zero()
            && self
                .last_ping
                .is_none_or(|last| now.saturating_sub(last) >= interval);
        if due {
            self.last_ping = Some(now);
        }
        due
    }

    /// What the server's clock will show when what is sent now gets there, in seconds.
    pub(super) fn predicted(&self, now: Duration) -> f64 {
        now.as_secs_f64() + self.prediction_error.value()
    }

    pub(super) fn rtt(&self) -> f64 {
        self.rtt.value()
    }

    /// A ping of ours has come back.
    pub(super) fn handle_pong(&mut self, now: Duration, sent: f64, prediction_error: f64) {
        let passed = now.as_secs_f64() - sent;
        // One that was sent in the future is none of ours.
        if passed >= 0.0 {
            self.rtt.add(passed);
            self.prediction_error.add(prediction_error);
        }
    }

    /// The server has said what time it is.
    pub(super) fn handle_snapshot(&mut self, now: Duration, remote: f64) {
        if !remote.is_finite() || self.last_remote.is_some_and(|last| remote <= last) {
            return;
        }
        if let Some(last) = self.last_remote.replace(remote) {
            self.interval.add(remote - last);
        }
        let offset = remote - now.as_secs_f64();
        if (offset - self.offset.value()).abs() > JUMP {
            self.offset = MovingAverage::default();
        }
        self.offset.add(offset);
    }

    /// The time goes on.
    pub(super) fn advance(&mut self, now: Duration) {
        if self.last_remote.is_none() {
            return;
        }
        let interval = self.interval.0.unwrap_or(SEND_INTERVAL);
        let behind = BUFFERED_INTERVALS * interval;
        self.shown = self
            .shown
            .max(now.as_secs_f64() + self.offset.value() - behind);
    }

    /// The server's time, a little behind; none if it has not said it.
    pub(super) fn network_time(&self) -> Option<Duration> {
        self.last_remote?;
        Duration::try_from_secs_f64(self.shown).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn the_first_sample_counts_as_it_is_and_those_behind_it_by_two_of_fifty_one() {
        let mut average = MovingAverage::default();
        average.add(1.0);
        average.add(f64::NAN);
        average.add(2.0);
        assert!((average.value() - (1.0 + 2.0 / 51.0)).abs() < 1e-12);
    }

    #[test]
    fn a_pong_of_the_future_counts_for_nothing() {
        let mut clock = Clock::default();
        clock.handle_pong(millis(100), 0.06, 0.5);
        clock.handle_pong(millis(100), 5.0, 7.0);
        clock.handle_pong(millis(100), f64::NAN, 7.0);
        assert!((clock.rtt() - 0.04).abs() < 1e-12);
        assert!((clock.predicted(millis(100)) - 0.6).abs() < 1e-12);
    }

    #[test]
    fn the_servers_time_is_two_intervals_behind_and_does_not_go_back() {
        let mut clock = Clock::default();
        assert_eq!(clock.network_time(), None);
        for tick in 0..100_u32 {
            let now = 50 * u64::from(tick);
            clock.handle_snapshot(millis(now), 20.0 + 0.05 * f64::from(tick));
            clock.advance(millis(now));
        }
        let shown = clock.network_time();
        let expected = 20.0 + 0.05 * 99.0 - 0.1;
        assert!(shown.is_some_and(|shown| (shown.as_secs_f64() - expected).abs() < 1e-6));
        clock.advance(millis(10));
        assert_eq!(clock.network_time(), shown);
        clock.handle_snapshot(millis(5000), f64::INFINITY);
        clock.handle_snapshot(millis(5000), 1.0);
        assert_eq!(clock.network_time(), shown);
    }
}
