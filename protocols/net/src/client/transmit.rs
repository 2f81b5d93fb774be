//! What goes out: messages, gathered into packets.

use super::{ClientPacket, NetworkClient};
use crate::NetId;
use crate::message::{Message, Resync};
use crate::packet::Segments;

impl NetworkClient {
    /// The next packet to be sent; call it until there is none.
    pub fn poll_transmit(&mut self) -> Option<ClientPacket> {
        self.ask_for_refused();
        if self.packets.is_empty() {
            self.pack();
        }
        let (channel, bytes) = self.packets.pop_front()?;
        self.stats.sent.add(bytes.len());
        Some(ClientPacket { channel, bytes })
    }

    pub(crate) fn has_outgoing(&self) -> bool {
        let waits = !self.desk.writing.is_empty() || !self.desk.refused.is_empty();
        waits || !self.outgoing.is_empty() || !self.packets.is_empty()
    }

    /// Makes packets of what waits to be sent.
    fn pack(&mut self) {
        let channel = self.outgoing_channel;
        let pieces = self.outgoing.drain().map(|piece| (channel, piece));
        self.packets.extend(pieces);
    }

    /// Where to write messages on a channel. What is written first is sent first, whatever the
    /// channels.
    pub(super) fn outgoing_on(&mut self, channel: u8) -> &mut Segments {
        if channel != self.outgoing_channel {
            self.pack();
            self.outgoing_channel = channel;
        }
        &mut self.outgoing
    }

    pub(super) fn send<M: Message>(&mut self, message: &M) {
        self.outgoing_on(0);
        let writer = self.outgoing.begin();
        message.encode(writer);
        if writer.take_error().is_some() {
            self.outgoing.give_up();
        } else {
            self.stats.count_encoded(M::TYPE, self.outgoing.commit());
        }
    }

    pub(super) fn ask_for(&mut self, id: NetId) {
        self.send(&Resync { net_id: id });
    }
}
