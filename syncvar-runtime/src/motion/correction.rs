//! `Correction`: the visible error of corrected samples, which decays.

use super::{Interpolation, Span};

/// Share of an error that is left when it has decayed.
const REST: f64 = 0.01;

/// Error of a value after a correction of its samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Correction<T> {
    shown: T,
    /// Value after the correction, at this moment; `None` before it.
    since: Option<(T, f64)>,
    /// Ticks within which the error decays.
    decay: f64,
}

impl<T> Correction<T> {
    pub(super) fn new(shown: T) -> Self {
        Self {
            shown,
            since: None,
            decay: 0.0,
        }
    }

    /// Returns the value before the correction.
    pub(super) fn shown(&self) -> &T {
        &self.shown
    }

    /// Returns the error of a corrected value at a tick.
    pub(super) fn from(self, corrected: T, tick: f64, decay: f64) -> Self {
        Self {
            since: Some((corrected, tick)),
            decay,
            ..self
        }
    }
}

impl<T: Clone> Correction<T> {
    /// Adds the error to a value.
    #[expect(clippy::cast_possible_truncation, reason = "the nearest")]
    pub(super) fn apply(&self, value: T, tick: f64, rules: &Interpolation<T>) -> T {
        let Some((corrected, since)) = &self.since else {
            return value;
        };
        let share = REST.powf((tick - since).max(0.0) / self.decay.max(f64::MIN_POSITIVE));
        if share <= REST {
            return value;
        }
        moved(&value, corrected, &self.shown, share as f32, rules)
    }
}

/// Moves a value by a share of the way from a corrected value to a shown value.
pub(super) fn moved<T: Clone>(
    value: &T,
    corrected: &T,
    shown: &T,
    share: f32,
    rules: &Interpolation<T>,
) -> T {
    let way = |from: &T, to: &T, fraction| {
        let span = Span {
            before: None,
            from,
            to,
        };
        rules.between(&span, fraction)
    };
    // Straight lines alone exist for each value: the corrected one is moved by twice the way to a middle.
    let erroneous = way(corrected, shown, share);
    let middle = way(&erroneous, value, 0.5);
    way(corrected, &middle, 2.0)
}

#[cfg(test)]
mod tests {
    use crate::motion::{AnyTrack, Interpolation, Moment, SettledTicks, Track};

    fn at(tick: f64) -> Moment<'static> {
        Moment {
            tick,
            settled: &SettledTicks::ALL,
            interval: 1,
            tick_length: 0.05,
        }
    }

    fn corrected(rules: Interpolation<f32>) -> (Track<f32>, f32) {
        let mut track = Track::new(rules);
        for tick in 1..=5 {
            track.record(tick, 0.0);
        }
        track.begin_correction(&at(4.5));
        for tick in 1..=20_u8 {
            track.record(tick.into(), f32::from(tick));
        }
        let size = track.end_correction(&at(4.5), 4.0);
        (track, size)
    }

    #[test]
    fn an_error_decays_from_the_shown_value() {
        let (track, size) = corrected(Interpolation::linear());
        assert!((size - 4.5).abs() < 1e-6);
        let value = |tick| track.at(&at(tick)).unwrap();
        assert!(value(4.5).abs() < 1e-5);
        let errors = [5.0, 6.0, 7.0, 8.0].map(|tick: f32| tick - value(tick.into()));
        assert!(errors.is_sorted_by(|a, b| a > b), "{errors:?}");
        assert!((errors[1] - 4.5 * 0.01_f32.powf(1.5 / 4.0)).abs() < 1e-4);
        assert!((value(8.5) - 8.5).abs() < 1e-6);
    }

    #[test]
    fn a_jump_is_shown_at_once() {
        let (track, size) = corrected(Interpolation::linear().snap(2.0));
        assert_eq!((size, track.at(&at(4.5))), (4.5, Some(4.5)));
        let (track, size) = corrected(Interpolation::nearest());
        assert_eq!((size, track.at(&at(4.6))), (0.0, Some(5.0)));
    }
}
