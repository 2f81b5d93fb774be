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

    /// Continues the own time of an earlier run: the next reading adds no time.
    pub fn resume(&mut self, now: Duration) {
        self.now = now.min(LATEST);
        self.last = None;
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
mod tests;
