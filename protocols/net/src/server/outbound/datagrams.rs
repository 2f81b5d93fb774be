//! Datagrams for the transport.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Channel;

use crate::link::header::DatagramHeader;
use crate::link::sequence::low_bits;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::queue::{ChunkContent, Queued};
use crate::server::outbound::Outbound;
use crate::server::outbound::chunks::ChunkStore;
use crate::server::outbound::transmit::Packet;
use crate::server::sessions::connection::Connection;

impl Connection {
    /// Returns whether a datagram is to be sent, perhaps an acknowledgement alone.
    pub(super) fn has_datagrams(&self, now: Duration) -> bool {
        let datagrams = self.datagrams.as_ref().filter(|_| self.is_ready());
        datagrams.is_some_and(|it| it.queue.has_more() || it.receiver.due(now))
    }
}

impl Outbound {
    /// Takes the next datagram of a connection. Its chunks are gathered. The stream must be empty: the datagram
    /// counts all packets on it. One without messages takes the default channel.
    pub(super) fn take_datagram(
        &mut self,
        connection: &mut Connection,
        default_channel: u8,
        now: Duration,
    ) -> Option<Packet> {
        if !connection.has_datagrams(now) {
            return None;
        }
        let datagrams = connection.datagrams.as_mut()?;
        let header = datagrams.take(&self.store, now, &mut self.taken).encode();
        let mut length = header.as_slice().len();
        for queued in &self.taken {
            let chunk = self.store.get(&(queued.chunk..queued.chunk + 1));
            length += chunk.iter().map(Bytes::len).sum::<usize>();
            self.packet.extend_from_slice(chunk);
        }
        connection.outgoing.add(length);
        Some(Packet {
            channel: self.taken.first().map_or(default_channel, |it| it.channel),
            delivery: Channel::Unreliable,
            length,
            header,
            chunks: 0..0,
        })
    }
}

impl Datagrams {
    /// Takes the chunks of the next datagram, none for a probe or an acknowledgement alone. Returns its header.
    fn take(
        &mut self,
        store: &ChunkStore,
        now: Duration,
        taken: &mut Vec<Queued>,
    ) -> DatagramHeader {
        taken.clear();
        let ack = self.receiver.owes_ack().then(|| self.receiver.take_ack());
        if !self.queue.has_more() {
            return DatagramHeader::new(None, ack);
        }
        let part = self.queue.take((store, self.room), taken);
        let tick = self.queue.tick;
        let records = taken.iter().filter_map(|queued| match queued.content {
            ChunkContent::Frame(record) => Some(record),
            ChunkContent::Own | ChunkContent::Calls => None,
        });
        let own = taken
            .iter()
            .filter(|it| matches!(it.content, ChunkContent::Own));
        let own = self.queue.take_own(own.map(|queued| queued.chunk).max());
        let after = self.sender.reliable_sent();
        let sequence = self
            .sender
            .record(now, tick, after, records, own, &mut self.verdicts);
        DatagramHeader {
            sent: Some(self.sender.place(sequence, tick)),
            after: self.sender.needs_after(after).then(|| low_bits(after)),
            part,
            ack,
            partial: self.queue.partial,
            owed: self.queue.owed,
        }
    }
}
