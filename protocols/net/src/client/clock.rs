//! Server time, estimated on a client.
//!
//! A ping carries the client's own time; the pong returns it together with the server's time. The server
//! read its clock between the ping's departure and the pong's arrival. Each pong therefore bounds the
//! difference of the two clocks from below and above. The intersection of the recent bounds is
//! narrower, and its middle is the estimate. If both directions take equally long except for jitter, the
//! error is at most half of the smallest jitter.

use std::collections::VecDeque;
use std::time::Duration;

use crate::message::{Message, Pong};
use syncvar_runtime::time::micros;
use syncvar_runtime::unstable::clock::{Clock, Slew};
use syncvar_runtime::{NetworkReader, NetworkTime, ReadError, ReadErrorKind};

/// Number of pings that open a connection in quick succession.
const FIRST_PINGS: u32 = 5;

/// Longest interval between the first pings.
const FIRST_INTERVAL: Duration = Duration::from_millis(200);

/// Longest interval of the pings of a client that claims views over a stream. Their echoes are the only
/// way by which the server measures this connection, and the limit of its views.
const CLAIMING_INTERVAL: Duration = Duration::from_millis(250);

/// Most unanswered pings; the oldest are given up.
const MAX_UNANSWERED: usize = 16;

/// Number of recent pongs that the estimate uses.
const RECENT: usize = 16;

/// Latest plausible time, in microseconds: 146 000 years.
const LATEST: i64 = i64::MAX / 2;

/// The client's own time and its estimate of the server's time.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    pub(super) own: Clock,
    /// Number of updates: the ticks of the client's packets.
    pub(super) updates: u32,
    pub(super) server: ServerClock,
}

impl Clocks {
    /// Advances both clocks by a reading of the caller's clock.
    pub(super) fn advance(&mut self, reading: Duration) {
        let now = self.own.advance(reading);
        self.updates = self.updates.saturating_add(1);
        self.server.advance(now);
    }

    /// Forgets the estimate of the server's time, for a new connection.
    pub(super) fn reset_server(&mut self) {
        self.server = ServerClock::default();
    }
}

/// Estimate of the server's time. Numbers are in microseconds.
#[derive(Debug, Default)]
pub(super) struct ServerClock {
    /// Whether pings are sent: the first burst is complete.
    begun: bool,
    /// Number of pings sent.
    pings: u32,
    /// Own time of the next ping.
    due: Duration,
    /// Own times in the unanswered pings.
    unanswered: VecDeque<u64>,
    recent: VecDeque<Span>,
    estimate: Option<Estimate>,
    round_trip: Option<RoundTrip>,
}

/// Server's time, once a pong has arrived.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    /// Lead of the server's time over the own time, by the last pong.
    ahead: i64,
    /// Server's ticks per second.
    tick_rate: u32,
    /// Server time shown to the application.
    shown: Slew,
}

/// Smoothed round trip of the pings and its deviation, in microseconds, as in RFC 6298.
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    mean: u64,
    deviation: u64,
}

/// Bounds of the server's lead over the own time.
#[derive(Clone, Copy, Debug)]
struct Span {
    least: i64,
    most: i64,
}

impl ServerClock {
    /// Starts the pings.
    pub(super) fn begin(&mut self) {
        self.begun = true;
    }

    /// Returns whether pings are sent.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Returns the own time to send in a ping, if a ping is due. A client that claims views over a stream sends more pings.
    pub(super) fn ping(
        &mut self,
        now: Duration,
        interval: Duration,
        claims_by_stream: bool,
    ) -> Option<u64> {
        let interval = if claims_by_stream {
            interval.min(CLAIMING_INTERVAL)
        } else {
            interval
        };
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
        // A second answer to the same time holds no information.
        if self.unanswered.back() == Some(&time) {
            return None;
        }
        if self.unanswered.len() >= MAX_UNANSWERED {
            self.unanswered.pop_front();
        }
        self.unanswered.push_back(time);
        Some(time)
    }

    /// Takes a pong. A pong without an unanswered ping is ignored.
    ///
    /// # Errors
    ///
    /// When the server has no ticks.
    pub(super) fn take_pong(&mut self, now: Duration, payload: &[u8]) -> Result<Pong, ReadError> {
        let pong = Pong::decode(payload)?;
        if pong.tick_rate == 0 {
            let (what, value) = ("ticks in a second", 0);
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(NetworkReader::new(payload).error(kind));
        }
        self.pong(now, pong.time, pong.server_time, pong.tick_rate);
        Ok(pong)
    }

    fn pong(&mut self, now: Duration, sent: u64, server: u64, tick_rate: u32) {
        let Some(index) = self.unanswered.iter().position(|time| *time == sent) else {
            return;
        };
        // Earlier pings may have been lost or reordered.
        self.unanswered.remove(index);
        let (arrival, server) = (micros(now), i64::try_from(server));
        let (Ok(own), Ok(server)) = (i64::try_from(arrival), server) else {
            return;
        };
        let Ok(before) = i64::try_from(sent) else {
            return;
        };
        if own.max(server) > LATEST {
            return;
        }
        self.measure(arrival.saturating_sub(sent));
        let (least, most) = (server - own, server - before);
        let ahead = self.intersect(Span { least, most });
        let known = self.estimate.map(|estimate| estimate.shown);
        self.estimate = Some(Estimate {
            ahead,
            tick_rate,
            shown: known.unwrap_or_else(|| Slew::new(now, ahead)),
        });
    }

    /// Adds a span to the recent spans, and returns the middle of their intersection. Disjoint spans
    /// mean that a clock was reset: the recent spans are forgotten.
    fn intersect(&mut self, new: Span) -> i64 {
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

    fn measure(&mut self, sample: u64) {
        let next = match self.round_trip {
            None => RoundTrip {
                mean: sample,
                deviation: sample / 2,
            },
            Some(RoundTrip { mean, deviation }) => RoundTrip {
                mean: mean - mean / 8 + sample / 8,
                deviation: deviation - deviation / 4 + sample.abs_diff(mean) / 4,
            },
        };
        self.round_trip = Some(next);
    }

    /// Advances the shown time to an own time.
    fn advance(&mut self, now: Duration) {
        if let Some(Estimate { ahead, shown, .. }) = &mut self.estimate {
            shown.advance(now, *ahead);
        }
    }

    /// Returns the shown time at an own time, once the server has sent its time.
    pub(super) fn network_time(&self, now: Duration) -> Option<NetworkTime> {
        let estimate = self.estimate.as_ref()?;
        let shown = u64::try_from(estimate.shown.at(now)).unwrap_or_default();
        let time = Duration::from_micros(shown);
        Some(NetworkTime::new(time, estimate.tick_rate))
    }

    /// Returns the lead of the server's time over the own time in microseconds, and the server's ticks per second.
    pub(super) fn lead(&self) -> Option<(i64, u32)> {
        let estimate = self.estimate?;
        Some((estimate.ahead, estimate.tick_rate))
    }

    /// Returns the smoothed round-trip time, and its deviation.
    pub(super) fn round_trip(&self) -> Option<(Duration, Duration)> {
        let RoundTrip { mean, deviation } = self.round_trip?;
        Some((
            Duration::from_micros(mean),
            Duration::from_micros(deviation),
        ))
    }
}
