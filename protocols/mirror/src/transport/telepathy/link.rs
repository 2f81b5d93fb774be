//! One connection of a server: what has come, what is to be sent, and their limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{Bytes, BytesMut};
use syncvar_runtime::{Channel, ConnectionId};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{AbortHandle, JoinSet};
use tracing::Instrument;

use super::frame::{FrameError, Frames, head};
use super::socket::Socket;
use crate::transport::TransportOptions;
use crate::transport::game::{Game, Outgoing};
use crate::transport::host::Sent;

/// The server's end of a connection. Its task goes on until the link is closed or the peer is gone.
#[derive(Debug)]
pub(super) struct Link {
    inbox: mpsc::Receiver<Result<Bytes, FrameError>>,
    /// What is to be sent after this tick.
    pending: BytesMut,
    outbox: mpsc::UnboundedSender<Bytes>,
    /// The bytes that the socket has not taken yet.
    queued: Arc<AtomicUsize>,
    task: AbortHandle,
}

/// Why a connection ends.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the connection was lost")]
    Lost,
    #[error("malformed: {0}")]
    Frame(#[from] FrameError),
}

impl Link {
    /// Starts the task of a new connection.
    pub(super) fn open(
        stream: TcpStream,
        options: &TransportOptions,
        tasks: &mut JoinSet<()>,
    ) -> Self {
        let max_packets = options.max_queued_packets.clamp(1, Semaphore::MAX_PERMITS);
        let (to_inbox, inbox) = mpsc::channel(max_packets);
        let (outbox, from_outbox) = mpsc::unbounded_channel();
        let queued = Arc::new(AtomicUsize::new(0));
        let span = tracing::debug_span!("telepathy", peer = ?stream.peer_addr().ok());
        let socket = Socket {
            stream,
            frames: Frames::new(options.max_frame),
            inbox: to_inbox,
            outbox: from_outbox,
            queued: Arc::clone(&queued),
            receive_timeout: options.receive_timeout,
            send_timeout: options.send_timeout,
        };
        Self {
            inbox,
            pending: BytesMut::new(),
            outbox,
            queued,
            task: tasks.spawn(socket.run().instrument(span)),
        }
    }

    /// Hands what has come to the server, up to so many messages.
    pub(super) fn receive(
        &mut self,
        connection: ConnectionId,
        server: &mut impl Game,
        share: usize,
    ) -> Result<(), Fault> {
        for _ in 0..share.max(1) {
            let message = match self.inbox.try_recv() {
                Ok(message) => message?,
                Err(mpsc::error::TryRecvError::Empty) => break,
                Err(mpsc::error::TryRecvError::Disconnected) => return Err(Fault::Lost),
            };
            if let Err(error) = server.handle_packet(connection, Channel::Reliable, &message) {
                tracing::info!(%connection, %error, "malformed packet");
                break;
            }
        }
        Ok(())
    }

    /// Adds a message to what is to be sent.
    pub(super) fn send(&mut self, message: &Outgoing<'_>, options: &TransportOptions) -> Sent {
        let length = message.chunks.iter().map(Bytes::len).sum();
        let Some(head) = head(length).filter(|_| length <= options.max_frame) else {
            let channel = message.channel;
            tracing::error!(
                ?channel,
                length,
                "not sent: a message is empty, or too long"
            );
            return Sent::Queued;
        };
        let queued = self.queued.load(Ordering::Relaxed);
        let queued = queued.saturating_add(self.pending.len());
        if queued.saturating_add(length) > options.max_queued_bytes {
            return Sent::TooSlow;
        }
        self.pending.extend_from_slice(&head);
        for chunk in message.chunks {
            self.pending.extend_from_slice(chunk);
        }
        Sent::Queued
    }

    /// Gives what is to be sent to the task.
    pub(super) fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.queued.fetch_add(self.pending.len(), Ordering::Relaxed);
            // It fails when the task has ended, which `receive` will notice.
            let _ = self.outbox.send(self.pending.split().freeze());
        }
    }

    /// Closes the queues: the task sends what is waiting, and ends.
    pub(super) fn close(mut self) -> AbortHandle {
        self.flush();
        self.task
    }
}
