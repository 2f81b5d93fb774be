//! Clock synchronisation: answers to pings.

use std::time::Duration;

use syncvar_runtime::ConnectionId;
use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::time::micros;

use crate::message::{Ping, Pong, RoundTrip};
use crate::server::NetworkServer;

/// Minimum time between two answers: at most 20 per second.
const PAUSE: Duration = Duration::from_millis(50);

/// Pings of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::server) struct Pings {
    /// Client time of the last unanswered ping.
    waiting: Option<u64>,
    /// Time of the last answer.
    answered: Option<Duration>,
    /// Round trip that the client has measured.
    measured: RoundTrip,
}

impl Pings {
    /// Returns the round trip that the client has measured, and its deviation.
    pub(super) fn round_trip(&self) -> Option<(Duration, Duration)> {
        let RoundTrip { mean, deviation } = self.measured;
        let known = self.measured != RoundTrip::UNKNOWN;
        known.then(|| {
            (
                Duration::from_micros(mean),
                Duration::from_micros(deviation),
            )
        })
    }
}

impl NetworkServer {
    /// Queues a ping for the next update, whose time is exact. A later ping replaces an earlier
    /// one.
    pub(in crate::server) fn handle_ping(&mut self, from: ConnectionId, ping: &Ping) {
        let Some(connection) = self.sessions.connections.get_mut(from.0) else {
            return;
        };
        connection.ping.measured = ping.measured;
        match connection.ping.waiting.replace(ping.time) {
            None => self.sessions.pinging.push(from),
            Some(_) => {
                self.stats.ignored_pings += 1;
                self.sessions.intake.count(Misbehaviour::Ignored);
            }
        }
    }

    /// Answers the queued pings, except those that follow too soon.
    pub(in crate::server) fn answer_pings(&mut self) {
        if self.sessions.pinging.is_empty() {
            return;
        }
        let (now, tick_rate) = (self.clock.now(), self.config.tick_rate);
        for id in std::mem::take(&mut self.sessions.pinging) {
            let connection = self.sessions.connections.get_mut(id.0);
            let Some(connection) = connection.filter(|connection| connection.is_connected()) else {
                continue;
            };
            let pings = &mut connection.ping;
            let Some(time) = pings.waiting.take() else {
                continue;
            };
            if pings
                .answered
                .is_some_and(|last| now.saturating_sub(last) < PAUSE)
            {
                self.stats.ignored_pings += 1;
                continue;
            }
            pings.answered = Some(now);
            let server_time = micros(now);
            let pong = Pong {
                time,
                server_time,
                tick_rate,
            };
            self.send_own(id, &pong);
        }
    }
}
