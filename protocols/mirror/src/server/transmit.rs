//! What goes out: transport messages, and connections to be closed.

use bytes::{Bytes, BytesMut};
use syncvar_runtime::{Channel, ConnectionId};

use super::MirrorServer;
use super::stats::count;

/// A transport message for one connection: one batch, in pieces of memory to be sent one after another.
///
/// The pieces are shared with the messages of other connections; hand them to a vectored write, or join
/// them with [`to_bytes`](Self::to_bytes).
#[derive(Clone, Copy, Debug)]
pub struct MirrorTransmit<'a> {
    /// For whom.
    pub connection: ConnectionId,
    /// On which channel.
    pub channel: Channel,
    chunks: &'a [Bytes],
}

impl<'a> MirrorTransmit<'a> {
    /// The pieces, in order; never none.
    pub fn chunks(&self) -> &'a [Bytes] {
        self.chunks
    }

    /// The length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "a batch is never empty")]
    pub fn len(&self) -> usize {
        self.chunks.iter().map(Bytes::len).sum()
    }

    /// The message in one piece: another reference if it is in one piece already, a copy if not.
    pub fn to_bytes(&self) -> Bytes {
        match self.chunks {
            [chunk] => chunk.clone(),
            chunks => {
                let mut bytes = BytesMut::with_capacity(self.len());
                for chunk in chunks {
                    bytes.extend_from_slice(chunk);
                }
                bytes.freeze()
            }
        }
    }
}

impl MirrorServer {
    /// The next transport message to be sent; call it until there is none. There is nothing new but after
    /// an [`update`](Self::update) or a [`disconnect`](Self::disconnect).
    pub fn poll_transmit(&mut self) -> Option<MirrorTransmit<'_>> {
        self.polled = self.next_packet();
        let (connection, packet) = self.polled.as_ref()?;
        count(&mut self.stats.sent, packet.len());
        Some(MirrorTransmit {
            connection: *connection,
            channel: packet.channel,
            chunks: packet.chunks(),
        })
    }

    fn next_packet(&mut self) -> Option<(ConnectionId, super::Packet)> {
        if let Some(farewell) = self.farewells.pop_front() {
            return Some(farewell);
        }
        loop {
            let id = *self.outgoing.front()?;
            let client = self.connections.get_mut(id.0);
            if let Some(client) = client {
                if let Some(packet) = client.outbox.pop() {
                    return Some((id, packet));
                }
                client.listed = false;
            }
            self.outgoing.pop_front();
        }
    }

    /// A connection that the transport is to close, when it has sent what was polled before. The server
    /// does not know it any more; [`handle_disconnect`](Self::handle_disconnect) need not be called for it.
    pub fn poll_close(&mut self) -> Option<ConnectionId> {
        self.closing.pop_front()
    }
}
