//! A link for each direction: what is reliable comes in order and late, what is unreliable may be lost, come
//! twice or out of order.

use syncvar::Channel;

/// How bad a link is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quality {
    /// Of a hundred unreliable packets so many are lost.
    pub(crate) lost: u64,
    /// And so many come twice.
    pub(crate) twice: u64,
    /// So many frames something may take.
    pub(crate) delay: u64,
}

/// Numbers that look random.
#[derive(Clone, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) quality: Quality,
    dice: Dice,
    /// What is on its way: when it comes, and what it is.
    packets: Vec<(u64, Channel, Vec<u8>)>,
    /// When the last reliable one comes.
    last: u64,
}

impl Link {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            quality: Quality::default(),
            dice: Dice(seed | 1),
            packets: Vec::new(),
            last: 0,
        }
    }

    pub(crate) fn send(&mut self, frame: u64, channel: Channel, bytes: &[u8]) {
        let Quality { lost, twice, delay } = self.quality;
        if channel == Channel::Reliable {
            self.last = self.last.max(frame + self.dice.below(delay + 1));
            self.packets.push((self.last, channel, bytes.to_vec()));
            return;
        }
        if self.dice.below(100) < lost {
            return;
        }
        let times = 1 + u64::from(self.dice.below(100) < twice);
        for _ in 0..times {
            let due = frame + self.dice.below(delay + 1);
            self.packets.push((due, channel, bytes.to_vec()));
        }
    }

    /// What comes with this frame.
    pub(crate) fn receive(&mut self, frame: u64) -> Vec<(Channel, Vec<u8>)> {
        let due = self.packets.extract_if(.., |(due, ..)| *due <= frame);
        due.map(|(_, channel, bytes)| (channel, bytes)).collect()
    }
}
