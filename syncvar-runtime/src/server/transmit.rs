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
        let (connection, channel) = loop {
            let id = *self.outgoing.front()?;
            let next = self.connections.get_mut(id.0).and_then(|connection| {
                connection.flush_own();
                connection.take_packet(self.config.gathered_size(), &mut self.packet)
            });
            match next {
                Some(channel) => break (id, channel),
                None => self.unlist_first(),
            }
        };
        let transmit = Transmit {
            connection,
            channel,
            segments: &self.packet,
        };
        self.stats.sent.add(transmit.len());
        Some(transmit)
    }

    /// The first listed connection has nothing to send any more; if it is closing, it is gone.
    fn unlist_first(&mut self) {
        let Some(id) = self.outgoing.pop_front() else {
            return;
        };
        let Some(connection) = self.connections.get_mut(id.0) else {
            return;
        };
        connection.listed = false;
        if connection.state == ConnectionState::Closing {
            self.connections.remove(id.0);
        }
    }
}

impl Connection {
    /// Moves the pieces of one packet into `packet` and returns its channel.
    fn take_packet(&mut self, packet_size: usize, packet: &mut Vec<Bytes>) -> Option<u8> {
        let channel = self.queue.front()?.0;
        let mut length = 0;
        while let Some((_, piece)) = self.queue.front().filter(|next| next.0 == channel) {
            length += piece.len();
            if !packet.is_empty() && length > packet_size {
                break;
            }
            packet.extend(self.queue.pop_front().map(|(_, piece)| piece));
        }
        Some(channel)
    }
}
