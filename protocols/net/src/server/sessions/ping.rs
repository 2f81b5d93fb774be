//! Clock synchronisation: answers to pings.

use std::collections::VecDeque;
use std::time::Duration;

use arrayvec::ArrayVec;
use syncvar_runtime::ConnectionId;
use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::time::micros;

use crate::link::round_trip::Average;
use crate::message::{Echo, Ping, Pong};
use crate::server::context::Context;
use crate::server::sessions::Sessions;

/// Minimum time between two answers: at most 20 per second.
const PAUSE: Duration = Duration::from_millis(50);

/// Last echoes that count, for the average and one by one.
const AVERAGED: u16 = 32;
const COUNTED: usize = 32;

/// Part of the last round trips that counts as short, as a divisor: a fifth has no repetition even on a link with many losses.
const SHORT: usize = 5;

/// Most answers whose echo is awaited.
const MAX_AWAITED: usize = 8;

/// Pings of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pings {
    /// Client time of the last unanswered ping.
    waiting: Option<u64>,
    /// Time of the last answer.
    answered: Option<Duration>,
    /// Times of the answers without an echo.
    awaited: ArrayVec<u64, MAX_AWAITED>,
    /// Round trip of the echoes, by the server's clock.
    round_trip: Average,
    echoes: Echoes,
}

/// Round trips of the last echoes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Echoes {
    last: VecDeque<Duration>,
    /// Shortest one, the end of the shortest part, and the longest one.
    shortest: Duration,
    short: Duration,
    longest: Duration,
}

impl Echoes {
    fn add(&mut self, sample: Duration) {
        if self.last.len() >= COUNTED {
            self.last.pop_front();
        }
        self.last.push_back(sample);
        let mut sorted: ArrayVec<Duration, COUNTED> = self.last.iter().copied().collect();
        sorted.sort_unstable();
        let at = |place: usize| sorted.get(place).copied().unwrap_or_default();
        self.shortest = at(0);
        self.short = at(sorted.len() / SHORT);
        self.longest = at(sorted.len() - 1);
    }

    /// Returns the longest round trip; 0 before the first one.
    pub(crate) fn longest(&self) -> Duration {
        self.longest
    }

    /// Returns the delay beyond which a packet was repeated. A repetition takes most of a round trip, and jitter no more than a few
    /// times the range of the short round trips. A tick is the resolution of a time.
    pub(crate) fn least_repetition(&self, tick: Duration) -> Duration {
        let jitter = self.short.saturating_sub(self.shortest) * 2;
        jitter.max(self.short.mul_f64(0.65)) + tick
    }

    /// Returns the longest delay of an echo, if it was a repetition.
    pub(crate) fn repetition(&self, tick: Duration) -> Option<Duration> {
        let delay = self.longest.saturating_sub(self.short);
        (delay > self.least_repetition(tick) + tick).then_some(delay)
    }
}

impl Pings {
    /// Returns the measured round trip.
    pub(crate) fn round_trip(&self) -> &Average {
        &self.round_trip
    }

    /// Returns the round trips of the last echoes.
    pub(crate) fn echoes(&self) -> &Echoes {
        &self.echoes
    }

    /// Takes the echo of an answer. An unknown one is ignored: it would be a round trip that nobody has measured.
    fn echo(&mut self, now: Duration, server_time: u64) {
        let Some(at) = self.awaited.iter().position(|time| *time == server_time) else {
            return;
        };
        // The stream keeps the order: the earlier ones were never echoed.
        self.awaited.drain(..=at);
        let sample = now.saturating_sub(Duration::from_micros(server_time));
        self.round_trip.add(sample, AVERAGED);
        self.echoes.add(sample);
    }
}

impl Sessions {
    /// Queues a ping for the next update, whose time is exact. A later ping replaces an earlier
    /// one.
    pub(crate) fn receive_ping(&mut self, context: &mut Context, from: ConnectionId, ping: &Ping) {
        let Some(connection) = self.connections.get_mut(from.0) else {
            return;
        };
        match connection.requests.pings.waiting.replace(ping.time) {
            None => self.pending.pinging.push(from),
            Some(_) => {
                context.stats.ignored_pings += 1;
                self.intake.count(Misbehaviour::Ignored);
            }
        }
    }

    /// Measures the round trip by the echo of an answer.
    pub(crate) fn receive_echo(&mut self, context: &Context, from: ConnectionId, echo: &Echo) {
        if let Some(connection) = self.connections.get_mut(from.0) {
            connection
                .requests
                .pings
                .echo(context.clock.now(), echo.server_time);
        }
    }

    /// Returns the answer to the ping of a connection, unless it follows the last answer too soon.
    pub(crate) fn answer_ping(&mut self, context: &mut Context, id: ConnectionId) -> Option<Pong> {
        let now = context.clock.now();
        let connection = self.connections.get_mut(id.0);
        let connection = connection.filter(|connection| connection.is_connected())?;
        let pings = &mut connection.requests.pings;
        let time = pings.waiting.take()?;
        if pings
            .answered
            .is_some_and(|last| now.saturating_sub(last) < PAUSE)
        {
            context.stats.ignored_pings += 1;
            return None;
        }
        pings.answered = Some(now);
        let server_time = micros(now);
        if pings.awaited.is_full() {
            pings.awaited.remove(0);
        }
        pings.awaited.push(server_time);
        Some(Pong {
            time,
            server_time,
            tick_rate: context.config.tick_rate,
        })
    }
}
