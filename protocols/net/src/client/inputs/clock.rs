//! `InputClock`: the time of the inputs, ahead of the server's.

use std::time::Duration;

use syncvar_runtime::NetworkTime;
use syncvar_runtime::clock::Slew;

use crate::client::clock::Clocks;

/// The clock runs at 19/20 to 21/20 of the own speed.
const SHARE: i64 = 20;

/// Least number of ticks by which the newest input shall be ahead of the used one.
const LEAD: i64 = 1;

/// Part of a tick by which a longer lead shrinks with each report.
const SHRINK: i64 = 4;

/// Largest correction in microseconds.
const MOST: i64 = 500_000;

/// Largest part of the deviation of round trips: a new path looks like a jitter.
const MOST_DEVIATION: Duration = Duration::from_millis(50);

/// Time of the inputs. Times are in microseconds.
#[derive(Debug, Default)]
pub(super) struct InputClock {
    shown: Option<Slew<SHARE>>,
    tick_rate: u32,
    correction: i64,
    /// Last tick before the clock has followed the last correction.
    followed: u64,
    /// Whether the clock has not followed it yet.
    follows: bool,
}

impl InputClock {
    /// Advances to the time of an update. Returns the tick that has begun last; `None` without an estimate of the
    /// server's time.
    pub(super) fn advance(&mut self, clocks: &Clocks) -> Option<u64> {
        let now = clocks.own.now();
        let (ahead, tick_rate) = clocks.server.lead()?;
        let (mean, deviation) = clocks.server.round_trip().unwrap_or_default();
        let way = micros(mean / 2 + (2 * deviation).min(MOST_DEVIATION));
        self.tick_rate = tick_rate.max(1);
        let ahead = ahead + way + self.tick_micros() + self.correction;
        let shown = self.shown.get_or_insert_with(|| Slew::new(now, ahead));
        shown.advance(now, ahead);
        let at = u64::try_from(shown.at(now)).unwrap_or_default();
        let tick = NetworkTime::new(Duration::from_micros(at), self.tick_rate).tick;
        let error = micros(now)
            .saturating_add(ahead)
            .saturating_sub(shown.at(now));
        if error.abs() < self.tick_micros() / 8 {
            if std::mem::take(&mut self.follows) {
                self.followed = tick;
            }
        } else {
            self.follows = true;
        }
        Some(tick)
    }

    /// Corrects the clock by the lead of the newest input in a used tick, unless it was that of an earlier correction.
    pub(super) fn correct(&mut self, tick: u64, lead: i64) {
        if self.follows || tick <= self.followed {
            return;
        }
        let missing = LEAD - lead;
        let tick = self.tick_micros();
        let step = if missing > 0 {
            missing * tick
        } else {
            missing.max(-1) * tick / SHRINK
        };
        self.correction = (self.correction + step).clamp(-MOST, MOST);
    }

    /// Returns the server's ticks per second; 0 before the first advance.
    pub(super) fn tick_rate(&self) -> u32 {
        self.tick_rate
    }

    /// Returns a time in ticks, with its fraction, and the ticks per second.
    pub(super) fn tick_at(&self, now: Duration) -> Option<(f64, u32)> {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a run")]
        let shown = self.shown.as_ref()?.at(now) as f64;
        Some((shown * f64::from(self.tick_rate) / 1e6, self.tick_rate))
    }

    fn tick_micros(&self) -> i64 {
        1_000_000 / i64::from(self.tick_rate.max(1))
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX / 2)
}
