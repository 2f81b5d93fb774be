//! Intervals of a transform.

use syncvar_runtime::behaviour::SyncSettings;

use crate::components::AccurateInterval;

/// Counter of the end's send intervals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    interval: AccurateInterval,
    counter: u32,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            interval: AccurateInterval::overdue(),
            counter: 0,
        }
    }
}

impl Schedule {
    /// Returns whether a number of send intervals is over.
    pub(super) fn is_due(&self, intervals: u32) -> bool {
        self.counter >= intervals
    }

    /// Counts a send interval that is over; begins anew after this number.
    pub(super) fn count(&mut self, now: f64, settings: &SyncSettings, intervals: u32) {
        if self.interval.elapsed(now, settings.end_interval.into()) {
            self.restart_after(intervals);
            self.counter = self.counter.saturating_add(1);
        }
    }

    /// Begins anew if this number of send intervals is over.
    pub(super) fn restart_after(&mut self, intervals: u32) {
        if self.counter >= intervals {
            self.counter = 0;
        }
    }
}

/// Returns the interval of a component in send intervals of its end, at least 1. Mirror,
/// `sendIntervalMultiplier`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
pub(super) fn intervals(settings: &SyncSettings) -> u32 {
    let intervals = settings.interval / settings.end_interval;
    (intervals.round_ties_even() as u32).max(1)
}

/// Returns a number of send intervals in seconds, as Mirror's `float`.
#[expect(clippy::cast_precision_loss, reason = "as in Mirror")]
pub(super) fn seconds(settings: &SyncSettings, intervals: u32) -> f64 {
    f64::from(settings.end_interval * intervals as f32)
}
