//! Server time, estimated on a client.
//!
//! A ping carries the client's own time; the pong returns it together with the server's time. The server
//! read its clock between the ping's departure and the pong's arrival. Each pong therefore bounds the
//! difference of the two clocks from below and above. The intersection of the recent bounds is
//! narrower, and its middle is the estimate. If both directions take equally long except for jitter, the
//! error is at most half of the smallest jitter.

use std::collections::VecDeque;
use std::time::Duration;

use super::NetworkClient;
use crate::message::{Echo, Message, Ping, Pong};
use syncvar_runtime::clock::{Clock, Slew};
use syncvar_runtime::time::micros;
use syncvar_runtime::{NetworkReader, NetworkTime, ReadError, ReadErrorKind};

/// Number of pings that open a connection in quick succession.
const FIRST_PINGS: u32 = 5;

/// Longest interval between the first pings.
const FIRST_INTERVAL: Duration = Duration::from_millis(200);

/// Longest interval of the pings of a client that claims views over a stream.
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

    /// Returns the own time to send in a ping, if a ping is due.
    fn ping(&mut self, now: Duration, interval: Duration) -> Option<u64> {
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

    /// Adds a span to the recent ones, and returns the middle of their intersection. Disjoint spans
    /// mean that a clock was reset: the recent ones are forgotten.
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
    fn network_time(&self, now: Duration) -> Option<NetworkTime> {
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

impl NetworkClient {
    /// Returns the estimated server time of the last [`update`](Self::update).
    ///
    /// The result is `None` until the server has sent its time, soon after
    /// [`ClientEvent::Ready`](crate::ClientEvent::Ready). See
    /// [`ClientConfig::ping_interval`](crate::ClientConfig::ping_interval).
    ///
    /// If both directions take equally long except for jitter, the error is at most half of the smallest
    /// recent jitter, plus the offset between the updates of both sides. Render loops use
    /// [`network_time_at`](Self::network_time_at), which advances between two updates, too.
    pub fn network_time(&self) -> Option<NetworkTime> {
        self.context.clock.server.network_time(self.now())
    }

    /// Returns the estimated server time at a moment: `now` is a time of the clock that
    /// [`update`](Self::update) takes, not before the last update.
    ///
    /// The time advances in each frame, at any frame rate and between packets: at 7/8 to 9/8 of the
    /// clock's speed. A new estimate counts from the next update on, and is approached at this speed,
    /// so that the time has no step and never goes back within a connection. Beyond an error of 250 ms,
    /// as after a restart of the server's clock, it jumps forward, or runs at 1/8 of the speed.
    ///
    /// The tick is the server's. A client of `TcpClient` has the transport's clock: call
    /// `TcpClient::network_time`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// let mut net = MemoryNetwork::new(Prefabs::new);
    /// net.connect_client(NetworkClient::new(Prefabs::new())); // `connect` turns pings off
    /// for _ in 0..10 {
    ///     net.step(); // updates both ends every 50 ms
    /// }
    /// let frame = Duration::from_secs(1) / 144;
    /// let client = net.client(0);
    /// let [first, second] = [1, 2].map(|frames| client.network_time_at(net.now() + frames * frame));
    /// assert!(second.unwrap().time > first.unwrap().time);
    /// ```
    pub fn network_time_at(&self, now: Duration) -> Option<NetworkTime> {
        self.context
            .clock
            .server
            .network_time(self.context.clock.own.at(now))
    }

    /// Returns the round-trip time, smoothed over the last pings; `None` before the first answer. It
    /// includes the delay until the server's next update.
    pub fn round_trip_time(&self) -> Option<Duration> {
        self.context.clock.server.round_trip().map(|(mean, _)| mean)
    }

    /// Returns the smoothed deviation of single round trips from
    /// [`round_trip_time`](Self::round_trip_time).
    pub fn round_trip_deviation(&self) -> Option<Duration> {
        let round_trip = self.context.clock.server.round_trip();
        round_trip.map(|(_, deviation)| deviation)
    }

    /// Returns whether the server has pings to answer.
    pub(super) fn pings(&self) -> bool {
        let pings =
            self.context.config.compare_schemas && !self.context.config.ping_interval.is_zero();
        pings && self.is_connected() && self.session.is_heard() && self.context.clock.server.begun
    }

    /// Sends a ping, if one is due.
    pub(super) fn send_ping(&mut self) {
        if !self.is_connected() || !self.session.is_heard() || !self.context.config.compare_schemas
        {
            return;
        }
        let (now, interval) = (self.now(), self.ping_interval());
        if let Some(time) = self.context.clock.server.ping(now, interval) {
            self.send_own(&Ping { time });
        }
    }

    /// Returns the interval of the pings. A client that claims views over a stream sends more of them: their echoes are the only
    /// way by which the server measures this connection, and the limit of its views.
    fn ping_interval(&self) -> Duration {
        let interval = self.context.config.ping_interval;
        let claims_by_stream = self.outbound.lossy.is_none() && self.view_message().is_some();
        if claims_by_stream {
            interval.min(CLAIMING_INTERVAL)
        } else {
            interval
        }
    }

    pub(super) fn handle_pong(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let Pong {
            time,
            server_time,
            tick_rate,
        } = Pong::decode(payload)?;
        if tick_rate == 0 {
            let (what, value) = ("ticks in a second", 0);
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(NetworkReader::new(payload).error(kind));
        }
        let now = self.now();
        self.context
            .clock
            .server
            .pong(now, time, server_time, tick_rate);
        // At once: the server measures the round trip, too.
        self.send_own(&Echo { server_time });
        Ok(())
    }
}
