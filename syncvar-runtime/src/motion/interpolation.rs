//! `Interpolation`: the way from one sample of a field to the next.

use std::fmt;

use super::{Interpolate, Spherical};

/// Neighbours of a value between two samples.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a, T> {
    /// Sample before `from`, with the time from it to `from` as a share of the time from `from` to `to`; `None` if
    /// the value rested or jumped there.
    pub before: Option<(&'a T, f32)>,
    /// Sample before the value.
    pub from: &'a T,
    /// Sample after the value.
    pub to: &'a T,
}

/// Rules for the values of a field between its samples: `#[sync_var(interpolate = ...)]`.
///
/// ```
/// use std::time::Duration;
/// use syncvar::motion::Interpolation;
///
/// const POSITION: Interpolation<[f32; 3]> =
///     Interpolation::linear().extrapolate(Duration::from_millis(100)).snap(5.0);
/// ```
pub struct Interpolation<T> {
    between: fn(&Span<'_, T>, f32) -> T,
    distance: Option<fn(&T, &T) -> f32>,
    snap: f32,
    /// Whether it uses the sample before the two.
    curved: bool,
    /// Longest extrapolation in seconds.
    extrapolate: f32,
    /// Seconds of the samples of a server.
    history: f32,
}

impl<T> Clone for Interpolation<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Interpolation<T> {}

impl<T> fmt::Debug for Interpolation<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Interpolation");
        text.field("snap", &self.snap);
        text.field("extrapolate", &self.extrapolate);
        text.finish_non_exhaustive()
    }
}

impl<T: Clone> Interpolation<T> {
    /// Returns the sample whose time is nearest: for states, names and further values that are not interpolated.
    pub const fn nearest() -> Self {
        Self::by(|span, fraction| {
            if fraction < 0.5 {
                span.from.clone()
            } else {
                span.to.clone()
            }
        })
    }

    const fn by(between: fn(&Span<'_, T>, f32) -> T) -> Self {
        Self {
            between,
            distance: None,
            snap: f32::INFINITY,
            curved: false,
            extrapolate: 0.0,
            history: 0.0,
        }
    }
}

impl<T: Clone> Interpolation<T> {
    /// Moves on the straight line between two samples; over lost samples on a parabola, see [`over`](Self::over).
    pub const fn linear() -> Self
    where
        T: Interpolate,
    {
        Self::by(|span, fraction| span.from.linear(span.to, fraction)).measured()
    }

    /// Moves on a curve through the samples whose velocity is continuous: cubic Hermite, with the velocity of the
    /// last step at each sample.
    pub const fn hermite() -> Self
    where
        T: Interpolate,
    {
        let mut rules = Self::by(curve).measured();
        rules.curved = true;
        rules
    }

    /// Turns on the shorter way between two rotations, at a constant angular velocity.
    pub const fn spherical() -> Self
    where
        T: Spherical,
    {
        Self::by(|span, fraction| span.from.spherical(span.to, fraction)).measured()
    }

    const fn measured(mut self) -> Self
    where
        T: Interpolate,
    {
        self.distance = Some(T::distance);
        self
    }

    /// Continues the last step beyond the newest sample for a time, when the next sample is late.
    #[must_use]
    pub const fn extrapolate(mut self, time: std::time::Duration) -> Self {
        self.extrapolate = time.as_secs_f32();
        self
    }

    /// Jumps between two samples whose [distance](Interpolate::distance) is larger: a teleport.
    #[must_use]
    pub const fn snap(mut self, distance: f32) -> Self {
        self.snap = distance;
        self
    }

    /// Lets a server keep the samples of a time, for `NetworkServer::rewind`.
    #[must_use]
    pub const fn history(mut self, time: std::time::Duration) -> Self {
        self.history = time.as_secs_f32();
        self
    }
}

impl<T> Interpolation<T> {
    /// Returns the value at a fraction of a span.
    #[inline]
    pub fn between(&self, span: &Span<'_, T>, fraction: f32) -> T {
        (self.between)(span, fraction)
    }

    /// Returns the value at a fraction of a span whose `before` is `None`, except for [curved](Self::is_curved) ways and over
    /// lost samples.
    ///
    /// A straight way over lost samples cuts the corner of a turn: there it is a parabola through the three samples. It stays
    /// between the last two as long as the step before them, continued, ends nearer to `to` than `from` is; else the
    /// value has turned sharply, and the way is straight.
    pub fn over(&self, span: &Span<'_, T>, fraction: f32) -> T {
        let straight = self.between(span, fraction);
        let Some((before, share)) = span.before.filter(|_| !self.curved) else {
            return straight;
        };
        let continued = |fraction: f32| {
            let step = Span {
                before: None,
                from: before,
                to: span.from,
            };
            self.between(&step, 1.0 + fraction / share)
        };
        let distance = self.distance(span.from, span.to);
        if distance <= 0.0 || self.distance(&continued(1.0), span.to) > distance {
            return straight;
        }
        let way = Span {
            before: None,
            from: &continued(fraction),
            to: &straight,
        };
        self.between(&way, (share + fraction) / (share + 1.0))
    }

    /// Returns whether the way depends on [`Span::before`].
    #[inline]
    pub const fn is_curved(&self) -> bool {
        self.curved
    }

    /// Returns whether two successive samples are a jump.
    #[inline]
    pub fn is_jump(&self, from: &T, to: &T) -> bool {
        self.snap < f32::INFINITY && { self.distance }
            .is_some_and(|distance| distance(from, to) > self.snap)
    }

    /// Returns the number of ticks whose samples a server keeps.
    pub fn ticks_of_history(&self, tick_rate: u32) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates"
        )]
        let ticks = (f64::from(self.history) * f64::from(tick_rate)).ceil() as u32;
        ticks
    }

    /// Returns the distance between two values; 0 for values that are not interpolated.
    pub fn distance(&self, from: &T, to: &T) -> f32 {
        { self.distance }.map_or(0.0, |distance| distance(from, to))
    }

    /// Returns the longest extrapolation in seconds.
    pub const fn longest_extrapolation(&self) -> f32 {
        self.extrapolate
    }
}

/// Returns the point of a cubic curve, by de Casteljau. Its control points need straight lines alone, so that it
/// exists for each value that has them.
fn curve<T: Interpolate>(span: &Span<'_, T>, fraction: f32) -> T {
    const THIRD: f32 = 1.0 / 3.0;
    let (from, to) = (span.from, span.to);
    if !(0.0..=1.0).contains(&fraction) {
        return from.linear(to, fraction);
    }
    let leaving = match span.before {
        Some((before, share)) => before.linear(from, 1.0 + THIRD / share),
        None => from.linear(to, THIRD),
    };
    let arriving = from.linear(to, 1.0 - THIRD);
    let first = from.linear(&leaving, fraction);
    let middle = leaving.linear(&arriving, fraction);
    let last = arriving.linear(to, fraction);
    let (start, end) = (
        first.linear(&middle, fraction),
        middle.linear(&last, fraction),
    );
    start.linear(&end, fraction)
}
