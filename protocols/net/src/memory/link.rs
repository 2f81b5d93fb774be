//! `Link`: simulated delay, loss, bandwidth and reordering from a seed.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Channel;

use super::Random;

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
///     ..Link::default()
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
    /// Most bytes that leave in a second; `None` without a limit. Packets queue before a narrow link.
    pub bytes_per_second: Option<u32>,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Direction of a link.
#[derive(Debug)]
pub(super) struct Pipe {
    link: Link,
    random: Random,
    /// In order of arrival.
    in_flight: VecDeque<InFlight>,
    /// Arrival time of the last packet on a reliable channel.
    last_reliable: Duration,
    /// Time when the last packet has left the narrow end.
    free: Duration,
}

#[derive(Debug)]
struct InFlight {
    arrival: Duration,
    /// Carrier and channel.
    place: (Channel, u8),
    packet: Bytes,
}

impl Pipe {
    pub(super) fn new(link: &Link, number: u64) -> Self {
        Self {
            link: link.clone(),
            random: Random::new(link.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            in_flight: VecDeque::new(),
            last_reliable: Duration::ZERO,
            free: Duration::ZERO,
        }
    }

    /// Returns the quality of the link.
    pub(super) fn link(&self) -> &Link {
        &self.link
    }

    /// Changes the quality for the packets to come. The random numbers go on.
    pub(super) fn set_link(&mut self, link: Link) {
        self.link = link;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Drops the packets in flight.
    pub(super) fn clear(&mut self) {
        self.in_flight.clear();
    }

    pub(super) fn send(&mut self, now: Duration, place: (Channel, u8), packet: Bytes) {
        let reliable = place.0 == Channel::Reliable;
        let mut arrival = self.departure(now, packet.len()) + self.travel_time();
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
        let index = self.in_flight.partition_point(earlier);
        let packet = InFlight {
            arrival,
            place,
            packet,
        };
        self.in_flight.insert(index, packet);
    }

    /// Removes and returns the next packet that has arrived.
    pub(super) fn next_arrived(&mut self, now: Duration) -> Option<(Channel, u8, Bytes)> {
        let arrived = |packet: &mut InFlight| packet.arrival <= now;
        let in_flight = self.in_flight.pop_front_if(arrived)?;
        let (carrier, channel) = in_flight.place;
        Some((carrier, channel, in_flight.packet))
    }

    /// Returns the time when a packet has left.
    fn departure(&mut self, now: Duration, length: usize) -> Duration {
        let Some(rate) = self.link.bytes_per_second else {
            return now;
        };
        let bytes = u32::try_from(length).unwrap_or(u32::MAX);
        let time = Duration::from_secs(1) * bytes / rate.max(1);
        self.free = self.free.max(now) + time;
        self.free
    }

    fn travel_time(&mut self) -> Duration {
        let part = self.random.below(1000);
        self.link.delay + self.link.jitter * part / 1000
    }

    fn is_lost(&mut self) -> bool {
        self.random.chance(self.link.loss_per_mille.min(990).into())
    }
}
