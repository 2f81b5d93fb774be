//! Views that clients claim, and their limits by the server's own measures.
//!
//! An honest view has the age of its way: the tick travels to the client, waits there for the delay of the view, and the
//! command travels back. The server measures the two ways together as a round trip, and knows the delay but for the jitter.
//! A claim beyond that age is clamped. No time of the client's clock is used. A client can withhold its acknowledgements and
//! echoes: then it looks like a client with a longer or lossy way, has the window of that client, and at most that of
//! [`max_rewind`](crate::ServerConfig::max_rewind).
//!
//! A command that was lost and sent again is as old as the loss, without a fault of its client. The stream keeps the order:
//! the packet was sent after the packet before it, so it may be late by the silence between the two. That counts up to one
//! round trip, and only on links that lose packets.
//!
//! The numbers below were found by measuring honest and forged views on links of 20, 50 and 150 ms, with and without losses:
//! `tests/objects/rewinding/views.rs`.

use std::time::Duration;

use crate::server::ServerConfig;
use crate::server::sessions::connection::Connection;

/// Deviations of the round trip in the age of a view: jitter of both ways, and that in the delay of the view.
const DEVIATIONS: f64 = 2.25;

/// Part of the time between two updates of the server that counts, where a packet may wait: a view that is clamped by the rest
/// hits as well.
const WAITING: f64 = 0.8;

/// Limits of the views of a connection, by the measures of the server.
#[derive(Debug)]
pub(super) struct ViewLimits<'a> {
    pub(super) connection: &'a Connection,
    pub(super) config: &'a ServerConfig,
    /// Usual number of ticks between two updates.
    pub(super) pace: f64,
    /// Longest time between two samples of a field, in ticks.
    pub(super) view_ticks: f64,
}

impl ViewLimits<'_> {
    /// Returns the ticks by which a packet on the stream may be late: a repetition, on a link that has shown some.
    pub(super) fn lateness(&self) -> f64 {
        let way = match &self.connection.datagrams {
            Some(datagrams) if !datagrams.sender.is_lossy() => return 0.0,
            Some(datagrams) => self.ticks_in(self.way(datagrams.sender.average().mean())),
            None => 0.0,
        };
        let silence = f64::from(self.connection.motion.stream.silence);
        silence.min(way.max(self.repetition()))
    }

    /// Returns the ticks of the longest repetition that a stream has shown in the last seconds, beyond its jitter.
    fn repetition(&self) -> f64 {
        let tick = Duration::from_secs(1) / self.config.tick_rate.max(1);
        let pace = tick.mul_f64(self.pace);
        let echoes = self.connection.requests.pings.echoes();
        let by_stream = tick * self.connection.motion.stream.repetition;
        let by_stream = Some(by_stream).filter(|delay| *delay > echoes.least_repetition(pace));
        let longest = by_stream.max(echoes.repetition(pace));
        self.ticks_in(self.way(longest.unwrap_or_default()))
    }

    /// Returns the age in ticks of the oldest view that a connection can show.
    pub(super) fn oldest_age(&self) -> f64 {
        let pings = &self.connection.requests.pings;
        let (mean, deviation) = self.connection.round_trip().unwrap_or_default();
        let jitter = self.ticks_in(deviation);
        let (jitter, intervals) = match &self.connection.datagrams {
            // Ticks wait for lost packets of the stream.
            Some(datagrams) if datagrams.sender.is_lossy() => {
                let waits = self.ticks_in((pings.round_trip().deviation() * 2).max(mean / 3));
                (jitter * DEVIATIONS + waits, 2.0)
            }
            // For a client, a datagram that another one overtakes is lost at first.
            Some(_) => {
                let overtaken = (2.0 * jitter - 0.5).clamp(0.0, 1.0);
                (jitter * DEVIATIONS, 1.0 + overtaken)
            }
            None => {
                let longest = pings.echoes().longest().saturating_sub(mean);
                let longest = self.ticks_in(longest) - self.pace;
                ((jitter * DEVIATIONS).max(longest), 1.0)
            }
        };
        let most = self.ticks_in(self.config.max_rewind * 5 / 2);
        let way = self.ticks_in(self.way(mean)) + jitter;
        way.min(most) + self.view_ticks * intervals + self.pace * WAITING
    }

    /// Returns the age in ticks of the view of a connection that claims none.
    pub(super) fn estimated_age(&self) -> f64 {
        let round_trip = self.connection.round_trip();
        let way = round_trip.map_or(0.0, |(mean, _)| self.ticks_in(self.way(mean)));
        way + self.view_ticks
    }

    /// Returns a measured round trip within the limit of the settings.
    fn way(&self, round_trip: Duration) -> Duration {
        round_trip.min(self.config.max_rewind * 2)
    }

    fn ticks_in(&self, time: Duration) -> f64 {
        time.as_secs_f64() * f64::from(self.config.tick_rate)
    }
}
