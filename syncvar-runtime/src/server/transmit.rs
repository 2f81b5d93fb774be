//! What goes out: packets, as lists of shared pieces.

use bytes::{Bytes, BytesMut};

use super::connection::{Connection, ConnectionState};
use super::{ConnectionId, NetworkServer};

/// A packet for one connection: pieces of memory to be sent one after another.
///
/// The pieces are shared with the packets of other connections; hand them to a vectored write, or
/// join them with [`to_bytes`](Self::to_bytes).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Transmit<'a> {
    /// For whom.
    pub connection: ConnectionId,
    /// On which channel.
    pub channel: u8,
    /// The pieces, in order; never none, and none of them empty.
    pub segments: &'a [Bytes],
}

impl Transmit<'_> {
    /// The packet's length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "a packet is never empty")]
    pub fn len(&self) -> usize {
        self.segments.iter().map(Bytes::len).sum()
    }

    /// The packet in one piece: another reference if it is in one piece already, a copy if not.
    pub fn to_bytes(&self) -> Bytes {
        match self.segments {
            [segment] => segment.clone(),
            segments => {
                let mut bytes = BytesMut::with_capacity(self.len());
                for segment in segments {
                    bytes.extend_from_slice(segment);
                }
                bytes.freeze()
            }
        }
    }
}

impl NetworkServer {
    /// The next packet to be sent; call it until there is none.
    pub fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.packet.clear();
        let packet_size = self.config.gathered_size();
        loop {
            let id = *self.outgoing.front()?;
            let Some(connection) = self.connections.get_mut(id.0) else {
                self.outgoing.pop_front();
                continue;
            };
            connection.flush_own();
            let taken = connection.take_packet(packet_size, &mut self.packet);
            let done = connection.queue.is_empty();
            let closing = connection.state == ConnectionState::Closing;
            // One that is closing stays until it is asked once more and has nothing left.
            if done && !(closing && taken.is_some()) {
                connection.listed = false;
                self.outgoing.pop_front();
                if closing {
                    self.connections.remove(id.0);
                }
            }
            if let Some((channel, length)) = taken {
                self.stats.sent.add(length);
                return Some(Transmit {
                    connection: id,
                    channel,
                    segments: &self.packet,
                });
            }
        }
    }
}

impl Connection {
    /// Moves the pieces of one packet into `packet`; returns its channel and its length.
    #[inline]
    fn take_packet(&mut self, packet_size: usize, packet: &mut Vec<Bytes>) -> Option<(u8, usize)> {
        let (channel, first) = self.queue.pop_front()?;
        let mut length = first.len();
        packet.push(first);
        while let Some((next, piece)) = self.queue.front() {
            let longer = length + piece.len();
            if *next != channel || longer > packet_size {
                break;
            }
            length = longer;
            packet.extend(self.queue.pop_front().map(|(_, piece)| piece));
        }
        Some((channel, length))
    }
}
