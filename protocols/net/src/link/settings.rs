//! `LossSettings`: limits and times of a link that loses packets.

use std::time::Duration;

/// Limits and times of links with datagrams: [`ServerConfig::loss`](crate::ServerConfig::loss),
/// [`ClientConfig::loss`](crate::ClientConfig::loss). Both ends may have different ones.
///
/// ```
/// use std::time::Duration;
/// use syncvar::limits::LossSettings;
/// use syncvar::prelude::*;
/// use syncvar::ServerConfig;
///
/// let mut loss = LossSettings::default();
/// loss.stall_after = Duration::from_millis(500);
/// let config = ServerConfig { loss, ..ServerConfig::default() };
/// let server = NetworkServer::with_config(Prefabs::new(), config);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LossSettings {
    /// Time from one tick to the next: that of the end's tick rate.
    pub(crate) tick_interval: Duration,
    /// Most sent packets whose fates are kept, per connection: those from the oldest undecided one on, and 64 to 71 before; 256
    /// by default, at least 1.
    pub ring: usize,
    /// Longest delay of an acknowledgement; 33 ms by default.
    pub ack_interval: Duration,
    /// A packet is lost when a sequence this far above it is acknowledged; 3 by default, at least 1.
    pub reorder: u64,
    /// Ticks after which an undecided packet is lost; 64 by default, unless
    /// [`record_time`](Self::record_time) is longer.
    pub record_ticks: u32,
    /// Shortest time after which an undecided packet is lost for its age in ticks; 2 s by default.
    pub record_time: Duration,
    /// Time without a new acknowledgement after which a connection is sent no more state; 1 s by default.
    pub stall_after: Duration,
    /// Longest time between two probes; 2 s by default.
    pub max_probe_interval: Duration,
    /// Time without an answer after which a connection that is sent no state ends; 30 s by default.
    pub idle_timeout: Duration,
    /// Bytes of repairs per connection and update; 4 800 by default, four datagrams.
    pub repair_bytes: usize,
    /// Packets that wait at the receiver for reliable packets; 64 by default.
    pub max_held_packets: usize,
    /// Bytes of these packets; 96 KiB by default.
    pub max_held_bytes: usize,
    /// False acknowledgements in a minute that end a connection; 100 by default.
    pub max_bad_acks: u32,
}

impl Default for LossSettings {
    fn default() -> Self {
        Self {
            tick_interval: Duration::ZERO,
            ring: 256,
            ack_interval: Duration::from_millis(33),
            reorder: 3,
            record_ticks: 64,
            record_time: Duration::from_secs(2),
            stall_after: Duration::from_secs(1),
            max_probe_interval: Duration::from_secs(2),
            idle_timeout: Duration::from_secs(30),
            // Four datagrams of QUIC's smallest size.
            repair_bytes: 4 * 1_200,
            max_held_packets: 64,
            max_held_bytes: 96 * 1024,
            max_bad_acks: 100,
        }
    }
}

impl LossSettings {
    /// Returns the settings for a number of ticks per second.
    pub(crate) fn at_rate(self, tick_rate: u32) -> Self {
        Self {
            tick_interval: Duration::from_secs(1) / tick_rate.max(1),
            ..self
        }
    }

    /// Returns the number of ticks after which an undecided packet is lost.
    pub(crate) fn max_record_ticks(&self) -> u32 {
        let tick = self.tick_interval.as_nanos().max(1);
        let ticks = self.record_time.as_nanos().div_ceil(tick);
        self.record_ticks
            .max(u32::try_from(ticks).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::LossSettings;

    #[test]
    fn records_last_64_ticks_and_two_seconds() {
        for (hertz, ticks) in [(10, 64), (30, 64), (32, 64), (60, 120), (128, 256)] {
            let settings = LossSettings::default().at_rate(hertz);
            assert!(settings.max_record_ticks().abs_diff(ticks) <= 1, "{hertz}");
            assert!(settings.tick_interval * settings.max_record_ticks() >= settings.record_time);
        }
        let endless = LossSettings::default();
        assert_eq!(endless.max_record_ticks(), 2_000_000_000);
    }

    #[test]
    fn held_packets_and_repairs_have_limits() {
        let settings = LossSettings::default();
        assert!(settings.max_held_bytes >= settings.max_held_packets * 1_200);
        assert!(settings.repair_bytes >= 4 * 1_124);
    }
}
