//! One connection of a server: its queues and their limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use syncvar_runtime::{ConnectionId, Endpoint, Transmit};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use tracing::Instrument;

use super::pieces::Piece;
use super::socket::Socket;
use super::{FrameError, Framing};
use crate::TransportOptions;
use crate::listener::Sent;

/// Server's end of a connection. Its task runs until the connection is closed or the peer is gone.
#[derive(Debug)]
pub(super) struct Connection {
    framing: Framing,
    inbox: mpsc::Receiver<Result<Bytes, FrameError>>,
    outbox: mpsc::UnboundedSender<Piece>,
    /// Bytes that the socket has not taken yet.
    queued: Arc<AtomicUsize>,
    /// Deadline for the client's first packet.
    deadline: Option<Instant>,
    task: AbortHandle,
}

/// Reason for the end of a connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the connection was lost")]
    Lost,
    #[error("no word after connecting")]
    Silent,
    #[error("malformed frame: {0}")]
    Frame(#[from] FrameError),
    #[error("{0}")]
    Packet(String),
}

impl Connection {
    /// Starts the task of a new connection.
    pub(super) fn open(
        stream: TcpStream,
        framing: Framing,
        options: &TransportOptions,
        tasks: &mut JoinSet<()>,
    ) -> Self {
        let max_packets = options.max_queued_packets.clamp(1, Semaphore::MAX_PERMITS);
        let (to_inbox, inbox) = mpsc::channel(max_packets);
        let (outbox, from_outbox) = mpsc::unbounded_channel();
        let queued = Arc::new(AtomicUsize::new(0));
        let span = tracing::debug_span!("stream", ?framing, peer = ?stream.peer_addr().ok());
        let socket = Socket {
            stream,
            frames: framing.frames(options.max_frame),
            inbox: to_inbox,
            outbox: from_outbox,
            queued: Arc::clone(&queued),
            receive_timeout: options.receive_timeout,
            send_timeout: options.send_timeout,
        };
        Self {
            framing,
            inbox,
            outbox,
            queued,
            deadline: Instant::now().checked_add(options.handshake_timeout),
            task: tasks.spawn(socket.run().instrument(span)),
        }
    }

    /// Passes a share of the input to the server.
    pub(super) fn receive(
        &mut self,
        connection: ConnectionId,
        server: &mut impl Endpoint,
        options: &TransportOptions,
        now: Instant,
    ) -> Result<(), Fault> {
        let mut bytes = self.framing.share(options.max_frame);
        for _ in 0..options.max_queued_packets.max(1) {
            let frame = match self.inbox.try_recv() {
                Ok(frame) => frame?,
                Err(mpsc::error::TryRecvError::Empty) => break,
                Err(mpsc::error::TryRecvError::Disconnected) => return Err(Fault::Lost),
            };
            let length = frame.len();
            let (channel, packet) = self.framing.split(frame);
            match server.handle_packet(connection, channel, &packet) {
                Ok(()) => self.deadline = None,
                Err(error) if server.is_connected(connection) => {
                    return Err(Fault::Packet(error.to_string()));
                }
                Err(error) => {
                    tracing::info!(%connection, %error, "the server has ended the connection");
                    break;
                }
            }
            match bytes.checked_sub(length) {
                Some(left) => bytes = left,
                None => break,
            }
        }
        match self.deadline {
            Some(deadline) if deadline <= now => Err(Fault::Silent),
            _ => Ok(()),
        }
    }

    /// Queues a packet, without a copy.
    pub(super) fn send(&self, packet: &Transmit<'_>, options: &TransportOptions) -> Sent {
        let length = packet.len();
        let head = self.framing.head(packet.channel, length, options.max_frame);
        let Some(head) = head else {
            let channel = packet.channel;
            tracing::error!(channel, length, "not sent: empty or too long");
            return Sent::Queued;
        };
        let before = self.queued.load(Ordering::Relaxed);
        if before.saturating_add(length) > options.max_queued_bytes {
            return Sent::TooSlow;
        }
        let length = length.saturating_add(bytes::Buf::remaining(&head));
        self.queued.fetch_add(length, Ordering::Relaxed);
        let chunks = packet.chunks.iter().cloned().map(Piece::Chunk);
        for piece in std::iter::once(Piece::Head(head)).chain(chunks) {
            // Fails when the task has ended; `receive` reports that.
            let _ = self.outbox.send(piece);
        }
        Sent::Queued
    }

    /// Closes the queues: the task sends the outbox, and ends.
    pub(super) fn close(self) -> AbortHandle {
        self.task
    }
}

#[cfg(all(test, feature = "tcp"))]
mod tests {
    use syncvar_net::{NetworkServer, ServerConfig};
    use syncvar_runtime::Prefabs;

    use super::*;

    #[tokio::test]
    async fn a_tick_handles_a_share_of_the_input() {
        let mut config = ServerConfig::default();
        config.compare_schemas = false;
        let mut server = NetworkServer::with_config(Prefabs::new(), config);
        let connection = server.handle_connect();
        let (from_client, inbox) = mpsc::channel(10);
        let mut tasks = JoinSet::<()>::new();
        let mut end = Connection {
            framing: Framing::Numbered,
            inbox,
            outbox: mpsc::unbounded_channel().0,
            queued: Arc::default(),
            deadline: None,
            task: tasks.spawn(std::future::pending()),
        };
        // A channel, and the message `Ready`: 5 bytes.
        for _ in 0..10 {
            let ready = Bytes::from_static(&[0, 0, 0, 35, 0]);
            from_client.try_send(Ok(ready)).unwrap();
        }
        let options = TransportOptions {
            max_frame: 18,
            ..TransportOptions::default()
        };
        let now = Instant::now();
        for handled in [4, 8, 10, 10] {
            end.receive(connection, &mut server, &options, now).unwrap();
            assert_eq!(server.stats().received.messages, handled);
        }
        drop(from_client);
        assert!(matches!(
            end.receive(connection, &mut server, &options, now),
            Err(Fault::Lost)
        ));
    }
}
