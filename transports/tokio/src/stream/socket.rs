//! Task between a socket and the queues of its connection.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Buf;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::inbox::Delivery;
use super::pieces::{Piece, Pieces};
use crate::TransportCounters;
use crate::admission::Place;
use crate::frames::Frames;

/// Task's end of a connection.
pub(super) struct Socket {
    pub(super) stream: TcpStream,
    pub(super) frames: Frames,
    pub(super) inbox: Delivery,
    pub(super) outbox: mpsc::UnboundedReceiver<Piece>,
    /// Bytes that the socket has not taken yet.
    pub(super) queued: Arc<AtomicUsize>,
    pub(super) send_timeout: Duration,
    pub(super) max_linger_bytes: usize,
    pub(super) counters: TransportCounters,
    pub(super) place: Place,
}

/// End of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The peer has ended the stream.
    Closed,
    /// The peer has sent too much after the end of the connection.
    Flood,
}

impl Socket {
    /// Runs until the peer closes, or until the connection is closed and the peer has taken the queue.
    pub(super) async fn run(mut self) {
        let result = self.exchange().await;
        match result {
            Ok(End::Closed) => tracing::debug!("closed"),
            Ok(End::Flood) => {
                tracing::debug!("reset");
                self.counters.count(|stats| &mut stats.linger_cuts);
                // Without it, the system keeps the unsent bytes.
                let _ = self.stream.set_zero_linger();
            }
            Err(error) => {
                tracing::debug!(%error, "lost");
                if error.kind() == io::ErrorKind::TimedOut {
                    self.counters.count(|stats| match error.raw_os_error() {
                        Some(_) => &mut stats.vanished,
                        None => &mut stats.send_timeouts,
                    });
                }
            }
        }
        drop(self.stream);
        // The place is free when the socket is.
        drop(self.place);
    }

    async fn exchange(&mut self) -> io::Result<End> {
        let (read, write) = self.stream.split();
        let reading = read_frames(read, &mut self.frames, &self.inbox, self.max_linger_bytes);
        let mut reading = pin!(reading);
        let writing = write_pieces(write, &mut self.outbox, &self.queued, self.send_timeout);
        tokio::select! {
            result = &mut reading => result,
            result = writing => match result {
                // The queue is sent, and the peer closes next. Its input is read until then: closing
                // a socket with unread input resets the connection, and the peer might lose the last
                // packets.
                Ok(()) => reading.await,
                Err(error) => Err(error),
            },
        }
    }
}

/// Moves frames into the inbox until the peer ends the stream. After a malformed frame, or when the
/// inbox is closed, up to `max_linger_bytes` of the stream are discarded.
async fn read_frames(
    mut read: impl AsyncRead + Unpin,
    frames: &mut Frames,
    inbox: &Delivery,
    max_linger_bytes: usize,
) -> io::Result<End> {
    loop {
        match frames.next_frame() {
            Ok(Some(frame)) => {
                if inbox.send(frame).await.is_err() {
                    break;
                }
            }
            Ok(None) => {
                if read.read_buf(frames.buffer()).await? == 0 {
                    return Ok(End::Closed);
                }
            }
            Err(error) => {
                inbox.fail(error).await;
                break;
            }
        }
    }
    let mut left = max_linger_bytes;
    loop {
        frames.buffer().clear();
        match read.read_buf(frames.buffer()).await? {
            0 => return Ok(End::Closed),
            length if length > left => return Ok(End::Flood),
            length => left -= length,
        }
    }
}

/// Moves pieces from the outbox to the peer until the connection is closed.
async fn write_pieces(
    mut write: impl AsyncWrite + Unpin,
    outbox: &mut mpsc::UnboundedReceiver<Piece>,
    queued: &AtomicUsize,
    timeout: Duration,
) -> io::Result<()> {
    let mut pieces = Pieces::default();
    while let Some(piece) = outbox.recv().await {
        pieces.push(piece);
        while !pieces.is_full()
            && let Ok(piece) = outbox.try_recv()
        {
            pieces.push(piece);
        }
        while pieces.has_remaining() {
            match tokio::time::timeout(timeout, write.write_buf(&mut pieces)).await?? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => queued.fetch_sub(written, Ordering::Relaxed),
            };
        }
    }
    write.shutdown().await
}
