//! `Link`: simulated delay, loss and reordering from a seed.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

/// Quality of a simulated link, equal in both directions. The default is instant and lossless.
///
/// See [`MemoryNetwork::with_config`](crate::MemoryNetwork::with_config) for an example.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
/// use syncvar::testing::Link;
/// use syncvar::ServerConfig;
///
/// let link = Link {
///     delay: Duration::from_millis(80),
///     jitter: Duration::from_millis(20),
///     loss_per_mille: 50,
///     seed: 1,
/// };
/// let mut net = MemoryNetwork::with_config(Prefabs::new, ServerConfig::default(), link);
/// let client = net.connect();
/// net.settle();
/// assert!(net.is_connected(client));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// Shortest travel time of a packet.
    pub delay: Duration,
    /// Range of additional travel time. It reorders packets of unreliable channels.
    pub jitter: Duration,
    /// Lost packets per thousand. A reliable channel repeats a lost packet; the packets behind it wait.
    pub loss_per_mille: u16,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Direction of a link.
#[derive(Debug)]
pub(super) struct Pipe {
    link: Link,
    random: u64,
    /// In order of arrival.
    in_flight: VecDeque<InFlight>,
    /// Arrival time of the last packet on a reliable channel.
    last_reliable: Duration,
}

#[derive(Debug)]
struct InFlight {
    arrival: Duration,
    channel: u8,
    packet: Bytes,
}

impl Pipe {
    pub(super) fn new(link: &Link, number: u64) -> Self {
        Self {
            link: link.clone(),
            random: link.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            in_flight: VecDeque::new(),
            last_reliable: Duration::ZERO,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Drops the packets in flight.
    pub(super) fn clear(&mut self) {
        self.in_flight.clear();
    }

    pub(super) fn send(&mut self, now: Duration, channel: u8, packet: Bytes, reliable: bool) {
        let mut arrival = now + self.travel_time();
        while self.is_lost() {
            if !reliable {
                return;
            }
            arrival += self.link.delay + self.travel_time();
        }
        if reliable {
            arrival = arrival.max(self.last_reliable);
            self.last_reliable = arrival;
        }
        let earlier = |other: &InFlight| other.arrival <= arrival;
        let place = self.in_flight.partition_point(earlier);
        let packet = InFlight {
            arrival,
            channel,
            packet,
        };
        self.in_flight.insert(place, packet);
    }

    /// Removes and returns the next packet that has arrived.
    pub(super) fn next_arrived(&mut self, now: Duration) -> Option<(u8, Bytes)> {
        let arrived = |packet: &mut InFlight| packet.arrival <= now;
        let in_flight = self.in_flight.pop_front_if(arrived)?;
        Some((in_flight.channel, in_flight.packet))
    }

    fn travel_time(&mut self) -> Duration {
        let part = u32::try_from(self.roll() % 1000).unwrap_or_default();
        self.link.delay + self.link.jitter * part / 1000
    }

    fn is_lost(&mut self) -> bool {
        self.roll() % 1000 < u64::from(self.link.loss_per_mille.min(990))
    }

    /// Returns the next random number (`SplitMix64`).
    fn roll(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
