//! The server's time, as it is estimated on a client.
//!
//! A ping carries the client's own time; the pong brings it back, with the server's. When the server
//! said its time, ours was somewhere between the sending of the ping and the arrival of the pong: so
//! each pong gives the least and the most that the server's time can be ahead of ours. What all recent
//! ones agree on is a shorter span, and its middle is the estimate. Where the way there and the way
//! back take equally long but for jitter, it is wrong by half of the smallest jitter that was met, at
//! most.

use std::collections::VecDeque;
use std::time::Duration;

use super::NetworkClient;
use crate::NetworkTime;
use crate::message::Ping;
use crate::time::micros;

/// So many pings in the beginning come one after another.
const FIRST_PINGS: u32 = 5;

/// How long after one of them the next one is sent, if the interval is not shorter anyway.
const FIRST_INTERVAL: Duration = Duration::from_millis(200);

/// So many pings can wait for their answer; the oldest are given up.
const MAX_WAITING: usize = 16;

/// So many pongs are recent.
const RECENT: usize = 16;

/// An estimate that is this much ahead is met at once; less is made up for slowly.
const LEAP: i64 = 250_000;

/// Times beyond this, in microseconds, are nonsense: 146 000 years.
const LATEST: i64 = i64::MAX / 2;

/// What a client knows of the server's time. All times are in microseconds.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// Whether there is anything to ask yet: the client has been ready.
    begun: bool,
    /// How many pings have been sent.
    pings: u32,
    /// When the next one is due, by our own time.
    due: Duration,
    /// Our times in the pings that have not been answered.
    waiting: VecDeque<u64>,
    recent: VecDeque<Span>,
    /// How far the server's time is ahead of ours, and how many ticks it has in a second.
    ahead: Option<(i64, u32)>,
    /// The server's time, as we say it is.
    shown: i64,
    round_trip: Option<RoundTrip>,
}

/// How far the server's time is ahead of ours: at least, and at most.
#[derive(Clone, Copy, Debug)]
struct Span {
    least: i64,
    most: i64,
}

/// How long a ping and its pong take together, smoothed as in RFC 6298.
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    mean: u64,
    deviation: u64,
}

impl Clock {
    /// The client is ready: from now on it may ask.
    pub(super) fn begin(&mut self) {
        self.begun = true;
    }

    /// The time to be sent with a ping, if one is due.
    pub(super) fn ping(&mut self, now: Duration, interval: Duration) -> Option<u64> {
        if !self.begun || interval.is_zero() || now < self.due {
            return None;
        }
        let quick = self.pings < FIRST_PINGS;
        let pause = if quick {
            interval.min(FIRST_INTERVAL)
        } else {
            interval
        };
        self.due = now.saturating_add(pause);
        self.pings = self.pings.saturating_add(1);
        let time = micros(now);
        // An answer to the same time says nothing new.
        if self.waiting.back() == Some(&time) {
            return None;
        }
        if self.waiting.len() >= MAX_WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(time);
        Some(time)
    }

    /// Takes an answer; one to a ping that was not sent, or that was answered, is ignored.
    pub(super) fn pong(&mut self, now: Duration, sent: u64, server: u64, tick_rate: u32) {
        let Some(place) = self.waiting.iter().position(|time| *time == sent) else {
            return;
        };
        // Those before it have been lost, or come out of order.
        self.waiting.remove(place);
        let (now, server) = (micros(now), i64::try_from(server));
        let (Ok(ours), Ok(server)) = (i64::try_from(now), server) else {
            return;
        };
        let Ok(before) = i64::try_from(sent) else {
            return;
        };
        if ours.max(server) > LATEST {
            return;
        }
        self.measure(now.saturating_sub(sent));
        let (least, most) = (server - ours, server - before);
        let ahead = self.narrow(Span { least, most });
        if self.ahead.replace((ahead, tick_rate)).is_none() {
            self.shown = ours.saturating_add(ahead).max(0);
        }
    }

    /// Adds a span to the recent ones, and returns the middle of what all of them have in common. Those
    /// that do not fit are of a time when one of the clocks was another: they are forgotten.
    fn narrow(&mut self, new: Span) -> i64 {
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(new);
        let least = self.recent.iter().map(|span| span.least).max();
        let most = self.recent.iter().map(|span| span.most).min();
        match (least, most) {
            (Some(least), Some(most)) if least <= most => least + (most - least) / 2,
            _ => {
                self.recent.clear();
                self.recent.push_back(new);
                new.least + (new.most - new.least) / 2
            }
        }
    }

    fn measure(&mut self, took: u64) {
        let next = match self.round_trip {
            None => RoundTrip {
                mean: took,
                deviation: took / 2,
            },
            Some(RoundTrip { mean, deviation }) => RoundTrip {
                mean: mean - mean / 8 + took / 8,
                deviation: deviation - deviation / 4 + took.abs_diff(mean) / 4,
            },
        };
        self.round_trip = Some(next);
    }

    /// Our time has gone on, from `before` to `now`. What we say goes on likewise, a little faster if it
    /// is behind the estimate and slower if it is ahead, and never back.
    pub(super) fn advance(&mut self, before: Duration, now: Duration) {
        let Some((ahead, _)) = self.ahead else {
            return;
        };
        let [before, now] =
            [before, now].map(|time| i64::try_from(micros(time)).unwrap_or(LATEST).min(LATEST));
        let step = now.saturating_sub(before);
        let natural = self.shown.saturating_add(step);
        let error = now.saturating_add(ahead).saturating_sub(natural);
        let correction = if error > LEAP {
            error
        } else if error >= 0 {
            error.min(step / 8)
        } else if error < -LEAP {
            error.max(-step)
        } else {
            error.max(-(step / 8))
        };
        self.shown = natural.saturating_add(correction);
    }

    /// The server's time, if it has ever said it.
    pub(super) fn network_time(&self) -> Option<NetworkTime> {
        let (_, tick_rate) = self.ahead?;
        let shown = u64::try_from(self.shown).unwrap_or_default();
        Some(NetworkTime::new(Duration::from_micros(shown), tick_rate))
    }

    pub(super) fn round_trip(&self) -> Option<(Duration, Duration)> {
        let RoundTrip { mean, deviation } = self.round_trip?;
        Some((
            Duration::from_micros(mean),
            Duration::from_micros(deviation),
        ))
    }
}

impl NetworkClient {
    /// The server's time now, as it is estimated: none before the server has said it for the first
    /// time, soon after [`ClientEvent::Ready`](crate::ClientEvent::Ready). See [`ClientConfig::ping_interval`](crate::ClientConfig::ping_interval).
    ///
    /// It is that of the last [`update`](Self::update), goes on with the client's own time, and never
    /// goes back on one connection. When a better estimate is behind it, it goes on a little slower for
    /// a while; when one is ahead of it, a little faster, or at once if it is more than 250 ms.
    ///
    /// If the way to the server takes as long as the way back but for jitter, the estimate is wrong by
    /// half of the smallest jitter that was met lately at most, and by what the two sides' updates are
    /// apart.
    pub fn network_time(&self) -> Option<NetworkTime> {
        self.server_clock.network_time()
    }

    /// How long a message to the server and its answer take together, smoothed over the last pings;
    /// none before the first answer. It includes the wait for the server's next update.
    pub fn round_trip_time(&self) -> Option<Duration> {
        self.server_clock.round_trip().map(|(mean, _)| mean)
    }

    /// By how much the single round trips differ from [`round_trip_time`](Self::round_trip_time),
    /// smoothed likewise.
    pub fn round_trip_deviation(&self) -> Option<Duration> {
        let round_trip = self.server_clock.round_trip();
        round_trip.map(|(_, deviation)| deviation)
    }

    /// Asks the server for its time, if it is time for that.
    pub(super) fn send_ping(&mut self) {
        if !self.is_connected() || !self.config.compare_schemas {
            return;
        }
        let interval = self.config.ping_interval;
        if let Some(time) = self.server_clock.ping(self.now, interval) {
            self.send(&Ping { time });
        }
    }
}
