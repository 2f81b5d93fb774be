//! What goes out: packets, as lists of shared pieces.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

use super::NetworkServer;
use super::connection::{Connection, ConnectionState};
use super::stock::Stock;
use crate::ConnectionId;

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
        if self.audiences.is_written() {
            self.deliver();
        }
        let packet_size = self.config.gathered_size();
        let (id, packet) = loop {
            let Some(id) = self.outgoing.front().copied() else {
                self.stock.clear();
                return None;
            };
            let Some(connection) = self.connections.get_mut(id.0) else {
                self.outgoing.pop_front();
                continue;
            };
            connection.flush_own(&mut self.stock);
            let taken = connection.take_packet(packet_size, &self.stock, &mut self.packet);
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
            if let Some(packet) = taken {
                break (id, packet);
            }
        };
        self.stats.sent.add(packet.length);
        let segments = if self.packet.is_empty() {
            self.stock.get(&packet.pieces)
        } else {
            &self.packet
        };
        Some(Transmit {
            connection: id,
            channel: packet.channel,
            segments,
        })
    }

    /// Forgets pieces that nobody waits for, should it be long since nobody waited for any.
    pub(super) fn tidy_stock(&mut self) {
        let (outgoing, connections) = (&self.outgoing, &self.connections);
        self.stock.trim(|| {
            let waiting = outgoing.iter().filter_map(|id| connections.get(id.0));
            let parcels = waiting.flat_map(|connection| &connection.queue);
            parcels.map(|parcel| parcel.pieces.start).min()
        });
    }
}

/// A packet that was taken from a connection's queue.
struct Packet {
    channel: u8,
    length: usize,
    /// Its pieces, if they lie next to each other; otherwise they were gathered.
    pieces: Range<u64>,
}

impl Connection {
    /// Takes the pieces of one packet off the queue. Those that do not lie next to each other in the
    /// stock are gathered into `packet`.
    #[inline]
    fn take_packet(
        &mut self,
        packet_size: usize,
        stock: &Stock,
        packet: &mut Vec<Bytes>,
    ) -> Option<Packet> {
        let parcel = self.queue.front_mut()?;
        let channel = parcel.channel;
        let start = parcel.pieces.next()?;
        let mut pieces = start..start + 1;
        let mut length = stock.length(start);
        loop {
            let parcel = match self.queue.front_mut() {
                Some(parcel) if parcel.pieces.is_empty() => {
                    self.queue.pop_front();
                    continue;
                }
                Some(parcel) if parcel.channel == channel => parcel,
                _ => break,
            };
            let next = parcel.pieces.start;
            let longer = length + stock.length(next);
            if longer > packet_size {
                break;
            }
            if packet.is_empty() && next == pieces.end {
                pieces.end += 1;
            } else {
                if packet.is_empty() {
                    packet.extend_from_slice(stock.get(&pieces));
                }
                packet.extend_from_slice(stock.get(&(next..next + 1)));
            }
            parcel.pieces.start += 1;
            length = longer;
        }
        Some(Packet {
            channel,
            length,
            pieces,
        })
    }
}
