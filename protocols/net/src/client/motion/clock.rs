//! `ViewClock`: the time of the view, behind the arrivals of the server's ticks.
//!
//! ```text
//! own time ───────────────────────────────────────────────▶
//! tick T      │ lateness: mean, deviation │
//! sent ───────┴─────────────── arrives ───┴── delay ── shown
//!                                             │
//!                        interval, lost sample, 2 deviations
//! ```
//!
//! The lateness of a tick is the own time of its arrival less the time of the tick. Its mean follows the way, its deviation the jitter.
//! The view is behind the mean by one interval of samples, so that the next sample is known; by a second interval on a link that
//! loses ticks; and by two deviations. The clock follows at 19/20 to 21/20 of its speed, so that movement has no step.
//! A server limits the claims of views by the same three parts: see the room `rewind` of the server.

use std::time::Duration;

use arrayvec::ArrayVec;
use syncvar_runtime::motion::ticks_of;
use syncvar_runtime::time::micros;
use syncvar_runtime::unstable::clock::Slew;
use syncvar_runtime::unstable::object::Nanos;

/// The view runs at 19/20 to 21/20 of the clock's speed.
const SHARE: i64 = 20;

/// Deviations of the arrivals in the delay.
const DEVIATIONS: f64 = 2.0;

/// Share of unsettled ticks from which the delay covers the loss of a sample.
const LOSSY: f64 = 0.02;

/// Step of the lateness in microseconds that is a new clock, not jitter.
const LEAP: f64 = 1e6;

/// Time of the tick 0 in the view, in microseconds: the times of the first ticks less a delay are positive.
const START: f64 = 1e7;

/// Seconds of ticks whose lateness counts.
const MEMORY: f64 = 2.0;

/// Most ticks between two updates that count.
const MAX_NOTED: usize = 16;

/// Time of the view. Times are in microseconds of the own clock, ticks those of the wire.
#[derive(Debug, Default)]
pub(crate) struct ViewClock {
    /// Ticks per second; 0 before the first one.
    rate: u32,
    /// Ticks since the last update, whose packets are seen with the next one.
    noted: ArrayVec<(u32, bool), MAX_NOTED>,
    lateness: Option<Lateness>,
    /// Longest interval between two samples of a field, in nanoseconds.
    interval: Nanos,
    delay: f64,
    shown: Option<Slew>,
}

/// Own time of arrival less the time of the tick, averaged.
#[derive(Clone, Copy, Debug)]
struct Lateness {
    ticks: f64,
    mean: f64,
    variance: f64,
    /// Share of unsettled ticks.
    unsettled: f64,
}

impl Lateness {
    fn add(&mut self, sample: f64, settled: bool, rate: u32) {
        self.ticks += 1.0;
        let weight = 2.0 / (self.ticks.min(f64::from(rate) * MEMORY) + 1.0);
        let difference = sample - self.mean;
        self.mean += weight * difference;
        self.variance = (1.0 - weight) * (self.variance + weight * difference * difference);
        let unsettled = if settled { 0.0 } else { 1.0 };
        self.unsettled += weight * (unsettled - self.unsettled);
    }
}

impl ViewClock {
    /// Notes the arrival of a tick.
    pub(crate) fn note(&mut self, tick: u32, rate: u32, settled: bool) {
        if rate != self.rate {
            let interval = self.interval;
            *self = Self {
                rate,
                interval,
                ..Self::default()
            };
        }
        if !self.noted.is_full() {
            self.noted.push((tick, settled));
        }
    }

    /// Begins anew at a tick that has arrived now, behind a jump.
    pub(crate) fn restart(&mut self, tick: u32) {
        let (rate, interval) = (self.rate, self.interval);
        *self = Self {
            interval,
            ..Self::default()
        };
        if rate > 0 {
            self.note(tick, rate, true);
        }
    }

    /// Notes the send interval of a behaviour with interpolated fields.
    pub(crate) fn see_interval(&mut self, interval: Nanos) {
        self.interval = self.interval.max(interval);
    }

    /// Advances to the time of an update.
    pub(crate) fn advance(&mut self, now: Duration, most: Duration) {
        let own = whole(micros(now));
        for (tick, settled) in std::mem::take(&mut self.noted) {
            self.arrived(own - START - self.time_of(tick), settled);
        }
        let Some(lateness) = self.lateness else {
            return;
        };
        let interval = f64::from(ticks_of(self.interval, self.rate)) * self.tick_micros();
        let lost = (lateness.unsettled / LOSSY).min(1.0);
        let delay = interval * (1.0 + lost) + DEVIATIONS * lateness.variance.sqrt();
        self.delay = delay.min(whole(micros(most)));
        #[expect(clippy::cast_possible_truncation, reason = "microseconds of a run")]
        let ahead = -(lateness.mean + self.delay) as i64;
        match &mut self.shown {
            Some(shown) => shown.advance(now, ahead),
            None => {
                let shown = self.shown.insert(Slew::new(now, ahead));
                shown.set_share(SHARE);
            }
        }
    }

    fn arrived(&mut self, sample: f64, settled: bool) {
        let known = self.lateness.filter(|it| (sample - it.mean).abs() < LEAP);
        let mut lateness = known.unwrap_or(Lateness {
            ticks: 0.0,
            mean: sample,
            variance: 0.0,
            unsettled: 0.0,
        });
        lateness.add(sample, settled, self.rate);
        self.lateness = Some(lateness);
    }

    /// Returns the tick of the view at an own time, with its fraction.
    #[inline]
    pub(crate) fn tick_at(&self, now: Duration) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a run")]
        let shown = self.shown.as_ref()?.at(now) as f64;
        Some((shown - START) / self.tick_micros())
    }

    /// Returns the delay behind the mean arrival of a tick.
    pub(crate) fn delay(&self) -> Option<Duration> {
        self.shown?;
        Duration::try_from_secs_f64(self.delay / 1e6).ok()
    }

    /// Returns the ticks per second.
    pub(crate) fn tick_rate(&self) -> u32 {
        self.rate.max(1)
    }

    fn tick_micros(&self) -> f64 {
        1e6 / f64::from(self.tick_rate())
    }

    fn time_of(&self, tick: u32) -> f64 {
        f64::from(tick) * self.tick_micros()
    }
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of a run")]
fn whole(micros: u64) -> f64 {
    micros as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 50;
    const MOST: Duration = Duration::from_millis(500);

    /// Runs 20 ms ticks that arrive after a delay, with an update every millisecond. Returns the distances from the
    /// arrival of the newest tick to the view, in milliseconds, of the last half.
    fn run(
        ticks: u32,
        late: impl Fn(u32) -> u64,
        settled: impl Fn(u32) -> bool,
    ) -> (ViewClock, Vec<f64>) {
        let mut clock = ViewClock::default();
        let mut arrivals: Vec<(u64, u32)> = (1..ticks)
            .map(|tick| (u64::from(tick) * 20 + late(tick), tick))
            .collect();
        arrivals.sort_unstable();
        let mut pending = arrivals.into_iter().peekable();
        let mut last: Option<f64> = None;
        let mut behind = Vec::new();
        for now in 0..u64::from(ticks) * 20 {
            while let Some((_, tick)) = pending.next_if(|(at, _)| *at <= now) {
                clock.note(tick, RATE, settled(tick));
            }
            let own = Duration::from_millis(now);
            clock.advance(own, MOST);
            let Some(tick) = clock.tick_at(own) else {
                continue;
            };
            if let Some(last) = last {
                let speed = (tick - last) * 20.0;
                assert!((0.949..=1.051).contains(&speed), "{speed} at {now} ms");
            }
            last = Some(tick);
            if now > u64::from(ticks) * 10 {
                behind.push(whole(now) - tick * 20.0);
            }
        }
        (clock, behind)
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / whole(values.len() as u64)
    }

    #[test]
    fn view_is_one_interval_behind_steady_arrivals() {
        let (clock, behind) = run(400, |_| 80, |_| true);
        assert!((mean(&behind) - 100.0).abs() < 1.0, "{}", mean(&behind));
        assert_eq!(clock.delay().map(|delay| delay.as_millis()), Some(20));
    }

    #[test]
    fn delay_covers_jitter_and_loss_and_is_bounded() {
        let jitter = |tick: u32| 80 + u64::from(tick.wrapping_mul(2_654_435_761) >> 16) % 41;
        let (clock, behind) = run(1000, jitter, |_| true);
        // A deviation of 12 ms.
        let delay = clock.delay().unwrap().as_secs_f64() * 1e3;
        assert!((20.0 + 18.0..20.0 + 30.0).contains(&delay), "{delay}");
        assert!(
            (mean(&behind) - 100.0 - delay).abs() < 8.0,
            "{}",
            mean(&behind)
        );
        let (lossy, _) = run(1000, jitter, |tick| tick % 20 != 0);
        let lossy = lossy.delay().unwrap().as_secs_f64() * 1e3;
        assert!((delay + 10.0..delay + 25.0).contains(&lossy), "{lossy}");
        let bounded = clock.lateness.map(|lateness| ViewClock {
            lateness: Some(lateness),
            rate: RATE,
            ..ViewClock::default()
        });
        let mut bounded = bounded.unwrap();
        bounded.advance(Duration::from_secs(30), Duration::from_millis(30));
        assert_eq!(bounded.delay(), Some(Duration::from_millis(30)));
    }

    #[test]
    fn view_follows_a_longer_way_without_a_step() {
        let (_, behind) = run(2000, |tick| if tick < 900 { 50 } else { 120 }, |_| true);
        assert!((behind.last().unwrap() - 140.0).abs() < 5.0, "{behind:?}");
    }

    #[test]
    fn another_tick_rate_begins_anew() {
        let (mut clock, _) = run(100, |_| 0, |_| true);
        clock.see_interval(90_000_000);
        clock.note(100, 25, true);
        assert_eq!(clock.tick_at(Duration::from_secs(2)), None);
        clock.advance(Duration::from_secs(4), MOST);
        assert_eq!(ticks_of(90_000_000, 25), 3);
        assert_eq!(clock.tick_at(Duration::from_secs(4)), Some(97.0));
    }
}
