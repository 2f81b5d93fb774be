//! `ViewTime`: the tick that a client shows, for behaviours of any send interval.

use super::{Moment, SettledTicks};
use crate::object::{Nanos, SlotInfo};

/// Tick that a client shows. Ticks are those of the wire.
#[derive(Clone, Copy, Debug)]
pub struct ViewTime<'a> {
    /// Tick, with its fraction.
    pub tick: f64,
    /// Ticks of which all changes are known.
    pub settled: &'a SettledTicks,
    /// Send interval of behaviours without one.
    pub default_interval: Nanos,
    /// Ticks per second.
    pub tick_rate: u32,
}

impl<'a> ViewTime<'a> {
    /// Returns the moment at which the tracks of a behaviour are read.
    #[inline]
    pub fn moment(&self, info: &SlotInfo) -> Moment<'a> {
        Moment {
            tick: self.tick,
            settled: self.settled,
            interval: ticks_of(info.interval(self.default_interval), self.tick_rate),
            tick_length: tick_length(self.tick_rate),
        }
    }
}

/// Returns the number of ticks from one delta of a behaviour with this send interval to the next.
#[inline]
pub fn ticks_of(interval: Nanos, tick_rate: u32) -> u32 {
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
