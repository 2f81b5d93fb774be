//! One connection: what has come, what is to be sent, and their limits.

use std::io::{self, Cursor};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::BytesMut;
use syncvar_net::{NetworkServer, PacketError, Transmit};
use syncvar_runtime::ConnectionId;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use tracing::Instrument;

use super::socket::Socket;
use crate::TcpOptions;
use crate::frame::{self, Piece};

/// The server's end of a connection. Its task goes on until the link is closed or the peer is gone.
#[derive(Debug)]
pub(super) struct Link {
    inbox: mpsc::Receiver<io::Result<BytesMut>>,
    outbox: mpsc::UnboundedSender<Piece>,
    /// The bytes that the socket has not taken yet.
    queued: Arc<AtomicUsize>,
    /// By when the client must have said something; nothing once it has.
    deadline: Option<Instant>,
    task: AbortHandle,
}

/// Why a connection ends.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the connection was lost")]
    Lost,
    #[error("no word after connecting")]
    Silent,
    #[error("malformed frame: {0}")]
    Frame(io::Error),
    #[error("malformed frame: no packet for a channel that there is")]
    NoPacket,
    #[error(transparent)]
    Packet(PacketError),
}

impl Link {
    /// Starts the task of a new connection.
    pub(super) fn open(
        stream: TcpStream,
        connection: ConnectionId,
        options: &TcpOptions,
        tasks: &mut JoinSet<()>,
    ) -> Self {
        let max_packets = options.max_queued_packets.clamp(1, Semaphore::MAX_PERMITS);
        let (to_inbox, inbox) = mpsc::channel(max_packets);
        let (outbox, from_outbox) = mpsc::unbounded_channel();
        let queued = Arc::new(AtomicUsize::new(0));
        let socket = Socket {
            stream,
            codec: frame::codec(options.max_packet),
            inbox: to_inbox,
            outbox: from_outbox,
            queued: Arc::clone(&queued),
            stall_timeout: options.stall_timeout,
        };
        let span = tracing::debug_span!("tcp", %connection);
        Self {
            inbox,
            outbox,
            queued,
            deadline: Instant::now().checked_add(options.handshake_timeout),
            task: tasks.spawn(socket.run().instrument(span)),
        }
    }

    /// Hands about `share` bytes of what has come to the server.
    pub(super) fn receive(
        &mut self,
        connection: ConnectionId,
        server: &mut NetworkServer,
        share: usize,
        now: Instant,
    ) -> Result<(), Fault> {
        let mut taken = 0;
        while taken <= share {
            let frame = match self.inbox.try_recv() {
                Ok(frame) => frame.map_err(Fault::Frame)?,
                Err(mpsc::error::TryRecvError::Empty) => break,
                Err(mpsc::error::TryRecvError::Disconnected) => return Err(Fault::Lost),
            };
            taken += frame.len();
            let channels = server.config().channels.len();
            let packet = match frame.split_first() {
                Some((channel, packet)) if usize::from(*channel) < channels => packet,
                _ => return Err(Fault::NoPacket),
            };
            if packet.is_empty() {
                return Err(Fault::NoPacket);
            }
            match server.handle_packet(connection, packet) {
                Ok(()) => self.deadline = None,
                // The packet before this one has ended the connection.
                Err(PacketError::UnknownConnection(_)) => break,
                Err(error) => return Err(Fault::Packet(error)),
            }
        }
        match self.deadline {
            Some(deadline) if deadline <= now => Err(Fault::Silent),
            _ => Ok(()),
        }
    }

    /// Queues a packet, without a copy. `false` if too much is waiting already.
    pub(super) fn send(&self, transmit: &Transmit<'_>, max_queued_bytes: usize) -> bool {
        let length = transmit.len();
        let Some(header) = frame::header(transmit.channel, length) else {
            return false;
        };
        let length = header.len() + length;
        let before = self.queued.fetch_add(length, Ordering::Relaxed);
        if before.saturating_add(length) > max_queued_bytes {
            return false;
        }
        let header = Piece::Header(Cursor::new(header));
        let segments = transmit.segments.iter().cloned().map(Piece::Segment);
        for piece in std::iter::once(header).chain(segments) {
            // It fails when the task has ended, which `receive` will notice.
            let _ = self.outbox.send(piece);
        }
        true
    }

    /// Closes the queues: the task sends what is waiting, and ends.
    pub(super) fn close(self) -> AbortHandle {
        self.task
    }
}

#[cfg(test)]
mod tests {
    use syncvar_net::ServerConfig;
    use syncvar_runtime::Prefabs;

    use super::*;

    #[tokio::test]
    async fn of_what_has_come_a_share_is_handled_and_the_rest_waits() {
        let mut config = ServerConfig::default();
        config.compare_schemas = false;
        let mut server = NetworkServer::with_config(Prefabs::new(), config);
        let connection = server.handle_connect();
        let (from_client, inbox) = mpsc::channel(10);
        let mut tasks = JoinSet::<()>::new();
        let mut link = Link {
            inbox,
            outbox: mpsc::unbounded_channel().0,
            queued: Arc::default(),
            deadline: None,
            task: tasks.spawn(std::future::pending()),
        };
        // A channel, and the message `Ready`: 5 bytes.
        for _ in 0..10 {
            from_client
                .try_send(Ok(BytesMut::from(&[0, 0, 0, 35, 0][..])))
                .unwrap();
        }
        let now = Instant::now();
        for handled in [4, 8, 10, 10] {
            link.receive(connection, &mut server, 18, now).unwrap();
            assert_eq!(server.stats().received.messages, handled);
        }
        drop(from_client);
        assert!(matches!(
            link.receive(connection, &mut server, 18, now),
            Err(Fault::Lost)
        ));
    }
}
