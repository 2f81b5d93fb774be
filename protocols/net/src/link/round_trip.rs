//! `RoundTrip`: the smoothed round trip of a link.

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
