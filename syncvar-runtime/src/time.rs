//! The time that both sides share: the server's, in seconds and in ticks.

use std::time::Duration;

/// A moment of the server's own time: on the server exactly, on a client as it is estimated.
///
/// The tick is the time in steps of `1 / tick_rate` seconds, rounded down: see
/// [`ServerConfig::tick_rate`](crate::ServerConfig::tick_rate). It does not depend on how often the
/// server is updated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct NetworkTime {
    /// The time since the server's own time began.
    pub time: Duration,
    /// Number of ticks begun since then, less one.
    pub tick: u64,
}

impl NetworkTime {
    /// The moment at this time, where there are so many ticks in a second.
    pub(crate) fn new(time: Duration, tick_rate: u32) -> Self {
        let whole = time.as_secs().saturating_mul(tick_rate.into());
        let part = u64::from(time.subsec_nanos()) * u64::from(tick_rate) / NANOS_PER_SECOND;
        Self {
            time,
            tick: whole.saturating_add(part),
        }
    }
}

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Returns a time in microseconds, its form on the wire; at most 584 554 years.
pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{NetworkTime, micros};

    #[test]
    fn a_tick_begins_when_its_time_has_come() {
        let tick = |millis, rate| NetworkTime::new(Duration::from_millis(millis), rate).tick;
        assert_eq!(
            [0, 33, 34, 66, 67, 1000].map(|millis| tick(millis, 30)),
            [0, 0, 1, 1, 2, 30]
        );
        assert_eq!(tick(10_000, 1), 10);
        assert_eq!(NetworkTime::new(Duration::MAX, u32::MAX).tick, u64::MAX);
        assert_eq!(micros(Duration::MAX), u64::MAX);
    }
}
