//! `Track`: samples of a field by tick.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;

use super::correction::{Correction, moved};
use super::lag::Lag;
use super::{Interpolation, SettledTicks, Span};

/// Most samples of a client's track; the oldest samples go.
pub const MAX_SAMPLES: usize = 32;

/// Number of recent steps whose shortest one is the interval between two samples.
const RECENT_STEPS: usize = 4;

/// Moment at which values are read from tracks. Ticks are those of the wire.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Tick, with its fraction.
    pub tick: f64,
    /// Ticks of which all changes are known.
    pub settled: &'a SettledTicks,
    /// Ticks from one delta of the behaviour to the next, at least 1.
    pub interval: u32,
    /// Length of a tick in seconds.
    pub tick_length: f32,
}

/// Samples of a field, ascending by tick, and the rules for the values between them.
///
/// A value that changes after a rest was at rest until one interval before the change: the rest is not stretched
/// into a slow movement. [`SettledTicks`] tells a rest from lost samples.
///
/// ```
/// use syncvar::motion::{Interpolation, Moment, SettledTicks, Track};
///
/// let mut track = Track::new(Interpolation::<f32>::linear());
/// track.record(1, 0.0);
/// track.record(10, 4.0); // at rest from tick 1 to tick 9
/// let at = |tick| Moment { tick, settled: &SettledTicks::ALL, interval: 1, tick_length: 0.05 };
/// assert_eq!([5.0, 9.0, 9.5, 10.0].map(|tick| track.at(&at(tick))), [0.0, 0.0, 2.0, 4.0].map(Some));
/// ```
pub struct Track<T> {
    samples: VecDeque<(u32, T)>,
    rules: Interpolation<T>,
    correction: Option<Correction<T>>,
    lag: Option<Lag<T>>,
}

impl<T> fmt::Debug for Track<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ticks: Vec<u32> = self.samples.iter().map(|(tick, _)| *tick).collect();
        f.debug_struct("Track")
            .field("ticks", &ticks)
            .finish_non_exhaustive()
    }
}

/// A [`Track`] of any value.
pub trait AnyTrack: Any + Send + Sync + fmt::Debug {
    /// Drops all samples.
    fn clear(&mut self);

    /// Notes the value at a moment, before the samples are corrected.
    fn begin_correction(&mut self, moment: &Moment<'_>);

    /// Lets the difference from the noted value decay within some ticks. Returns its
    /// [distance](super::Interpolate::distance); 0 for values that are not interpolated.
    fn end_correction(&mut self, moment: &Moment<'_>, decay: f64) -> f32;
}

impl<T: Clone + Send + Sync + 'static> AnyTrack for Track<T> {
    fn clear(&mut self) {
        self.samples.clear();
        (self.correction, self.lag) = (None, None);
    }

    fn begin_correction(&mut self, moment: &Moment<'_>) {
        self.correction = self.at(moment).map(Correction::new);
    }

    fn end_correction(&mut self, moment: &Moment<'_>, decay: f64) -> f32 {
        let noted = self.correction.take();
        let (Some(noted), Some(value)) = (noted, self.sampled(moment)) else {
            return 0.0;
        };
        let size = self.rules.distance(noted.shown(), &value);
        if size > 0.0 && !self.rules.is_jump(noted.shown(), &value) {
            self.correction = Some(noted.from(value, moment.tick, decay));
        }
        size
    }
}

impl<T: Clone> Track<T> {
    /// Creates a track without samples.
    pub const fn new(rules: Interpolation<T>) -> Self {
        Self {
            samples: VecDeque::new(),
            rules,
            correction: None,
            lag: None,
        }
    }

    /// Adds a sample, in any order of the ticks. A second sample of a tick replaces the first one.
    pub fn record(&mut self, tick: u32, value: T) {
        let place = match self.samples.back() {
            Some((newest, _)) if *newest >= tick => {
                self.samples.binary_search_by_key(&tick, |(tick, _)| *tick)
            }
            _ => Err(self.samples.len()),
        };
        match place {
            Ok(at) => {
                if let Some(sample) = self.samples.get_mut(at) {
                    sample.1 = value;
                }
            }
            Err(0) if self.samples.len() >= MAX_SAMPLES => {}
            Err(mut at) => {
                if self.samples.len() >= MAX_SAMPLES {
                    self.samples.pop_front();
                    at -= 1;
                }
                self.samples.insert(at, (tick, value));
            }
        }
    }

    /// Adds a sample that may arrive after the view has passed the newest one. The view then returns to the way of the samples
    /// without a leap.
    pub fn record_seen(&mut self, tick: u32, value: T, view: &Moment<'_>) {
        let newest = self.samples.back().map(|(newest, _)| *newest);
        let held = newest.map_or(0.0, |newest| view.tick - f64::from(newest));
        if held <= 0.0 || newest >= Some(tick) {
            self.record(tick, value);
            return;
        }
        let shown = self.at(view);
        self.record(tick, value);
        self.lag = shown.map(|shown| Lag::new(shown, view.tick, held, view.tick_length));
    }

    /// Adds a sample on a server, which is the newest one, and drops those that are too old for the
    /// [history](Interpolation::history). The samples of a server whose ticks begin again are dropped.
    pub fn keep(&mut self, tick: u32, value: T, tick_rate: u32) {
        let oldest = tick.saturating_sub(self.rules.ticks_of_history(tick_rate));
        while { self.samples.get(1) }.is_some_and(|(next, _)| *next <= oldest) {
            self.samples.pop_front();
        }
        match self.samples.back_mut() {
            Some((newest, sample)) if *newest == tick => *sample = value,
            Some((newest, _)) if *newest > tick => {
                self.samples.clear();
                self.samples.push_back((tick, value));
            }
            _ => self.samples.push_back((tick, value)),
        }
    }

    /// Returns the sample of a tick.
    pub fn sample(&self, tick: u32) -> Option<&T> {
        let place = self.samples.binary_search_by_key(&tick, |(tick, _)| *tick);
        Some(&self.samples.get(place.ok()?)?.1)
    }

    /// Returns the newest sample.
    pub fn newest(&self) -> Option<&T> {
        self.samples.back().map(|(_, value)| value)
    }

    /// Returns the value at a moment: before the first sample the first one, after the newest sample the newest one
    /// or an extrapolation. `None` without samples.
    pub fn at(&self, moment: &Moment<'_>) -> Option<T> {
        let value = self.sampled(moment)?;
        if let Some(lag) = &self.lag
            && let Some(rest) = lag.rest(moment.tick)
        {
            return Some(self.behind(value, lag, rest, moment));
        }
        Some(match &self.correction {
            Some(correction) => correction.apply(value, moment.tick, &self.rules),
            None => value,
        })
    }

    /// Returns a value with the rest of a lag. Whether the value rested in the gap is known only after the tick of the sample,
    /// so the way from the samples is computed anew.
    fn behind(&self, value: T, lag: &Lag<T>, rest: f64, moment: &Moment<'_>) -> T {
        let begin = Moment {
            tick: lag.tick,
            ..*moment
        };
        match self.sampled(&begin) {
            Some(sampled)
                if !self.rules.is_jump(&lag.shown, &sampled)
                    && self.rules.distance(&lag.shown, &sampled) > 0.0 =>
            {
                moved(&value, &sampled, &lag.shown, share(rest), &self.rules)
            }
            _ => value,
        }
    }

    fn sampled(&self, moment: &Moment<'_>) -> Option<T> {
        let mut at = self.samples.len().checked_sub(1)?;
        while at > 0
            && self
                .samples
                .get(at)
                .is_some_and(|sample| f64::from(sample.0) > moment.tick)
        {
            at -= 1;
        }
        let (tick, value) = self.samples.get(at)?;
        if f64::from(*tick) >= moment.tick {
            return Some(value.clone());
        }
        let Some((next, to)) = self.samples.get(at + 1) else {
            return Some(self.beyond(at, *tick, value, moment));
        };
        if self.rules.is_jump(value, to) {
            return Some(value.clone());
        }
        let start = self.start_of_step(at, *next, moment);
        if moment.tick <= f64::from(start) {
            return Some(value.clone());
        }
        let length = short(next - start);
        let is_gap =
            *next > start.saturating_add(1) && *next - start > self.interval(moment.interval);
        let bends = start == *tick && (self.rules.is_curved() || is_gap);
        let before = bends.then(|| self.step_before(at, moment)).flatten();
        let span = Span {
            before: before.map(|(before, ticks)| (before, ticks / length)),
            from: value,
            to,
        };
        let fraction = share(moment.tick - f64::from(start)) / length;
        Some(self.rules.over(&span, fraction))
    }

    /// Returns the tick at which the step from a sample to the next one begins.
    fn start_of_step(&self, at: usize, next: u32, moment: &Moment<'_>) -> u32 {
        let Some((tick, _)) = self.samples.get(at) else {
            return next;
        };
        if next <= tick.saturating_add(1) {
            return *tick;
        }
        let rest = next.saturating_sub(self.interval(moment.interval));
        let rest = rest.min(moment.settled.rested_until(*tick));
        rest.clamp(*tick, next.saturating_sub(1).max(*tick))
    }

    /// Returns the sample before a sample, and the ticks of the step between the two; none after a rest or
    /// a jump.
    fn step_before(&self, at: usize, moment: &Moment<'_>) -> Option<(&T, f32)> {
        let ((tick, value), (before, from)) =
            (self.samples.get(at)?, self.samples.get(at.checked_sub(1)?)?);
        let start = self.start_of_step(at - 1, *tick, moment);
        let is_step = start == *before && !self.rules.is_jump(from, value);
        is_step.then(|| (from, short(tick - start)))
    }

    /// Returns the value after the newest sample, which is at this place.
    fn beyond(&self, at: usize, tick: u32, value: &T, moment: &Moment<'_>) -> T {
        let limit = self.rules.longest_extrapolation() / moment.tick_length;
        if limit <= 0.0 {
            return value.clone();
        }
        let interval = self.interval(moment.interval);
        let rests = moment.settled.rested_until(tick) >= tick.saturating_add(interval);
        let step = self.step_before(at, moment);
        let Some((from, ticks)) = step.filter(|_| !rests) else {
            return value.clone();
        };
        let further = share(moment.tick - f64::from(tick)).min(limit);
        let span = Span {
            before: None,
            from,
            to: value,
        };
        self.rules.between(&span, 1.0 + further / ticks)
    }

    /// Returns the interval between two samples: the shortest recent interval, at most that of the behaviour.
    fn interval(&self, most: u32) -> u32 {
        let ticks = self.samples.iter().rev().map(|(tick, _)| *tick);
        let earlier = ticks.clone().skip(1);
        let steps = ticks.zip(earlier).take(RECENT_STEPS);
        let shortest = steps
            .map(|(tick, earlier)| tick.saturating_sub(earlier))
            .min();
        shortest.unwrap_or(most).min(most).max(1)
    }
}

/// Returns a number of ticks of a step, which is small.
#[expect(clippy::cast_precision_loss, reason = "an interpolated step is short")]
fn short(ticks: u32) -> f32 {
    ticks as f32
}

#[expect(clippy::cast_possible_truncation, reason = "the nearest")]
fn share(ticks: f64) -> f32 {
    ticks as f32
}

#[cfg(test)]
mod tests;
