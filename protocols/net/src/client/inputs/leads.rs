//! `Leads`: the leads over the own time that the inputs of the last seconds needed.

use std::collections::VecDeque;

/// Periods per second.
const PERIODS: u64 = 4;

/// Periods that count: eight seconds on a stream, where the repetition of a lost packet is rare and long, and two with datagrams.
/// Those of the last one and a half seconds decide what is an outlier.
const ON_STREAM: usize = 32;
const BY_DATAGRAM: usize = 8;
const RECENT: usize = 6;

/// Microseconds that a lead loses with each later period.
const FADING: usize = 3_000;

/// Place of the usual lead among the recent ones, the longest first: two periods are an outlier, and three a new path.
const USUAL: usize = 2;

/// Longest jitter in microseconds, and longest repetition of a lost packet besides. Longer delays are outliers.
const JITTER: i64 = 250_000;

/// Leads over the own time that inputs needed to be in time, in microseconds: the longest one of each period.
///
/// A stalled loop or link delays all inputs of its duration, and no earlier clock would have helped: it is an outlier. Jitter and
/// repetitions on a stream recur.
#[derive(Debug, Default)]
pub(super) struct Leads {
    /// Number of the period and its lead.
    longest: VecDeque<(u64, i64)>,
}

impl Leads {
    /// Notes the lead that an input needed.
    pub(super) fn add(&mut self, tick: u64, tick_rate: u32, needed: i64) {
        let period = tick.saturating_mul(PERIODS) / u64::from(tick_rate.max(1));
        match self.longest.back_mut() {
            Some((last, longest)) if *last >= period => *longest = needed.max(*longest),
            _ => self.longest.push_back((period, needed)),
        }
        if self.longest.len() > ON_STREAM {
            self.longest.pop_front();
        }
    }

    /// Makes a lead that of the last periods, after refused inputs.
    pub(super) fn reset(&mut self, tick: u64, tick_rate: u32, needed: i64) {
        self.longest.clear();
        for before in (0..=USUAL).rev() {
            let ticks = before as u64 * u64::from(tick_rate) / PERIODS;
            self.add(tick.saturating_sub(ticks), tick_rate, needed);
        }
    }

    /// Returns the lead that inputs need; `None` without enough of them. `repetition` is the time in which a stream repeats a
    /// lost packet.
    pub(super) fn needed(&self, repetition: Option<i64>) -> Option<i64> {
        let recent = self.longest.iter().rev().take(RECENT);
        let mut recent: Vec<i64> = recent.map(|(_, lead)| *lead).collect();
        recent.sort_unstable_by(|a, b| b.cmp(a));
        let most = recent.get(USUAL)? + JITTER + repetition.unwrap_or_default().min(JITTER);
        let kept = repetition.map_or(BY_DATAGRAM, |_| ON_STREAM);
        let leads = self.longest.iter().rev().take(kept).map(|(_, lead)| *lead);
        let faded = leads.zip((0..).step_by(FADING));
        let counted = faded.filter(|(lead, _)| *lead <= most);
        counted.map(|(lead, faded)| lead - faded).max()
    }
}
