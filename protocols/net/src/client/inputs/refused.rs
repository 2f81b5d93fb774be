//! `Refused`: inputs that the server has refused, until the program is told.

use std::time::Duration;

/// Least time between two events.
const PAUSE: Duration = Duration::from_secs(1);

/// Refused inputs since the last event.
#[derive(Debug, Default)]
pub(super) struct Refused {
    inputs: u64,
    /// Own time of the last event.
    told: Option<Duration>,
}

impl Refused {
    /// Adds inputs of a report.
    pub(super) fn add(&mut self, inputs: u32) {
        self.inputs = self.inputs.saturating_add(inputs.into());
    }

    /// Returns the number of the inputs, if an event is due.
    pub(super) fn take(&mut self, now: Duration) -> Option<u64> {
        let paused = |told: Duration| now.saturating_sub(told) < PAUSE;
        if self.inputs == 0 || self.told.is_some_and(paused) {
            return None;
        }
        self.told = Some(now);
        Some(std::mem::take(&mut self.inputs))
    }
}
