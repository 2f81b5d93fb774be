//! `InputClock`: the time of the inputs, ahead of the server's time.
//!
//! An input shall arrive just before the server uses the input of its tick. So the ticks of the inputs begin on a clock that is
//! ahead of the server's clock by the way of a packet and a margin:
//!
//! ```text
//! client   begin of tick T ──╲ way, jitter
//!                             ╲
//! server            input of T arrives ── lead ── T is used
//!                                           │
//! client   clock at begin + (1 - lead) ◀────┘ InputState, at least 4 times a second
//!          = the lead that T needed ──▶ Leads ──▶ target ──▶ Slew
//! ```
//!
//! The first target is an estimate: half of the round trip, two deviations and a tick. Then the reports of the server decide. A report
//! names a tick and the distance between the newest input and that tick; `begun` has the lead of the clock at the begin of that
//! input, so the correction is right for any steering in between. [`Leads`] keeps the needed leads of thirty seconds: a long lead that recurs is
//! jitter and raises the target, a single long lead is a stall and does not.
//!
//! Ticks that begin in a stall of this client are late by that stall, and do not count. The clock is steered by a twentieth of
//! its speed, so that ticks have almost equal lengths; a clock that is far ahead falls at half of its speed, and a jump forward closes a
//! distance of more than 250 ms.

use std::ops::Range;
use std::time::Duration;

use syncvar_runtime::NetworkTime;
use syncvar_runtime::unstable::clock::Slew;

use super::leads::Leads;
use crate::client::clock::Clocks;

/// The clock runs at 19/20 to 21/20 of the own speed: too far ahead by 50 ms at half of it, and by 250 ms at a twentieth.
const SHARE: i64 = 20;
const FALLING: i64 = 2;
const FAR_AHEAD: Range<i64> = 50_000..250_000;

/// Least number of ticks by which the newest input shall be ahead of the used one.
const LEAD: i64 = 1;

/// Largest distance in microseconds from the estimate by round trips.
const MOST: i64 = 500_000;

/// Largest part of the deviation of round trips: a new path looks like a jitter.
const MOST_DEVIATION: Duration = Duration::from_millis(50);

/// Number of ticks whose begin is known.
const BEGUN: u64 = 128;

/// Time of the inputs. Times are in microseconds.
///
/// The server reports by how many ticks an input was ahead of its use, or late. The lead that the clock had over the own time
/// at the begin of that input then gives the lead that the input needed, whatever the clock has done since.
#[derive(Debug, Default)]
pub(super) struct InputClock {
    shown: Option<Slew>,
    tick_rate: u32,
    updates: Updates,
    /// Last ticks, at their number modulo `BEGUN`, and the lead of the clock at their begin.
    begun: Vec<(u64, i64)>,
    leads: Leads,
}

/// Times between the updates of this client.
#[derive(Debug, Default)]
struct Updates {
    last: i64,
    usual: i64,
    /// Newest tick that has begun in a stall of this client.
    stalled: u64,
}

impl Updates {
    /// Notes an update. Returns whether the client has stalled before it.
    fn note(&mut self, now: i64, tick: i64) -> bool {
        let step = now.saturating_sub(std::mem::replace(&mut self.last, now));
        let longest = 2 * self.usual + tick;
        self.usual = (self.usual - self.usual / 8).max(step.min(longest));
        step > longest
    }
}

impl InputClock {
    /// Advances to the time of an update. Returns the tick that has begun last; `None` without an estimate of the
    /// server's time. `on_stream` inputs wait for the repetition of lost packets.
    pub(super) fn advance(&mut self, clocks: &Clocks, on_stream: bool) -> Option<u64> {
        let now = clocks.own.now();
        let (server, tick_rate) = clocks.server.lead()?;
        let (mean, deviation) = clocks.server.round_trip().unwrap_or_default();
        self.tick_rate = tick_rate.max(1);
        let (trip, jitter) = (micros(mean), micros((2 * deviation).min(MOST_DEVIATION)));
        let tick = self.tick_micros();
        let estimate = server + trip / 2 + jitter + tick;
        let needed = self
            .leads
            .needed(on_stream.then_some(trip))
            .unwrap_or(estimate);
        let needed = needed.clamp(server - MOST, server + trip + MOST);
        let shown = self.shown.get_or_insert_with(|| Slew::new(now, needed));
        // A tick begins in the same update with any lead within the time between two updates: a lead that is longer by less
        // stays, or else it would swing by a tick for ever.
        let present = shown.at(now) - micros(now);
        let is_near = (needed..needed + self.updates.usual.min(tick)).contains(&present);
        let ahead = if is_near { present } else { needed };
        shown.advance(now, ahead);
        let time = shown.at(now);
        let is_falling = FAR_AHEAD.contains(&(time - micros(now) - ahead));
        shown.set_share(if is_falling { FALLING } else { SHARE });
        let time = Duration::from_micros(u64::try_from(time).unwrap_or_default());
        let newest = NetworkTime::new(time, self.tick_rate).tick;
        if self.updates.note(micros(now), tick) {
            self.updates.stalled = newest;
        }
        Some(newest)
    }

    /// Notes the ticks that begin with an update. The ticks of a stall are late because of the stall: they say nothing about the way.
    pub(super) fn note_begin(&mut self, ticks: Range<u64>) {
        let Some(shown) = &self.shown else {
            return;
        };
        let now = Duration::from_micros(u64::try_from(self.updates.last).unwrap_or_default());
        let ahead = shown.at(now).saturating_sub(self.updates.last);
        self.begun.resize(place(BEGUN - 1) + 1, (0, 0));
        for tick in ticks.filter(|tick| *tick > self.updates.stalled) {
            self.begun[place(tick)] = (tick, ahead);
        }
    }

    /// Takes the lead of an input over a used tick that the server has reported. After `refused` inputs it counts alone.
    pub(super) fn correct(&mut self, tick: u64, lead: i64, refused: bool) {
        let input = tick.saturating_add_signed(lead);
        let begun = self.begun.get(place(input));
        let Some((_, ahead)) = begun.filter(|(begun, _)| *begun == input && input > 0) else {
            return;
        };
        let needed = ahead + (LEAD - lead) * self.tick_micros();
        if refused {
            self.leads.reset(input, self.tick_rate, needed);
        } else {
            self.leads.add(input, self.tick_rate, needed);
        }
    }

    /// Returns the server's ticks per second; 0 before the first advance.
    pub(super) fn tick_rate(&self) -> u32 {
        self.tick_rate
    }

    /// Returns a time in ticks, with its fraction, and the ticks per second.
    pub(super) fn tick_at(&self, now: Duration) -> Option<(f64, u32)> {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a run")]
        let shown = self.shown.as_ref()?.at(now) as f64;
        Some((shown * f64::from(self.tick_rate) / 1e6, self.tick_rate))
    }

    fn tick_micros(&self) -> i64 {
        1_000_000 / i64::from(self.tick_rate.max(1))
    }
}

fn place(tick: u64) -> usize {
    usize::try_from(tick % BEGUN).unwrap_or_default()
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX / 4)
}
