//! Packets for the transport, as lists of shared chunks.

use std::ops::Range;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId};

use crate::link::header::StreamHeader;
use crate::link::header_bytes::{HeaderBytes, MAX_HEADER};
use crate::server::ServerConfig;
use crate::server::context::Context;
use crate::server::outbound::Outbound;
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::{Connection, ConnectionState};

/// A packet taken from a connection's queue.
pub(crate) struct Packet {
    pub(crate) channel: u8,
    pub(crate) delivery: Channel,
    pub(crate) length: usize,
    /// Its chunks, if they are adjacent in the store. Otherwise they were gathered.
    pub(crate) chunks: Range<u64>,
}

impl Connection {
    /// Takes a packet that the client has missed on its former link.
    #[inline]
    pub(crate) fn take_again(&mut self) -> Option<(u8, Bytes)> {
        let session = self.session.as_mut()?;
        session.link?;
        session.recent.pop_again()
    }

    /// Writes the header of a packet on the stream. Returns whether the packet begins a series of incomplete ticks on a
    /// stream without datagrams.
    #[inline(never)]
    pub(crate) fn write_header(
        &mut self,
        tick: u32,
        has_state: bool,
        bytes: &mut HeaderBytes,
    ) -> bool {
        let was_complete = self.headers.withheld.is_none();
        let mut of_tick = self
            .send_queue
            .chunks
            .iter()
            .take_while(|queued| queued.tick == tick);
        let mut header = StreamHeader {
            end: of_tick.all(|queued| queued.chunks.is_empty()),
            ..StreamHeader::default()
        };
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.count_reliable(tick, has_state, header.end);
            if header.end {
                let queue = &datagrams.queue;
                header.partial = datagrams.sender.is_detached();
                if queue.tick == tick {
                    header.datagrams = queue.parts();
                    header.partial |= queue.partial;
                    header.owed = queue.lacks;
                }
                if header.datagrams.is_none() {
                    let lacks = header.partial || header.owed;
                    header.sent = datagrams.notice.for_stream(&datagrams.sender, lacks);
                }
            }
            let owes_ack = datagrams.receiver.owes_ack();
            header.ack = owes_ack.then(|| datagrams.receiver.take_ack());
        } else {
            header.partial = header.end && self.ledger.withholds();
            if header.end {
                self.headers.note_end(tick, header.partial);
            }
        }
        self.headers.sent.stamp(tick, header).encode_to(bytes);
        was_complete && self.headers.withheld.is_some()
    }
}

impl Outbound {
    /// Takes the next packet, with the link that it leaves on.
    pub(crate) fn poll(
        &mut self,
        context: &Context,
        sessions: &mut Sessions,
    ) -> Option<(ConnectionId, Packet)> {
        self.awaits_poll = false;
        loop {
            let Some(id) = self.outgoing.front().copied() else {
                self.store.clear();
                return None;
            };
            let Some(connection) = sessions.connections.get_mut(id.0) else {
                self.outgoing.pop_front();
                continue;
            };
            if let Some((channel, bytes)) = connection.take_again() {
                let (length, chunks) = (bytes.len(), 0..0);
                self.packet.push(bytes);
                self.header = HeaderBytes::default();
                let packet = Packet {
                    channel,
                    delivery: Channel::Reliable,
                    length,
                    chunks,
                };
                return Some((connection.link().unwrap_or(id), packet));
            }
            let taken = self.poll_connection(context, connection);
            let done = connection.send_queue.chunks.is_empty()
                && !connection.has_datagrams(context.clock.now());
            let closing = connection.state == ConnectionState::Closing;
            // A closing connection stays until a later poll finds its queue empty.
            if done && !(closing && taken.is_some()) {
                connection.send_queue.listed = false;
                self.outgoing.pop_front();
            }
            let link = connection.link();
            if done && closing && taken.is_none() {
                sessions.connections.remove(id.0);
                sessions.returns.remove_link(link.unwrap_or(id));
            }
            if let (Some(packet), Some(link)) = (taken, link) {
                return Some((link, packet));
            }
            self.packet.clear();
        }
    }

    /// Takes the next packet of a connection. The session keeps a copy of a packet that a returning client may
    /// need.
    #[inline]
    fn poll_connection(
        &mut self,
        context: &Context,
        connection: &mut Connection,
    ) -> Option<Packet> {
        connection.send_queue.flush(&mut self.store);
        let packet = if connection.send_queue.chunks.is_empty() {
            self.take_datagram(connection, &context.config, context.clock.now())
        } else {
            self.take_packet(connection, &context.config)
        }?;
        let has_repair = connection.datagrams.is_some();
        let reliable = packet.delivery == Channel::Reliable;
        if let Some(session) = &mut connection.session
            && (reliable || !has_repair)
        {
            let parts = (self.header.as_slice(), self.chunks(&packet));
            let kept = reliable.then_some(parts);
            session.keep(packet.channel, kept, context.config.resume_bytes);
        }
        Some(packet)
    }

    /// Returns the chunks of the packet polled last.
    #[inline]
    pub(crate) fn chunks(&self, packet: &Packet) -> &[Bytes] {
        if self.packet.is_empty() {
            self.store.get(&packet.chunks)
        } else {
            &self.packet
        }
    }

    /// Takes the chunks of one packet from the queue of a connection. Chunks that are not adjacent in the store are
    /// gathered.
    pub(crate) fn take_packet(
        &mut self,
        connection: &mut Connection,
        config: &ServerConfig,
    ) -> Option<Packet> {
        let queued = connection.send_queue.chunks.front_mut()?;
        let (channel, tick) = (queued.channel, queued.tick);
        let start = queued.chunks.next()?;
        let has_header = connection.headers.apply(start);
        let header_size = if has_header { MAX_HEADER } else { 0 };
        let packet_size = config.gathered_size().saturating_sub(header_size);
        let mut chunks = start..start + 1;
        let mut length = self.store.length(start);
        loop {
            let queued = match connection.send_queue.chunks.front_mut() {
                Some(queued) if queued.chunks.is_empty() => {
                    connection.send_queue.chunks.pop_front();
                    continue;
                }
                Some(queued) if queued.channel == channel && queued.tick == tick => queued,
                _ => break,
            };
            let next = queued.chunks.start;
            let longer = length + self.store.length(next);
            if longer > packet_size || connection.headers.apply(next) != has_header {
                break;
            }
            if self.packet.is_empty() && next == chunks.end {
                chunks.end += 1;
            } else {
                if self.packet.is_empty() {
                    self.packet.extend_from_slice(self.store.get(&chunks));
                }
                let chunk = self.store.get(&(next..next + 1));
                self.packet.extend_from_slice(chunk);
            }
            queued.chunks.start += 1;
            length = longer;
        }
        let kind = config.channels.get(usize::from(channel));
        let delivery = if has_header {
            let has_state = kind == Some(&Channel::Unreliable);
            if connection.write_header(tick, has_state, &mut self.header) {
                self.incomplete.push(connection.id);
            }
            Channel::Reliable
        } else {
            self.header = HeaderBytes::default();
            connection.headers.delivery(kind)
        };
        length += self.header.as_slice().len();
        connection.send_queue.sent.add(length);
        Some(Packet {
            channel,
            delivery,
            length,
            chunks,
        })
    }
}
