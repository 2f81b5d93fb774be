//! Links with loss, duplicates and delay.

use syncvar::Channel;

/// Quality of a link. The default loses no packet and delivers at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quality {
    /// Percentage of lost unreliable packets.
    pub lost: u64,
    /// Percentage of duplicated unreliable packets.
    pub twice: u64,
    /// Shortest delay, in frames.
    pub least_delay: u64,
    /// Longest random delay on top, in frames.
    pub delay: u64,
}

/// Pseudo-random numbers (xorshift).
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// Returns the next number below the limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

/// One direction between a client and the server.
///
/// Reliable packets keep their order. Unreliable packets follow the [`Quality`].
#[derive(Debug)]
pub struct Link {
    /// Quality of the packets sent from now on.
    pub quality: Quality,
    dice: Dice,
    /// Packets under way with their frame of arrival.
    packets: Vec<(u64, Channel, Vec<u8>)>,
    /// Arrival of the newest reliable packet.
    last: u64,
}

impl Link {
    /// Returns an empty link of the default quality.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            quality: Quality::default(),
            dice: Dice(seed | 1),
            packets: Vec::new(),
            last: 0,
        }
    }

    /// Sends a packet in a frame.
    pub fn send(&mut self, frame: u64, channel: Channel, bytes: &[u8]) {
        let Quality {
            lost,
            twice,
            least_delay,
            delay,
        } = self.quality;
        let soonest = frame + least_delay;
        if channel == Channel::Reliable {
            self.last = self.last.max(soonest + self.dice.below(delay + 1));
            self.packets.push((self.last, channel, bytes.to_vec()));
            return;
        }
        if self.dice.below(100) < lost {
            return;
        }
        let times = 1 + u64::from(self.dice.below(100) < twice);
        for _ in 0..times {
            let due = soonest + self.dice.below(delay + 1);
            self.packets.push((due, channel, bytes.to_vec()));
        }
    }

    /// Removes and returns the packets that arrive by a frame.
    pub fn receive(&mut self, frame: u64) -> Vec<(Channel, Vec<u8>)> {
        let due = self.packets.extract_if(.., |(due, ..)| *due <= frame);
        due.map(|(_, channel, bytes)| (channel, bytes)).collect()
    }
}
