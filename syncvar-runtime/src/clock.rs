//! `Clock`: the own time of a server or client; `Slew`: the time of a remote clock; `Rate` and `Bucket`:
//! limits in the own time.

mod slew;

pub use slew::Slew;

use std::time::Duration;

/// Own time of a server or client, driven by readings of the caller's clock.
///
/// The own time advances by the difference between two readings and never goes back. A reading below
/// the previous one adds 0: the own time stands still for that update and continues from there.
/// A restarted clock therefore costs one update.
///
/// A step of more than 100 years, or beyond 500 years of own time, is a leap: it adds 0, too, and
/// [`take_leap`](Self::take_leap) reports it. Intervals are counted in 64 bits of nanoseconds, which
/// end after 584 years.
///
/// The first reading counts from zero.
///
/// A clock has one owner: the program, or a transport that [holds](Self::hold) it. A change of the
/// owner adds no time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    now: Duration,
    /// The previous reading; `None` after a change of the owner.
    last: Option<Duration>,
    /// Step that was refused last.
    leap: Option<Duration>,
    /// Reading of the transport's first frame since the last update.
    frame: Option<Duration>,
    /// Updates in succession with one reading.
    repeated: u32,
    owner: Owner,
    pace: Pace,
    warned: Warned,
}

/// Mistakes of the program of which it has been warned.
#[derive(Clone, Copy, Debug, Default)]
struct Warned {
    /// A reading below the previous one, or many equal readings.
    delta: bool,
    /// Frames without an update.
    missing: bool,
}

/// Measurement of the program's updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// Updates since a moment. `other` is set if the measurement before found a different rate: a pause of the
    /// program changes one only.
    Measured {
        since: Duration,
        updates: u32,
        other: bool,
    },
    /// The program has been warned.
    Warned,
}

impl Default for Pace {
    fn default() -> Self {
        Self::Measured {
            since: Duration::ZERO,
            updates: 0,
            other: false,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Owner {
    #[default]
    Program,
    Transport {
        /// Set once an update of the program was refused.
        warned: bool,
    },
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            now: Duration::ZERO,
            last: Some(Duration::ZERO),
            leap: None,
            frame: None,
            repeated: 0,
            owner: Owner::default(),
            pace: Pace::default(),
            warned: Warned::default(),
        }
    }
}

/// Number of updates in a measurement of their rate.
const MEASURED: u32 = 64;

/// Updates with one reading before a warning: several seconds of a loop.
const MOST_REPEATED: u32 = 256;

/// Longest time of frames without an update before a warning.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

const YEAR: u64 = 365 * 24 * 60 * 60;

/// Longest step between two readings.
const LONGEST_STEP: Duration = Duration::from_secs(100 * YEAR);

/// Latest own time.
const LATEST: Duration = Duration::from_secs(500 * YEAR);

impl Clock {
    /// Returns the own time.
    #[inline]
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Returns the own time at a reading of the caller's clock, without a change.
    #[inline]
    pub fn at(&self, reading: Duration) -> Duration {
        self.next(reading).unwrap_or(self.now)
    }

    /// Takes a reading of the caller's clock and returns the own time.
    #[inline]
    pub fn advance(&mut self, reading: Duration) -> Duration {
        match self.next(reading) {
            Ok(now) => self.now = now,
            Err(step) => self.leap = Some(step),
        }
        let last = self.last.replace(reading).unwrap_or(reading);
        self.frame = None;
        if reading > last {
            self.repeated = 0;
        } else {
            self.warn_of_delta(last, reading);
        }
        self.now
    }

    /// Notes a frame of a transport in the program's loop, which expects an update of the program in each frame.
    /// Warns once after three seconds of frames without one.
    pub fn expect_update(&mut self, reading: Duration) {
        let first = *self.frame.get_or_insert(reading);
        let waits = reading.saturating_sub(first) >= LONGEST_WAIT;
        if waits
            && self.owner == Owner::Program
            && !std::mem::replace(&mut self.warned.missing, true)
        {
            tracing::warn!(
                "the transport's frames go on without `update`: call `update(now)` in each frame, between `receive` and \
                 `transmit`. Without it this end sends nothing, and its connections time out"
            );
        }
    }

    /// Warns once of a reading below the previous one, or of many equal readings: the program may pass the time since
    /// its last update.
    #[cold]
    fn warn_of_delta(&mut self, last: Duration, reading: Duration) {
        self.repeated = self.repeated.saturating_add(1);
        let went_back = reading < last;
        if self.warned.delta
            || self.owner != Owner::Program
            || !(went_back || self.repeated >= MOST_REPEATED)
        {
            return;
        }
        self.warned.delta = true;
        let fault = if went_back {
            "went back"
        } else {
            "stands still"
        };
        tracing::warn!(
            "the time of `update` {fault}, from {last:?} to {reading:?}: it is the time since a fixed moment, such as \
             `started.elapsed()`, and not the time since the last update"
        );
    }

    /// Returns the own time at a reading, or the step of a leap.
    #[inline]
    fn next(&self, reading: Duration) -> Result<Duration, Duration> {
        let step = reading.saturating_sub(self.last.unwrap_or(reading));
        let next = self.now.saturating_add(step);
        if step > LONGEST_STEP || next > LATEST {
            Err(step)
        } else {
            Ok(next)
        }
    }

    /// Gives the clock to a transport, or back to the program.
    pub fn hold(&mut self, held: bool) {
        self.owner = if held {
            Owner::Transport { warned: false }
        } else {
            Owner::Program
        };
        self.last = None;
    }

    /// Returns whether the program may advance the clock. Warns once if a transport holds it.
    #[inline]
    pub fn admits_program(&mut self) -> bool {
        let Owner::Transport { warned } = &mut self.owner else {
            return true;
        };
        if !std::mem::replace(warned, true) {
            tracing::warn!("`update` is ignored: the transport updates this end by its own clock");
        }
        false
    }

    /// Measures the rate of the program's updates. Warns once if it differs by more than a quarter from the
    /// setting `tick_rate`, twice in succession over 64 updates.
    #[inline]
    pub fn watch_pace(&mut self, tick_rate: u32) {
        if self.pace != Pace::Warned
            && let Some(rate) = self.other_pace(tick_rate)
        {
            tracing::warn!(
                "the program updates this end {rate:.1} times per second, and `tick_rate` is {tick_rate}: set \
                 `tick_rate` to the rate of the loop"
            );
            self.pace = Pace::Warned;
        }
    }

    /// Counts an update. Returns the rate of the last 64, if they and those before have a different rate than
    /// `tick_rate`.
    fn other_pace(&mut self, tick_rate: u32) -> Option<f64> {
        let now = self.now;
        let Pace::Measured {
            since,
            updates,
            other,
        } = &mut self.pace
        else {
            return None;
        };
        *updates += 1;
        if *updates <= MEASURED {
            return None;
        }
        let passed = now.saturating_sub(*since).as_secs_f64();
        (*since, *updates) = (now, 0);
        let rate = f64::from(MEASURED + 1) / passed;
        let ratio = rate / f64::from(tick_rate);
        // Without time a rate is unknown.
        let is_other = rate.is_finite() && !(0.8..=1.25).contains(&ratio);
        let was_other = std::mem::replace(other, is_other);
        (is_other && was_other).then_some(rate)
    }

    /// Returns the last step that was refused, once.
    #[inline]
    pub fn take_leap(&mut self) -> Option<Duration> {
        self.leap.take()
    }
}

/// Rate of units per second.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Time of a unit; 0 without a limit.
    unit: Duration,
}

impl Rate {
    /// Returns a rate. Only a positive, finite number is a limit.
    pub fn per_second(units: f64) -> Self {
        let unit = if units > 0.0 && units.is_finite() {
            Duration::try_from_secs_f64(units.recip()).unwrap_or(Duration::MAX)
        } else {
            Duration::ZERO
        };
        Self { unit }
    }
}

/// Allowance of a rate: a burst of a second, or of a unit if that takes longer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bucket {
    /// Time at which the allowance is full again.
    full: Duration,
}

/// Time in which a full allowance lasts at the rate.
const BURST: Duration = Duration::from_secs(1);

impl Bucket {
    /// Returns whether a unit is left.
    #[inline]
    pub fn has_room(&self, rate: Rate, now: Duration) -> bool {
        let used = { self.full }.saturating_sub(now).saturating_add(rate.unit);
        rate.unit.is_zero() || used <= BURST.max(rate.unit)
    }

    /// Uses units, left or not.
    #[inline]
    pub fn add(&mut self, units: u32, rate: Rate, now: Duration) {
        let used = rate.unit.saturating_mul(units);
        self.full = self.full.max(now).saturating_add(used);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Clock, Pace};

    /// Returns the first new rate that a clock finds in a number of updates.
    fn found(clock: &mut Clock, step: Duration, updates: u32, tick_rate: u32) -> Option<f64> {
        (0..updates).find_map(|_| {
            let now = clock.now() + step;
            clock.advance(now);
            clock.other_pace(tick_rate)
        })
    }

    #[test]
    fn updates_at_another_rate_than_the_setting_are_found() {
        let millis = Duration::from_millis;
        let find = |step, rate| found(&mut Clock::default(), step, 200, rate);
        assert_eq!(find(millis(20), 50), None);
        assert_eq!(find(millis(17), 50), None, "58.8 per second");
        assert_eq!(find(millis(20), 60), None);
        assert_eq!(find(millis(16), 30), Some(62.5));
        assert_eq!(find(millis(100), 30), Some(10.0));
        assert_eq!(find(Duration::ZERO, 30), None, "no time passes");
        assert_eq!(
            found(&mut Clock::default(), millis(16), 129, 30),
            None,
            "too few"
        );
        let mut paused = Clock::default();
        assert_eq!(found(&mut paused, millis(20), 50, 50), None);
        paused.advance(Duration::from_secs(9));
        assert_eq!(found(&mut paused, millis(20), 500, 50), None, "one pause");
    }

    #[test]
    fn warning_of_another_rate_comes_once() {
        let mut clock = Clock::default();
        for _ in 0..130 {
            clock.advance(clock.now() + Duration::from_millis(16));
            clock.watch_pace(30);
        }
        assert_eq!(clock.pace, Pace::Warned);
        assert_eq!(found(&mut clock, Duration::from_millis(16), 200, 30), None);
    }

    fn own_times(readings: &[u64]) -> Vec<u64> {
        let mut clock = Clock::default();
        let times = readings.iter().map(|reading| {
            let now = clock.advance(Duration::from_secs(*reading));
            assert_eq!(now, clock.now());
            now.as_secs()
        });
        times.collect()
    }

    #[test]
    fn own_time_follows_the_readings() {
        assert_eq!(own_times(&[0, 1, 1, 7]), [0, 1, 1, 7]);
        assert_eq!(own_times(&[100, 101]), [100, 101]);
    }

    #[test]
    fn reading_that_goes_back_stops_own_time_for_one_update() {
        assert_eq!(own_times(&[10, 4, 5, 12]), [10, 10, 11, 18]);
        assert_eq!(own_times(&[10, 0, 0, 3]), [10, 10, 10, 13]);
    }

    #[test]
    fn leap_stops_own_time_for_one_update() {
        let mut clock = Clock::default();
        let second = Duration::from_secs(1);
        assert_eq!(clock.advance(second), second);
        assert_eq!(clock.advance(Duration::MAX), second);
        assert!(clock.take_leap().is_some() && clock.take_leap().is_none());
        assert_eq!(clock.advance(second), second);
        assert_eq!(clock.advance(2 * second), 2 * second);
        assert_eq!(clock.take_leap(), None);
    }

    #[test]
    fn change_of_the_owner_adds_no_time() {
        let mut clock = Clock::default();
        let second = Duration::from_secs(1);
        clock.advance(100 * second);
        clock.hold(true);
        assert!(!clock.admits_program());
        assert_eq!(clock.at(2 * second), 100 * second);
        clock.advance(second);
        assert_eq!(clock.advance(3 * second), 102 * second);
        clock.hold(false);
        assert!(clock.admits_program());
        assert_eq!(clock.advance(5000 * second), 102 * second);
        assert_eq!(clock.advance(5001 * second), 103 * second);
    }

    #[test]
    fn own_time_goes_on_after_500_years_of_leaps() {
        let mut clock = Clock::default();
        for century in 1..20 {
            clock.advance(century * super::LONGEST_STEP);
        }
        assert!(clock.take_leap().is_some());
        assert_eq!(clock.now(), super::LATEST);
    }
}
