//! Datagrams for the transport.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Channel;

use crate::link::header::DatagramHeader;
use crate::link::header_bytes::HeaderBytes;
use crate::link::sequence::low_bits;
use crate::server::ServerConfig;
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
    /// One without messages takes the first unreliable channel.
    #[inline]
    pub(super) fn take_datagram(
        &mut self,
        connection: &mut Connection,
        config: &ServerConfig,
        now: Duration,
    ) -> Option<Packet> {
        if !connection.has_datagrams(now) {
            return None;
        }
        let datagrams = connection.datagrams.as_mut()?;
        let taken = datagrams.take(now, &mut self.header);
        let (channel, chunks) = match taken {
            [] => (config.lossy_channel(), 0..0),
            [first, ..] => {
                let chunks = first.chunk..first.chunk + taken.len() as u64;
                if !taken.iter().map(|it| it.chunk).eq(chunks.clone()) {
                    for queued in taken {
                        let chunk = self.store.get(&(queued.chunk..queued.chunk + 1));
                        self.packet.extend_from_slice(chunk);
                    }
                }
                (first.channel, chunks)
            }
        };
        let bytes = if self.packet.is_empty() {
            self.store.get(&chunks)
        } else {
            &self.packet
        };
        let length = self.header.as_slice().len() + bytes.iter().map(Bytes::len).sum::<usize>();
        connection.outgoing.add(length);
        Some(Packet {
            channel,
            delivery: Channel::Unreliable,
            length,
            chunks,
        })
    }
}

impl Datagrams {
    /// Takes the next datagram and writes its header. Returns its chunks, none for a probe or an acknowledgement
    /// alone.
    #[inline]
    fn take(&mut self, now: Duration, bytes: &mut HeaderBytes) -> &[Queued] {
        let ack = self.receiver.owes_ack().then(|| self.receiver.take_ack());
        let mut header = DatagramHeader::new(None, ack);
        let mut chunks = &[][..];
        if self.queue.has_more() {
            let tick = self.queue.tick;
            (header.partial, header.owed) = (self.queue.partial, self.queue.owed);
            let part = self.queue.take();
            chunks = part.chunks;
            let records = chunks.iter().filter_map(|queued| match queued.content {
                ChunkContent::Frame(record) => Some(record),
                ChunkContent::Own(_) | ChunkContent::Calls => None,
            });
            let (sender, verdicts) = (&mut self.sender, &mut self.verdicts);
            let after = sender.reliable_sent();
            let own = part.own.iter().copied();
            let sequence = sender.record(now, tick, after, records, own, verdicts);
            header.sent = Some(sender.place(sequence, tick));
            header.after = sender.needs_after(after).then(|| low_bits(after));
            header.part = part.place;
        }
        header.encode_to(bytes);
        chunks
    }
}
