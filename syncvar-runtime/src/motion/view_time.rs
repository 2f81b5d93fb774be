//! `ViewTime`: the tick that a client shows, for behaviours of any send interval.

use super::{Moment, SettledTicks};

/// Tick that a client shows. Ticks are those of the wire.
#[derive(Clone, Copy, Debug)]
pub struct ViewTime<'a> {
    /// Tick, with its fraction.
    pub tick: f64,
    /// Ticks of which all changes are known.
    pub settled: &'a SettledTicks,
    /// Send interval of behaviours without one, in nanoseconds.
    pub default_interval: u64,
    /// Ticks per second.
    pub tick_rate: u32,
}

impl<'a> ViewTime<'a> {
    /// Returns the moment at which the tracks of a behaviour are read, with its send interval in nanoseconds.
    #[inline]
    pub fn moment(&self, send_interval: Option<u64>) -> Moment<'a> {
        let interval = send_interval.unwrap_or(self.default_interval);
        Moment {
            tick: self.tick,
            settled: self.settled,
            interval: ticks_of(interval, self.tick_rate),
            tick_length: tick_length(self.tick_rate),
        }
    }
}

/// Returns the number of ticks from one delta of a behaviour with this send interval, in nanoseconds, to the next.
#[inline]
pub fn ticks_of(interval: u64, tick_rate: u32) -> u32 {
    let ticks = interval.saturating_mul(tick_rate.into()) / 1_000_000_000;
    u32::try_from(ticks).unwrap_or(u32::MAX).saturating_add(1)
}

/// Returns the length of a tick in seconds.
#[inline]
pub fn tick_length(tick_rate: u32) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the nearest")]
    let length = f64::from(tick_rate).recip() as f32;
    length
}
