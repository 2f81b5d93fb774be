//! `RoundTrip`: the smoothed round trip of a link. `Average`: the same over more measurements.

use std::time::Duration;

/// Smoothed round trip and its variation, as in RFC 9002.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrip {
    smoothed: Duration,
    variation: Duration,
    /// Set before the first measurement.
    is_guess: bool,
}

/// Longest guess before the first measurement.
const GUESS: Duration = Duration::from_millis(200);

impl RoundTrip {
    /// Returns the estimate after a first measurement.
    pub(crate) fn new(first: Duration) -> Self {
        Self {
            smoothed: first,
            variation: first / 2,
            is_guess: false,
        }
    }

    /// Returns a guess, which the first measurement replaces: the time of the handshake, which may have
    /// waited for the program.
    pub(crate) fn guess(handshake: Duration) -> Self {
        Self {
            is_guess: true,
            ..Self::new(handshake.min(GUESS))
        }
    }

    /// Adds a measurement.
    pub(crate) fn add(&mut self, sample: Duration) {
        if self.is_guess {
            *self = Self::new(sample);
            return;
        }
        let difference = self.smoothed.abs_diff(sample);
        self.variation = (self.variation * 3 + difference) / 4;
        self.smoothed = (self.smoothed * 7 + sample) / 8;
    }

    /// Returns the smoothed round trip.
    pub(crate) fn smoothed(&self) -> Duration {
        self.smoothed
    }

    /// Returns the mean deviation from the smoothed round trip.
    pub(crate) fn variation(&self) -> Duration {
        self.variation
    }

    /// Returns the time within which nearly all answers come.
    pub(crate) fn upper(&self) -> Duration {
        self.smoothed + self.variation * 4
    }
}

/// Mean and standard deviation of the last round trips, for limits: steadier than [`RoundTrip`], and without a guess.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Average {
    count: u16,
    /// Seconds.
    mean: f64,
    variance: f64,
}

impl Average {
    /// Adds a measurement to about the last `most` ones.
    pub(crate) fn add(&mut self, sample: Duration, most: u16) {
        let sample = sample.as_secs_f64();
        self.count = self.count.saturating_add(1).min(most.max(1));
        let weight = 2.0 / (f64::from(self.count) + 1.0);
        let difference = sample - self.mean;
        self.mean += weight * difference;
        self.variance = (1.0 - weight) * (self.variance + weight * difference * difference);
    }

    /// Returns the mean and the deviation; `None` before the first measurement.
    pub(crate) fn measured(&self) -> Option<(Duration, Duration)> {
        let known = self.count > 0;
        known.then(|| (self.mean(), self.deviation()))
    }

    /// Returns the mean; 0 before the first measurement.
    pub(crate) fn mean(&self) -> Duration {
        seconds(self.mean)
    }

    /// Returns the standard deviation; 0 before the second measurement.
    pub(crate) fn deviation(&self) -> Duration {
        seconds(self.variance.sqrt())
    }
}

fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value.max(0.0)).unwrap_or_default()
}
