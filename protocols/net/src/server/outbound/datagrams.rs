//! Datagrams for the transport.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Channel;

use crate::link::header::DatagramHeader;
use crate::link::sequence::low_bits;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::queue::{ChunkContent, Queued};
use crate::server::outbound::Outbound;
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
    /// Takes the next datagram of a connection. The stream must be empty: the datagram counts all packets on it.
    /// One without messages takes the default channel.
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
        let (header, taken) = datagrams.take(now);
        let header = header.encode();
        let channel = taken.first().map_or(default_channel, |it| it.channel);
        let start = taken.first().map_or(0, |it| it.chunk);
        let is_adjacent = |(number, queued): (u64, &Queued)| queued.chunk == number;
        let mut chunks = 0..0;
        if (start..).zip(taken).all(is_adjacent) {
            chunks = start..start + taken.len() as u64;
        } else {
            for queued in taken {
                let chunk = self.store.get(&(queued.chunk..queued.chunk + 1));
                self.packet.extend_from_slice(chunk);
            }
        }
        let bytes = if self.packet.is_empty() {
            self.store.get(&chunks)
        } else {
            &self.packet
        };
        let length = header.as_slice().len() + bytes.iter().map(Bytes::len).sum::<usize>();
        connection.outgoing.add(length);
        Some(Packet {
            channel,
            delivery: Channel::Unreliable,
            length,
            header,
            chunks,
        })
    }
}

impl Datagrams {
    /// Takes the next datagram. Returns its header and its chunks, none for a probe or an acknowledgement alone.
    fn take(&mut self, now: Duration) -> (DatagramHeader, &[Queued]) {
        let ack = self.receiver.owes_ack().then(|| self.receiver.take_ack());
        if !self.queue.has_more() {
            return (DatagramHeader::new(None, ack), &[]);
        }
        let (tick, partial, owed) = (self.queue.tick, self.queue.partial, self.queue.owed);
        let part = self.queue.take();
        let records = part
            .chunks
            .iter()
            .filter_map(|queued| match queued.content {
                ChunkContent::Frame(record) => Some(record),
                ChunkContent::Own(_) | ChunkContent::Calls => None,
            });
        let after = self.sender.reliable_sent();
        let own = part.own.iter().copied();
        let sequence = self
            .sender
            .record(now, tick, after, records, own, &mut self.verdicts);
        let header = DatagramHeader {
            sent: Some(self.sender.place(sequence, tick)),
            after: self.sender.needs_after(after).then(|| low_bits(after)),
            part: part.place,
            ack,
            partial,
            owed,
        };
        (header, part.chunks)
    }
}
