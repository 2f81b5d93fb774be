//! `Leads`: the leads over the own time that the inputs of the last seconds needed.

use std::collections::VecDeque;

use arrayvec::ArrayVec;

/// Periods per second.
const PERIODS: u64 = 4;

/// Periods that count: those of thirty seconds, of which the last one and a half decide what is an outlier.
const KEPT: usize = 120;
const RECENT: usize = 6;

/// Place of the usual lead among the recent ones, the longest first: two periods are an outlier, and three a new path.
const USUAL: usize = 2;

/// Longest jitter in microseconds, and longest repetition of a lost packet besides. Longer delays are outliers.
const JITTER: i64 = 250_000;

/// Jitter in microseconds that counts as long as it is kept, and half of a repetition besides: two lost datagrams in
/// succession cost a tick.
const SMALL_JITTER: i64 = 50_000;

/// Periods with a longer jitter that count for nothing: a single delay of the link is over before the clock has followed it.
const SINGLE: usize = 4;

/// Microseconds that a longer jitter loses with each later period: two seconds end it with datagrams. On a stream, where the
/// repetitions of lost packets are rare and long, it lasts.
const FADING_BY_DATAGRAM: i64 = 30_000;
const FADING_ON_STREAM: i64 = 3_000;

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
        if self.longest.len() > KEPT {
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
        let leads = || self.longest.iter().rev().map(|(_, lead)| *lead);
        let mut recent: ArrayVec<i64, RECENT> = leads().take(RECENT).collect();
        recent.sort_unstable_by(|a, b| b.cmp(a));
        let usual = *recent.get(USUAL)?;
        let repeated = repetition.unwrap_or_default().min(JITTER);
        let most = usual + JITTER + repeated;
        let small = usual + SMALL_JITTER + repeated / 2;
        let fading = repetition.map_or(FADING_BY_DATAGRAM, |_| FADING_ON_STREAM);
        let faded = |(age, lead): (i64, i64)| lead.min(small.max(lead - age * fading));
        let counted = (0..).zip(leads()).filter(|(_, lead)| *lead <= most);
        let mut counted: ArrayVec<i64, KEPT> = counted.map(faded).collect();
        let longest = counted.iter().copied().max()?;
        let recurring = if counted.len() > SINGLE {
            *counted.select_nth_unstable_by(SINGLE, |a, b| b.cmp(a)).1
        } else {
            usual
        };
        Some(recurring.max(longest.min(small)))
    }
}
