//! One connection of a server: its queues and their limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint, Transmit};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tracing::Instrument;

use super::Framing;
use super::inbox::{Inbox, inbox};
use super::pieces::Piece;
use super::socket::Socket;
use crate::admission::{Admission, Place};
use crate::frames::FrameError;
use crate::listener::Sent;
use crate::silence::Silence;
use crate::turn::{PACKET_COST, Turn};
use crate::{TransportOptions, TransportStats};

/// Server's end of a connection. Its task runs until the connection is closed or the peer is gone.
#[derive(Debug)]
pub(super) struct Connection {
    framing: Framing,
    inbox: Inbox,
    outbox: mpsc::UnboundedSender<Piece>,
    /// Bytes that the socket has not taken yet.
    queued: Arc<AtomicUsize>,
    silence: Silence,
    left: Allowance,
    task: AbortHandle,
}

/// Input that a connection may still have handled in a tick.
#[derive(Clone, Copy, Debug, Default)]
struct Allowance {
    packets: usize,
    /// The last packet can exceed it.
    bytes: usize,
}

/// Reason for the end of a connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the connection was lost")]
    Lost,
    #[error("no word after connecting")]
    Mute,
    #[error("silent for too long")]
    Idle,
    #[error("malformed frame: {0}")]
    Frame(#[from] FrameError),
    #[error("{0}")]
    Packet(String),
}

impl Fault {
    /// Returns the counter of the limit.
    pub(super) fn counter(&self) -> Option<fn(&mut TransportStats) -> &mut u64> {
        match self {
            Self::Mute => Some(|stats| &mut stats.handshake_timeouts),
            Self::Idle => Some(|stats| &mut stats.idle_timeouts),
            Self::Frame(_) => Some(|stats| &mut stats.malformed_frames),
            Self::Lost | Self::Packet(_) => None,
        }
    }
}

impl Connection {
    /// Starts the task of a new connection.
    pub(super) fn open(
        stream: TcpStream,
        framing: Framing,
        place: Place,
        options: &TransportOptions,
        admission: &Arc<Admission>,
        tasks: &mut JoinSet<()>,
    ) -> Self {
        let (delivery, inbox) = inbox(options.max_queued_packets, admission);
        let (outbox, from_outbox) = mpsc::unbounded_channel();
        let queued = Arc::new(AtomicUsize::new(0));
        let span = tracing::debug_span!("stream", ?framing, peer = ?stream.peer_addr().ok());
        let socket = Socket {
            stream,
            frames: framing.frames(options.max_frame),
            inbox: delivery,
            outbox: from_outbox,
            queued: Arc::clone(&queued),
            send_timeout: options.send_timeout,
            max_linger_bytes: options.max_linger_bytes,
            counters: admission.counters().clone(),
            place,
        };
        Self {
            framing,
            inbox,
            outbox,
            queued,
            silence: Silence::default(),
            left: Allowance::default(),
            task: tasks.spawn(socket.run().instrument(span)),
        }
    }

    /// Ends a tick, `elapsed` after the last one. Fails for a silent client.
    pub(super) fn end(
        &mut self,
        connection: ConnectionId,
        server: &impl Endpoint,
        elapsed: Duration,
        options: &TransportOptions,
    ) -> Result<(), Fault> {
        if self.inbox.waits() {
            return Ok(());
        }
        let silent = self.silence.add(elapsed);
        if self.silence.is_first() {
            return if silent < options.handshake_timeout {
                Ok(())
            } else {
                Err(Fault::Mute)
            };
        }
        if silent < options.idle_timeout {
            return Ok(());
        }
        if server.expects_packets(connection) {
            return Err(Fault::Idle);
        }
        self.silence.end();
        Ok(())
    }

    /// Queues a packet, without a copy.
    pub(super) fn send(&self, packet: &Transmit<'_>, options: &TransportOptions) -> Sent {
        let length = packet.len();
        let Some(head) =
            self.framing
                .head(packet.channel, (length, packet.header), options.max_frame)
        else {
            let channel = packet.channel;
            tracing::error!(channel, length, "not sent: empty or too long");
            return Sent::Queued;
        };
        let before = self.queued.load(Ordering::Relaxed);
        if before.saturating_add(length) > options.max_queued_bytes {
            return Sent::TooSlow;
        }
        let chunks = length.saturating_sub(packet.header.len());
        let length = chunks.saturating_add(bytes::Buf::remaining(&head));
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

impl Turn for Connection {
    type Fault = Fault;

    fn begin(&mut self, options: &TransportOptions) -> Result<bool, Fault> {
        self.left = Allowance {
            packets: options.max_queued_packets.max(1),
            bytes: self.framing.share(options.max_frame),
        };
        Ok(self.inbox.first()?.is_some())
    }

    fn has_input(&mut self) -> bool {
        self.left.packets > 0 && self.inbox.waits()
    }

    fn receive(
        &mut self,
        connection: ConnectionId,
        server: &mut impl Endpoint,
        limit: usize,
    ) -> Result<Option<usize>, Fault> {
        if self.left.packets == 0 {
            return Ok(None);
        }
        let Some(length) = self.inbox.first()? else {
            return Ok(None);
        };
        let cost = length.saturating_add(PACKET_COST);
        if cost > limit || !server.accepts_packets(connection) {
            return Ok(None);
        }
        let Some(frame) = self.inbox.pop() else {
            return Ok(None);
        };
        self.left = match self.left.bytes.checked_sub(length) {
            Some(bytes) => Allowance {
                packets: self.left.packets - 1,
                bytes,
            },
            None => Allowance::default(),
        };
        let (channel, packet) = self.framing.split(frame);
        match server.handle_packet(connection, channel, &packet) {
            Ok(()) => self.silence.end(),
            Err(error) if server.is_connected(connection) => {
                return Err(Fault::Packet(error.to_string()));
            }
            Err(error) => {
                tracing::info!(%connection, %error, "the server has ended the connection");
                self.left = Allowance::default();
            }
        }
        Ok(Some(cost))
    }
}

#[cfg(all(test, feature = "tcp"))]
mod tests;
