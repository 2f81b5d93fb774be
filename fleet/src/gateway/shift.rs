//! `TickShift`: ticks of a zone by the ticks of a gateway.

use std::time::Duration;

use syncvar_runtime::NetworkTime;

/// Ticks in a row after which the distance changes: a zone that is behind makes records late, a zone that is ahead costs delay alone.
const BEHIND: u32 = 16;
const AHEAD: u32 = 64;

/// Distance at which a new distance begins at once.
const FAR: i64 = 8;

/// Distance from the ticks of a gateway to the ticks of a zone. It is the same from tick to tick, so that the state of a tick has the
/// inputs of the tick; it changes when the clocks of the two drift apart.
#[derive(Debug, Default)]
pub(super) struct TickShift {
    shift: Option<i64>,
    behind: u32,
    ahead: u32,
}

impl TickShift {
    /// Notes the time of the zone whose records are due in a tick of the gateway.
    pub(super) fn note(&mut self, tick: u64, time: Duration, rate: u32) {
        let due = NetworkTime::new(time, rate).tick;
        let ideal = due.wrapping_sub(tick).cast_signed();
        let shift = self.shift.get_or_insert(ideal);
        let difference = ideal - *shift;
        self.behind = if difference < 0 { self.behind + 1 } else { 0 };
        self.ahead = if difference > 0 { self.ahead + 1 } else { 0 };
        if difference.abs() > FAR {
            *shift = ideal;
        } else if self.behind >= BEHIND {
            *shift -= 1;
        } else if self.ahead >= AHEAD {
            *shift += 1;
        } else {
            return;
        }
        (self.behind, self.ahead) = (0, 0);
    }

    /// Returns the distance.
    pub(super) fn get(&self) -> i64 {
        self.shift.unwrap_or_default()
    }

    /// Returns the tick of the zone in a tick of the gateway.
    pub(super) fn to_zone(&self, tick: u64) -> u64 {
        tick.saturating_add_signed(self.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(50);

    #[test]
    fn the_distance_stays_over_jitter_and_follows_a_drift() {
        let mut shift = TickShift::default();
        for tick in 100..200_u32 {
            let jitter = tick % 2;
            shift.note(tick.into(), TICK * (tick + 7 - jitter) + TICK / 10, 20);
            assert_eq!(shift.get(), 7);
        }
        for tick in 200..220_u32 {
            shift.note(tick.into(), TICK * (tick + 6) + TICK / 10, 20);
        }
        assert_eq!(shift.get(), 6);
        shift.note(220, TICK * 1220, 20);
        assert_eq!(shift.to_zone(220), 1220);
    }
}
