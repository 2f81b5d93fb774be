//! `ProbeTimer`: the times of the packets that ask for an acknowledgement only.

use std::time::Duration;

/// Time of the next probe. The waits double until an answer comes.
#[derive(Debug, Default)]
pub(super) struct ProbeTimer {
    next: Duration,
    wait: Duration,
}

impl ProbeTimer {
    pub(super) fn is_due(&self, now: Duration) -> bool {
        self.next <= now
    }

    /// Waits twice as long as for the probe before, at least `shortest`, at most `longest`.
    pub(super) fn sent(&mut self, now: Duration, shortest: Duration, longest: Duration) {
        self.wait = self.wait.saturating_mul(2).max(shortest).min(longest);
        self.next = now.saturating_add(self.wait);
    }

    /// Begins anew with the shortest wait.
    pub(super) fn restart(&mut self, now: Duration) {
        self.wait = Duration::ZERO;
        self.next = now;
    }

    /// Makes the next probe due without shortening the waits behind it.
    pub(super) fn hasten(&mut self, now: Duration) {
        self.next = now;
    }
}
