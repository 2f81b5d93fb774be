//! `Slew`: a time that follows an estimate without a step.

use std::time::Duration;

use crate::time::micros;

/// Lead of the estimate, in microseconds, from which the time jumps; it approaches a smaller lead.
const LEAP: i64 = 250_000;

/// Latest time, in microseconds: 146 000 years.
const LATEST: i64 = i64::MAX / 2;

/// Part of the speed by which the shown time is steered.
const SHARE: i64 = 8;

/// Time of a remote clock by the own time: steady, and never back.
///
/// The estimate is the remote clock's lead over the own time. The shown time runs at 9/8 of the own
/// speed while it is behind the estimate, and at 7/8 while it is ahead: at 1/8 from 250 ms on. A shown
/// time that is more than 250 ms behind jumps. A [share](Self::set_share) replaces the eighth.
///
/// A new estimate counts from the next [`advance`](Self::advance) on, so that [`at`](Self::at) is
/// continuous for a program that asks between two estimates.
#[derive(Clone, Copy, Debug)]
pub struct Slew {
    /// Own time of the last advance, in microseconds like all numbers here.
    base: i64,
    /// Shown time at `base`.
    shown: i64,
    /// Lead that `at` approaches.
    ahead: i64,
    share: i64,
}

impl Slew {
    /// Returns a time with a first estimate.
    pub fn new(now: Duration, ahead: i64) -> Self {
        let base = own(now);
        let shown = base.saturating_add(ahead).max(0);
        Self {
            base,
            shown,
            ahead,
            share: SHARE,
        }
    }

    /// Sets the part of the speed by which the time is steered, from the last advance on: 20 is a twentieth.
    pub fn set_share(&mut self, share: i64) {
        self.share = share.max(1);
    }

    /// Returns the shown time at an own time, in microseconds. At a time before the last advance it is
    /// that of the last advance.
    pub fn at(&self, now: Duration) -> i64 {
        let step = own(now).saturating_sub(self.base).max(0);
        let error = self.error();
        let most = step / self.share;
        let slowest = if error < -LEAP {
            step.saturating_sub(most)
        } else {
            most
        };
        let correction = error.clamp(-slowest, most);
        self.shown.saturating_add(step).saturating_add(correction)
    }

    /// Advances to an own time, and takes a new estimate.
    pub fn advance(&mut self, now: Duration, ahead: i64) {
        self.shown = self.at(now);
        (self.base, self.ahead) = (self.base.max(own(now)), ahead);
        let error = self.error();
        if error > LEAP {
            self.shown = self.shown.saturating_add(error);
        }
    }

    /// Returns the distance from the shown time to the estimate.
    fn error(&self) -> i64 {
        let estimate = self.base.saturating_add(self.ahead);
        estimate.saturating_sub(self.shown)
    }
}

fn own(now: Duration) -> i64 {
    i64::try_from(micros(now)).unwrap_or(LATEST).min(LATEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    #[test]
    fn small_error_is_slewed_and_a_large_one_jumps() {
        let mut slew = Slew::new(at(0), 1_000);
        slew.advance(at(0), 11_000);
        assert_eq!(
            [0, 8_000, 80_000, 90_000].map(|now| slew.at(at(now))),
            [1_000, 10_000, 91_000, 101_000]
        );
        slew.advance(at(80_000), 300_000);
        assert_eq!(slew.at(at(80_000)), 380_000);
    }

    #[test]
    fn time_far_ahead_keeps_moving() {
        let mut slew = Slew::new(at(0), 1_000_000);
        slew.advance(at(0), 0);
        assert_eq!(slew.at(at(8_000)), 1_001_000);
        slew.advance(at(8_000), 900_000);
        assert_eq!(slew.at(at(16_000)), 1_008_000);
    }

    #[test]
    fn another_share_steers_faster() {
        let mut slew = Slew::new(at(0), 100_000);
        slew.set_share(2);
        slew.advance(at(0), 0);
        assert_eq!(slew.at(at(100_000)), 150_000);
        assert_eq!(slew.at(at(300_000)), 300_000);
    }

    #[test]
    fn frames_between_updates_advance_by_seven_to_nine_eighths() {
        let leads = [0, 120_000, -200_000, 249_000, 3, -4, 90_000, -90_000];
        for frame in [100, 1_001, 6_944, 20_000] {
            let mut slew = Slew::new(at(0), 1_000_000);
            let (mut now, mut last) = (0, 1_000_000);
            for lead in leads.into_iter().cycle().take(200) {
                slew.advance(at(now), 1_000_000 + lead / 2);
                for _ in 0..3 {
                    now += frame;
                    let next = slew.at(at(now));
                    let eighths = u64::try_from(8 * (next - last)).unwrap();
                    assert!((frame * 7 - 8..=frame * 9 + 8).contains(&eighths));
                    last = next;
                }
            }
        }
    }
}
