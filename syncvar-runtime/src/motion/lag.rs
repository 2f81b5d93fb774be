//! `Lag`: distance of a shown value behind its samples, after a gap in them.

/// Longest return in seconds.
const LONGEST: f64 = 0.3;

/// Value that a view held because its next sample was late. The view returns to the way of the samples in the time for which
/// it was held, at about twice the speed of the value. Ticks are those of the wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lag<T> {
    /// Value at the arrival of the sample.
    pub(super) shown: T,
    /// Tick of the view at this arrival.
    pub(super) tick: f64,
    /// Ticks of the return.
    length: f64,
}

impl<T> Lag<T> {
    /// Returns the lag of a view that has been held for some ticks of a length in seconds.
    pub(super) fn new(shown: T, tick: f64, held: f64, tick_length: f32) -> Self {
        let length = held.min(LONGEST / f64::from(tick_length));
        Self {
            shown,
            tick,
            length,
        }
    }

    /// Returns the share of the lag that is left at a tick; `None` after the return.
    pub(super) fn rest(&self, tick: f64) -> Option<f64> {
        let rest = 1.0 - (tick - self.tick).max(0.0) / self.length;
        (rest > 0.0).then_some(rest)
    }
}
