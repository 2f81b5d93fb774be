//! Packets on their way. Datagrams are lost, doubled and overtake other packets.

use std::collections::VecDeque;

use syncvar::Channel;

/// A packet of an end.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) delivery: Channel,
    pub(crate) channel: u8,
    pub(crate) bytes: Vec<u8>,
}

/// One direction of a link.
#[derive(Default)]
pub(crate) struct Line {
    pub(crate) packets: VecDeque<Sent>,
    /// Number of datagrams.
    count: usize,
}

impl Line {
    /// Adds a packet. One of `loss` datagrams is lost, and the others arrive in another order; 0 for none of that.
    pub(crate) fn push(&mut self, packet: Sent, loss: usize) {
        if packet.delivery == Channel::Reliable || loss == 0 {
            self.packets.push_back(packet);
            return;
        }
        self.count += 1;
        if self.count % loss == 0 {
            return;
        }
        if self.count % 11 == 0 {
            self.packets.push_back(packet.clone());
        }
        let overtaken = (self.count * 7 % 5).min(self.packets.len());
        let place = self.packets.len() - overtaken;
        self.packets.insert(place, packet);
    }

    pub(crate) fn pop(&mut self) -> Option<Sent> {
        self.packets.pop_front()
    }
}
