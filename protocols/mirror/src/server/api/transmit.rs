//! Output for the transport: packets, and connections to close.

use bytes::Bytes;
use syncvar_runtime::endpoint::join;
use syncvar_runtime::{Channel, ConnectionId};

use crate::server::MirrorServer;
use crate::server::stats::count;

/// A transport message for one connection: one batch, in chunks to send in sequence.
///
/// The chunks are shared with other connections; pass them to a vectored write, or join them with
/// [`to_bytes`](Self::to_bytes).
#[derive(Clone, Copy, Debug)]
pub struct MirrorTransmit<'a> {
    /// The receiver.
    pub connection: ConnectionId,
    /// The channel.
    pub channel: Channel,
    chunks: &'a [Bytes],
}

impl<'a> MirrorTransmit<'a> {
    /// Returns the chunks in order, at least one.
    pub fn chunks(&self) -> &'a [Bytes] {
        self.chunks
    }

    /// Returns the length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "a batch is never empty")]
    pub fn len(&self) -> usize {
        self.chunks.iter().map(Bytes::len).sum()
    }

    /// Returns the message as one slice: a reference to a single chunk, or a copy of several.
    pub fn to_bytes(&self) -> Bytes {
        join(&[], self.chunks)
    }
}

impl MirrorServer {
    /// Returns the next transport message; call it until `None`. New messages come with
    /// [`update`](Self::update) and [`disconnect`](Self::disconnect).
    pub fn poll_transmit(&mut self) -> Option<MirrorTransmit<'_>> {
        let (connection, packet) = self.outbound.poll(&mut self.sessions)?;
        count(&mut self.context.stats.sent, packet.len());
        Some(MirrorTransmit {
            connection,
            channel: packet.channel,
            chunks: packet.chunks(),
        })
    }

    /// Returns a connection to close after sending its polled messages. The server has dropped it
    /// already; [`handle_disconnect`](Self::handle_disconnect) is optional for it.
    pub fn poll_close(&mut self) -> Option<ConnectionId> {
        self.outbound.poll_close()
    }
}
