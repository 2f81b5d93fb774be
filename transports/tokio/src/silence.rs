//! `Silence`: the time without a packet of the peer.

use std::time::Duration;

/// Longest time that one tick counts: a process that was stopped has not listened.
const LONGEST_TICK: Duration = Duration::from_secs(1);

/// Time since the last packet of a connection, counted by ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Silence {
    time: Duration,
    /// A packet has arrived.
    broken: bool,
}

impl Silence {
    /// Handles a packet.
    pub(crate) fn end(&mut self) {
        self.time = Duration::ZERO;
        self.broken = true;
    }

    /// Returns whether no packet has arrived since the connection.
    pub(crate) fn is_first(self) -> bool {
        !self.broken
    }

    /// Adds the time since the last tick. Returns the whole silence.
    pub(crate) fn add(&mut self, elapsed: Duration) -> Duration {
        self.time = self.time.saturating_add(elapsed.min(LONGEST_TICK));
        self.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_a_stopped_process_is_no_silence() {
        let mut silence = Silence::default();
        assert_eq!(silence.add(Duration::from_mins(1)), LONGEST_TICK);
        assert!(silence.is_first());
        silence.end();
        assert!(!silence.is_first());
        let tick = Duration::from_millis(33);
        assert_eq!(silence.add(tick), tick);
    }
}
