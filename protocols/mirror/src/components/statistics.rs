//! Figures for displays: traffic per second, round trip and quality of a connection.

use std::time::Duration;

use syncvar_runtime::Counter;

use super::ConnectionQuality;
use crate::{MirrorClient, MirrorServer};

/// Time between two publications. Mirror, `NetworkStatistics.interval`.
const INTERVAL: Duration = Duration::from_secs(1);

/// Time between two evaluations of a connection. Mirror, `connectionQualityInterval`.
const QUALITY_INTERVAL: Duration = Duration::from_secs(3);

/// Packets and bytes of a transport between two times. A packet is a batch, not a datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Handed to the transport.
    pub sent: Counter,
    /// Received by the transport.
    pub received: Counter,
}

/// Traffic of the last second of a server or a client. Mirror, `NetworkStatistics`.
///
/// ```
/// use std::time::Duration;
/// use syncvar::mirror::components::NetworkStatistics;
/// use syncvar::mirror::{Limits, MirrorPrefabs, MirrorServer};
///
/// let mut server = MirrorServer::new(MirrorPrefabs::new());
/// server.handle_connect(Limits::TELEPATHY);
/// let mut statistics = NetworkStatistics::default();
/// for tick in 1..=61 {
///     server.update(Duration::from_secs(1) / 60 * tick);
///     while server.poll_transmit().is_some() {}
///     if statistics.update_server(&server) {
///         println!("{} packets/s", statistics.traffic().sent.messages);
///     }
/// }
/// assert!(statistics.traffic().sent.messages > 5); // pings, among others
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NetworkStatistics {
    /// Begin of the interval.
    start: Duration,
    /// Counts at the begin of the interval.
    before: Traffic,
    traffic: Traffic,
}

impl NetworkStatistics {
    /// Returns the sums of the last interval: a second, and the rest of its last frame.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Looks at a server, once per frame. Returns whether an interval is over.
    pub fn update_server(&mut self, server: &MirrorServer) -> bool {
        let stats = server.stats();
        let counts = Traffic {
            sent: stats.sent,
            received: stats.received,
        };
        self.update(server.now(), counts)
    }

    /// Looks at a client, once per frame. Returns whether an interval is over.
    pub fn update_client(&mut self, client: &MirrorClient) -> bool {
        let stats = client.connection_stats();
        let counts = Traffic {
            sent: stats.sent,
            received: stats.received,
        };
        self.update(client.now(), counts)
    }

    fn update(&mut self, now: Duration, counts: Traffic) -> bool {
        if now.saturating_sub(self.start) < INTERVAL {
            return false;
        }
        let since = |now: Counter, before: Counter| Counter {
            messages: now.messages.wrapping_sub(before.messages),
            bytes: now.bytes.wrapping_sub(before.bytes),
        };
        self.traffic = Traffic {
            sent: since(counts.sent, self.before.sent),
            received: since(counts.received, self.before.received),
        };
        (self.start, self.before) = (now, counts);
        true
    }
}

/// Measure of the quality of a connection. Mirror, `ConnectionQualityMethod`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QualityMethod {
    /// By round trip and jitter: [`ConnectionQuality::of_round_trip`].
    #[default]
    Simple,
    /// By the distance behind the server: [`ConnectionQuality::of_buffer`].
    Pragmatic,
}

/// Round trip and quality of a client's connection, as texts. Mirror, `NetworkPingDisplay`, and the evaluation by
/// `NetworkManager.CalculateConnectionQuality`.
///
/// ```
/// use syncvar::mirror::components::NetworkPingDisplay;
/// use syncvar::mirror::{MirrorClient, MirrorPrefabs};
///
/// let client = MirrorClient::new(MirrorPrefabs::new());
/// let mut display = NetworkPingDisplay::default();
/// // In each frame:
/// if let Some((before, now)) = display.update(&client) {
///     println!("the connection was {before:?} and is {now:?}");
/// }
/// assert_eq!(NetworkPingDisplay::round_trip(&client), "RTT: 0ms");
/// assert_eq!(display.quality_text(), "Q: ");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NetworkPingDisplay {
    method: QualityMethod,
    quality: ConnectionQuality,
    /// Time of the last evaluation.
    last: Duration,
}

impl NetworkPingDisplay {
    /// Makes a display with this measure of quality.
    pub fn new(method: QualityMethod) -> Self {
        Self {
            method,
            ..Self::default()
        }
    }

    /// Evaluates the connection every three seconds. Returns the quality before and after, if they differ.
    pub fn update(
        &mut self,
        client: &MirrorClient,
    ) -> Option<(ConnectionQuality, ConnectionQuality)> {
        let now = client.now();
        if now.saturating_sub(self.last) < QUALITY_INTERVAL {
            return None;
        }
        self.last = now;
        let stats = client.connection_stats();
        let (Some(round_trip), Some(jitter)) = (stats.round_trip, stats.jitter) else {
            return None;
        };
        let quality = match self.method {
            QualityMethod::Simple => {
                // Mirror's jitter is the variance.
                let jitter = jitter.as_secs_f64();
                ConnectionQuality::of_round_trip(round_trip.as_secs_f64(), jitter * jitter)
            }
            QualityMethod::Pragmatic => {
                let initial = client.config().interpolation.buffer_time_multiplier;
                ConnectionQuality::of_buffer(initial, client.timeline().multiplier())
            }
        };
        let former = std::mem::replace(&mut self.quality, quality);
        (former != quality).then_some((former, quality))
    }

    /// Returns the quality of the last evaluation.
    pub fn quality(&self) -> ConnectionQuality {
        self.quality
    }

    /// Returns the round trip of a client in whole milliseconds: `RTT: 35ms`.
    pub fn round_trip(client: &MirrorClient) -> String {
        let millis = client.rtt().as_secs_f64() * 1000.0;
        format!("RTT: {}ms", millis.round_ties_even())
    }

    /// Returns the quality as a row of dashes: one for a poor connection, four for an excellent one.
    pub fn quality_text(&self) -> String {
        let steps = match self.quality {
            ConnectionQuality::Estimating => 0,
            ConnectionQuality::Poor => 1,
            ConnectionQuality::Fair => 2,
            ConnectionQuality::Good => 3,
            ConnectionQuality::Excellent => 4,
        };
        format!("Q: {}", "-".repeat(steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(messages: u64, bytes: u64) -> Traffic {
        let counter = Counter { messages, bytes };
        Traffic {
            sent: counter,
            received: Counter::default(),
        }
    }

    #[test]
    fn sums_are_published_each_second_and_not_scaled() {
        let mut statistics = NetworkStatistics::default();
        let at = Duration::from_millis;
        assert!(!statistics.update(at(900), counts(9, 90)));
        assert!(statistics.update(at(1050), counts(10, 100)));
        assert_eq!(statistics.traffic(), counts(10, 100));
        assert!(!statistics.update(at(2000), counts(12, 130)));
        assert_eq!(statistics.traffic(), counts(10, 100));
        assert!(statistics.update(at(2050), counts(14, 150)));
        assert_eq!(statistics.traffic(), counts(4, 50));
    }
}
