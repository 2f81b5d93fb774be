//! `SettledTicks`: ticks of which all changes are known.

/// Number of ticks that are recorded.
const RECORDED: u32 = 64;

/// Record of the last 64 ticks: a tick is settled if all its changes have arrived. A field without a change in a
/// settled tick rested then; in an unsettled tick, its change may be late or lost. Ticks are those of the wire.
///
/// ```
/// use syncvar::motion::SettledTicks;
///
/// let mut ticks = SettledTicks::default();
/// ticks.note(10, true, true);
/// ticks.note(13, true, true); // 11 and 12 had no changes
/// ticks.note(14, false, true);
/// assert_eq!(ticks.rested_until(11), 13);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettledTicks {
    newest: u32,
    /// Bit *i* for the tick *i* before the newest one.
    settled: u64,
}

impl SettledTicks {
    /// Record in which all ticks are settled: the record of the server.
    pub const ALL: Self = Self {
        newest: u32::MAX,
        settled: u64::MAX,
    };

    /// Records a tick, and whether it and the ticks since the previous record are settled. An earlier tick than the
    /// newest one is ignored.
    pub fn note(&mut self, tick: u32, settled: bool, settled_before: bool) {
        let Some(step) = tick.checked_sub(self.newest).filter(|step| *step > 0) else {
            return;
        };
        let between = if settled_before { u64::MAX } else { 0 };
        self.settled = match step {
            1..RECORDED => self.settled << step | (between & ((1 << step) - 1)),
            _ => between,
        };
        self.settled = self.settled & !1 | u64::from(settled);
        self.newest = tick;
    }

    /// Returns the newest recorded tick; 0 without one.
    pub fn newest(&self) -> u32 {
        self.newest
    }

    /// Returns whether all recorded ticks are settled.
    #[inline]
    pub fn are_all_settled(&self) -> bool {
        self.settled == u64::MAX
    }

    /// Returns the last tick up to which a value rested that had no change since `tick`. Ticks before the record
    /// count as settled.
    #[inline]
    pub fn rested_until(&self, tick: u32) -> u32 {
        if *self == Self::ALL {
            return u32::MAX;
        }
        let start = tick.max(self.newest.saturating_sub(RECORDED));
        match self.newest.checked_sub(start) {
            Some(ticks @ 1..=RECORDED) => {
                let run = (self.settled << (RECORDED - ticks)).leading_ones();
                start + run.min(ticks)
            }
            _ => tick,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_rests_until_the_first_unsettled_tick() {
        let mut ticks = SettledTicks::default();
        for tick in 1..=200 {
            ticks.note(tick, tick % 10 != 0, true);
        }
        assert_eq!(ticks.rested_until(191), 199);
        assert_eq!(ticks.rested_until(195), 199);
        assert_eq!(ticks.rested_until(199), 199);
        assert_eq!(ticks.rested_until(200), 200);
        assert_eq!(ticks.rested_until(250), 250);
        assert_eq!(ticks.rested_until(3), 139, "the record begins at 137");
    }

    #[test]
    fn ticks_without_packets_are_settled_unless_a_datagram_is_missing() {
        let mut ticks = SettledTicks::default();
        ticks.note(5, true, true);
        ticks.note(9, true, true);
        assert_eq!(ticks.rested_until(5), 9);
        ticks.note(12, false, false);
        assert_eq!(ticks.rested_until(5), 9);
        ticks.note(12, true, true);
        assert_eq!(ticks.rested_until(9), 9, "the first record stands");
        ticks.note(300, true, true);
        assert_eq!(ticks.rested_until(9), 300);
        ticks.note(400, true, false);
        assert_eq!(
            ticks.rested_until(301),
            336,
            "of the last 64 ticks, the newest is settled"
        );
    }
}
