//! A link that loses, delays, repeats and reorders datagrams, and keeps the order of its stream.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar::testing::Random;
use syncvar::{Channel, Transmit};

/// Quality of the links of a run, in both directions. The parts are per thousand datagrams.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quality {
    pub(crate) lost: u32,
    /// Datagrams of a burst of losses. The losses are as frequent as without bursts.
    pub(crate) burst: u32,
    pub(crate) reordered: u32,
    pub(crate) repeated: u32,
}

impl Quality {
    pub(crate) const PERFECT: Self = Self {
        lost: 0,
        burst: 1,
        reordered: 0,
        repeated: 0,
    };
}

/// Packet in flight.
#[derive(Clone)]
pub(crate) struct Packet {
    pub(crate) delivery: Channel,
    pub(crate) channel: u8,
    pub(crate) bytes: bytes::Bytes,
}

/// One direction of a link.
pub(crate) struct Pipe {
    delay: Duration,
    random: Random,
    /// By the time of arrival, and a number against equal times.
    flying: BTreeMap<(Duration, u64), Packet>,
    number: u64,
    last_of_stream: Duration,
    /// Datagrams that the burst in progress still loses.
    losing: u32,
}

impl Pipe {
    pub(crate) fn new(delay: Duration, seed: u64) -> Self {
        Self {
            delay,
            random: Random::new(seed),
            flying: BTreeMap::new(),
            number: 0,
            last_of_stream: Duration::ZERO,
            losing: 0,
        }
    }

    pub(crate) fn send(&mut self, now: Duration, transmit: &Transmit<'_>, quality: Quality) {
        let packet = Packet {
            delivery: transmit.delivery,
            channel: transmit.channel,
            bytes: transmit.to_bytes(),
        };
        let mut arrival = now + self.delay;
        if packet.delivery == Channel::Reliable {
            while self.random.chance(quality.lost) {
                arrival += 2 * self.delay;
            }
            arrival = arrival.max(self.last_of_stream);
            self.last_of_stream = arrival;
            return self.fly(arrival, packet);
        }
        if self.is_lost(quality) {
            return;
        }
        if self.random.chance(quality.reordered) {
            arrival += self.delay;
        }
        if self.random.chance(quality.repeated) {
            self.fly(arrival + self.delay / 2, packet.clone());
        }
        self.fly(arrival, packet);
    }

    pub(crate) fn arrived(&mut self, now: Duration) -> Option<Packet> {
        let first = self.flying.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    fn is_lost(&mut self, quality: Quality) -> bool {
        if self.losing > 0 {
            self.losing -= 1;
            return true;
        }
        let begins = self.random.below(1_000 * quality.burst) < quality.lost;
        if begins {
            self.losing = quality.burst - 1;
        }
        begins
    }

    fn fly(&mut self, arrival: Duration, packet: Packet) {
        self.number += 1;
        self.flying.insert((arrival, self.number), packet);
    }
}
