//! Datagrams for the transport.

use std::time::Duration;

use syncvar_runtime::Channel;

use crate::link::header::DatagramHeader;
use crate::link::header_bytes::HeaderBytes;
use crate::link::sequence::low_bits;
use crate::server::ServerConfig;
use crate::server::datagram_link::DatagramLink;
use crate::server::datagram_link::queue::{ChunkContent, DatagramPart};
use crate::server::ledger::LossLedger;
use crate::server::outbound::Outbound;
use crate::server::outbound::transmit::Packet;
use crate::server::sessions::connection::Connection;

impl Connection {
    /// Returns whether a datagram is to be sent, perhaps an acknowledgement alone.
    pub(crate) fn has_datagrams(&self, now: Duration) -> bool {
        let datagrams = self.datagrams.as_ref().filter(|_| self.is_ready());
        datagrams.is_some_and(|it| it.queue.has_more() || it.receiver.due(now))
    }
}

impl Outbound {
    /// Takes the next datagram of a connection. The stream must be empty: the datagram counts all packets on it.
    /// One without messages takes the first unreliable channel.
    #[inline]
    pub(crate) fn take_datagram(
        &mut self,
        connection: &mut Connection,
        config: &ServerConfig,
        now: Duration,
    ) -> Option<Packet> {
        if !connection.has_datagrams(now) {
            return None;
        }
        let datagrams = connection.datagrams.as_mut()?;
        let part = datagrams.take(&mut connection.ledger, now, &mut self.header);
        let (channel, chunks) = match part.chunks {
            [] => (config.lossy_channel(), 0..0),
            [first, ..] => {
                let count = part.chunks.len() as u64;
                (first.channel, first.chunk..first.chunk + count)
            }
        };
        if part.scattered {
            for queued in part.chunks {
                let chunk = self.store.get(&(queued.chunk..queued.chunk + 1));
                self.packet.extend_from_slice(chunk);
            }
        }
        let length = self.header.as_slice().len() + part.length;
        connection.send_queue.sent.add(length);
        Some(Packet {
            channel,
            delivery: Channel::Unreliable,
            length,
            chunks,
        })
    }
}

impl DatagramLink {
    /// Takes the next datagram and writes its header. A probe and an acknowledgement alone have no chunks.
    #[inline]
    fn take(
        &mut self,
        ledger: &mut LossLedger,
        now: Duration,
        bytes: &mut HeaderBytes,
    ) -> DatagramPart<'_> {
        let ack = self.receiver.owes_ack().then(|| self.receiver.take_ack());
        let mut header = DatagramHeader::new(None, ack);
        let mut part = DatagramPart::default();
        if self.queue.has_more() {
            let tick = self.queue.tick;
            (header.partial, header.owed) = (self.queue.partial, self.queue.lacks);
            part = self.queue.take();
            let records = part
                .chunks
                .iter()
                .filter_map(|queued| match queued.content {
                    ChunkContent::Frame(record) => Some(record),
                    ChunkContent::Unicast(_) | ChunkContent::Calls => None,
                });
            let sender = &mut self.sender;
            let after = sender.reliable_sent();
            let sequence =
                sender.record(now, tick, after, records, part.unicast, &mut ledger.packets);
            header.sent = Some(sender.place(sequence, tick));
            header.after = sender.needs_after(after).then(|| low_bits(after));
            header.part = part.place;
            let has_room = || header.has_room();
            let lacks = header.partial || header.owed;
            header.settled = self.notice.for_datagram(sender, sequence, lacks, has_room);
        }
        header.encode_to(bytes);
        part
    }
}
