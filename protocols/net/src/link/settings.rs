//! `LossSettings`: limits and times of a link that loses packets.

use std::time::Duration;

/// Limits and times of links that lose packets. Both ends may have different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LossSettings {
    /// Time from one tick to the next.
    pub(crate) tick_interval: Duration,
    /// Sent packets whose fates are kept, per connection. At least 1.
    pub(crate) ring: usize,
    /// Longest delay of an acknowledgement.
    pub(crate) ack_interval: Duration,
    /// A packet is lost when a sequence this far above it is acknowledged. At least 1.
    pub(crate) reorder: u64,
    /// Ticks after which an undecided packet is lost, unless [`record_time`](Self::record_time) is
    /// longer.
    pub(crate) record_ticks: u32,
    /// Shortest time after which an undecided packet is lost for its age in ticks.
    pub(crate) record_time: Duration,
    /// Time without a new acknowledgement after which no more state is sent.
    pub(crate) stall_after: Duration,
    /// Longest time between two probes.
    pub(crate) max_probe_interval: Duration,
    /// Time in the detached state after which the connection ends.
    pub(crate) idle_timeout: Duration,
    /// Bytes of repairs per connection and update.
    pub(crate) repair_bytes: usize,
    /// Packets that wait at the receiver for reliable packets.
    pub(crate) max_held_packets: usize,
    /// Bytes of these packets.
    pub(crate) max_held_bytes: usize,
    /// Time for which a tick waits for its missing packets. Zero applies each packet at once.
    pub(crate) gather_time: Duration,
    /// False acknowledgements in a minute that end a connection.
    pub(crate) max_bad_acks: u32,
}

impl LossSettings {
    /// Returns the usual settings for ticks of this length.
    pub(crate) const fn new(tick_interval: Duration) -> Self {
        Self {
            tick_interval,
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
            gather_time: tick_interval,
            max_bad_acks: 100,
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
    use std::time::Duration;

    use super::LossSettings;

    #[test]
    fn records_last_64_ticks_and_two_seconds() {
        for (hertz, ticks) in [(10, 64), (30, 64), (32, 64), (60, 120), (128, 256)] {
            let settings = LossSettings::new(Duration::from_secs(1) / hertz);
            assert!(settings.max_record_ticks().abs_diff(ticks) <= 1, "{hertz}");
            assert!(settings.tick_interval * settings.max_record_ticks() >= settings.record_time);
        }
        let endless = LossSettings::new(Duration::ZERO);
        assert_eq!(endless.max_record_ticks(), 2_000_000_000);
    }

    #[test]
    fn held_packets_and_repairs_have_limits() {
        let settings = LossSettings::new(Duration::from_millis(33));
        assert!(settings.max_held_bytes >= settings.max_held_packets * 1_200);
        assert!(settings.repair_bytes >= 4 * 1_124);
        assert_eq!(settings.gather_time, settings.tick_interval);
    }
}
