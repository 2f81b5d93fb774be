//! `NetworkTime`: the server's time in seconds and ticks.

use std::time::Duration;

/// Moment of the server's own time: exact on the server, estimated on a client.
///
/// The tick is the time in steps of `1 / tick_rate` seconds, rounded down: see
/// `ServerConfig::tick_rate`.
///
/// ```
/// use std::time::Duration;
/// use syncvar::NetworkTime;
///
/// let moment = NetworkTime::new(Duration::from_millis(1510), 10);
/// assert_eq!(moment.tick, 15);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct NetworkTime {
    /// Time since the begin of the server's own time.
    pub time: Duration,
    /// Number of ticks begun since then, less one.
    pub tick: u64,
}

impl NetworkTime {
    /// Returns the moment at a time, for a number of ticks per second.
    pub fn new(time: Duration, tick_rate: u32) -> Self {
        let whole = time.as_secs().saturating_mul(tick_rate.into());
        let part = u64::from(time.subsec_nanos()) * u64::from(tick_rate) / NANOS_PER_SECOND;
        Self {
            time,
            tick: whole.saturating_add(part),
        }
    }

    /// Returns the first moment of a tick, for a number of ticks per second: at most 10⁹. A loop that runs one tick
    /// after the other takes its times from here. A period in whole nanoseconds is too short for most rates: its
    /// multiples fall behind the ticks, and two steps have the same tick.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::NetworkTime;
    ///
    /// assert_eq!(NetworkTime::of_tick(2, 30).time, Duration::from_nanos(66_666_667));
    /// assert_eq!(NetworkTime::new(2 * Duration::from_secs(1) / 30, 30).tick, 1);
    /// ```
    pub fn of_tick(tick: u64, tick_rate: u32) -> Self {
        let rate = u64::from(tick_rate.max(1));
        let nanos = (tick % rate * NANOS_PER_SECOND).div_ceil(rate);
        Self {
            time: Duration::from_secs(tick / rate) + Duration::from_nanos(nanos),
            tick,
        }
    }
}

/// Ticks of the send interval of behaviours without one: UNet's 0.1 s at 30 ticks per second.
const INTERVAL_TICKS: u64 = 3;

/// Returns the send interval of behaviours without one: a setting of the end, or three ticks.
pub fn send_interval(setting: Option<Duration>, tick_rate: u32) -> Duration {
    setting.unwrap_or(Duration::from_secs(INTERVAL_TICKS) / tick_rate.max(1))
}

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Returns a time in microseconds, its form on the wire; at most 584 554 years.
pub fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{NetworkTime, micros};

    #[test]
    fn tick_is_the_time_rounded_down() {
        let tick = |millis, rate| NetworkTime::new(Duration::from_millis(millis), rate).tick;
        assert_eq!(
            [0, 33, 34, 66, 67, 1000].map(|millis| tick(millis, 30)),
            [0, 0, 1, 1, 2, 30]
        );
        assert_eq!(tick(10_000, 1), 10);
        assert_eq!(NetworkTime::new(Duration::MAX, u32::MAX).tick, u64::MAX);
        assert_eq!(micros(Duration::MAX), u64::MAX);
    }

    #[test]
    fn the_first_moment_of_a_tick_is_exact() {
        let before = Duration::from_nanos(1);
        for rate in [1, 7, 24, 30, 60, 90, 128, 144, 999_999_999, 1_000_000_000] {
            for tick in (1..300).chain((1..60).map(|bits| 1 << bits)) {
                let first = NetworkTime::of_tick(tick, rate);
                assert_eq!(NetworkTime::new(first.time, rate), first);
                assert_eq!(
                    NetworkTime::new(first.time.saturating_sub(before), rate).tick,
                    tick - 1
                );
            }
        }
    }
}
