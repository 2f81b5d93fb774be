//! One direction of a link: a stream, and datagrams that are lost, repeated and overtaken.

use std::time::Duration;

use bytes::Bytes;
use syncvar::Channel;
use syncvar::testing::Random;

use super::program::Conditions;

/// A packet with its arrival.
struct Packet {
    arrival: Duration,
    delivery: Channel,
    channel: u8,
    bytes: Bytes,
}

/// Time in which a stream repeats a lost packet.
const REPEAT: Duration = Duration::from_millis(200);

pub(crate) struct Link {
    random: Random,
    packets: Vec<Packet>,
    /// Arrival of the last packet of the stream.
    last: Duration,
    /// Time before which no packet arrives.
    pub(crate) blocked: Duration,
    /// Time before which datagrams are lost.
    pub(crate) lossy: Duration,
}

impl Link {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            packets: Vec::new(),
            last: Duration::ZERO,
            blocked: Duration::ZERO,
            lossy: Duration::ZERO,
        }
    }

    pub(crate) fn send(
        &mut self,
        now: Duration,
        conditions: &Conditions,
        (delivery, channel): (Channel, u8),
        bytes: Bytes,
    ) {
        let jitter = self.random.number() % (conditions.jitter + 1);
        let mut arrival = now + Duration::from_millis(conditions.delay + jitter);
        arrival = arrival.max(self.blocked);
        let is_lost = self.random.below(100) < conditions.loss;
        if delivery == Channel::Reliable {
            arrival += if is_lost { REPEAT } else { Duration::ZERO };
            self.last = self.last.max(arrival);
            arrival = self.last;
        } else if is_lost || now < self.lossy {
            return;
        } else if self.random.below(100) < conditions.duplicates {
            let arrival = arrival + Duration::from_millis(self.random.number() % 100);
            self.packets.push(Packet {
                arrival,
                delivery,
                channel,
                bytes: bytes.clone(),
            });
        }
        self.packets.push(Packet {
            arrival,
            delivery,
            channel,
            bytes,
        });
    }

    /// Removes and returns the next packet that has arrived.
    pub(crate) fn receive(&mut self, now: Duration) -> Option<(Channel, u8, Bytes)> {
        let next = (0..self.packets.len()).min_by_key(|index| self.packets[*index].arrival)?;
        let has_arrived = self.packets[next].arrival <= now;
        has_arrived.then(|| {
            let packet = self.packets.remove(next);
            (packet.delivery, packet.channel, packet.bytes)
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.packets.clear();
        self.last = Duration::ZERO;
    }
}
