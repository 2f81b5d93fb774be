//! `BadAcks`: acknowledgements of packets that were never sent.

use std::time::Duration;

const MINUTE: Duration = Duration::from_mins(1);

/// Number of false acknowledgements, in all and in the current minute.
///
/// A minute begins with a false acknowledgement, so that no list of times is kept.
#[derive(Debug, Default)]
pub(super) struct BadAcks {
    total: u64,
    minute: Duration,
    in_minute: u32,
}

impl BadAcks {
    pub(super) fn count(&mut self, now: Duration) {
        if self.in_minute == 0 || now.saturating_sub(self.minute) >= MINUTE {
            self.minute = now;
            self.in_minute = 0;
        }
        self.in_minute = self.in_minute.saturating_add(1);
        self.total += 1;
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number in the minute of the last one.
    pub(super) fn in_minute(&self) -> u32 {
        self.in_minute
    }
}
