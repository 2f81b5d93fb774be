//! The server's own time.

use std::time::Duration;

/// The server's own time, which never goes back.
#[derive(Debug, Default)]
pub(super) struct Clock {
    pub(super) now: Duration,
    /// Time of the last update on the caller's clock.
    caller: Duration,
}

impl Clock {
    /// Advances to the caller's time. A caller's clock that goes back adds nothing.
    pub(super) fn advance(&mut self, caller: Duration) -> Duration {
        self.now = self.now.saturating_add(caller.saturating_sub(self.caller));
        self.caller = caller;
        self.now
    }
}
