//! Task between a socket and the queues of its connection.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::pieces::{Piece, Pieces};
use super::{FrameError, Frames};

/// Task's end of a connection.
pub(super) struct Socket {
    pub(super) stream: TcpStream,
    pub(super) frames: Frames,
    pub(super) inbox: mpsc::Sender<Result<Bytes, FrameError>>,
    pub(super) outbox: mpsc::UnboundedReceiver<Piece>,
    /// Bytes that the socket has not taken yet.
    pub(super) queued: Arc<AtomicUsize>,
    pub(super) receive_timeout: Duration,
    pub(super) send_timeout: Duration,
}

impl Socket {
    /// Runs until the peer closes, or until the connection is closed and the peer has taken the queue.
    pub(super) async fn run(mut self) {
        let (read, write) = self.stream.split();
        let reading = read_frames(read, self.frames, self.inbox, self.receive_timeout);
        let mut reading = pin!(reading);
        let writing = write_pieces(write, self.outbox, &self.queued, self.send_timeout);
        let result = tokio::select! {
            result = &mut reading => result,
            result = writing => match result {
                // The queue is sent, and the peer closes next. Its input is read until then: closing
                // a socket with unread input resets the connection, and the peer might lose the last
                // packets.
                Ok(()) => reading.await,
                Err(error) => Err(error),
            },
        };
        match result {
            Ok(()) => tracing::debug!("closed"),
            Err(error) => tracing::debug!(%error, "lost"),
        }
    }
}

/// Moves frames into the inbox until the peer ends the stream. After a malformed frame, or when the
/// inbox is closed, the rest of the stream is discarded.
async fn read_frames(
    mut read: impl AsyncRead + Unpin,
    mut frames: Frames,
    inbox: mpsc::Sender<Result<Bytes, FrameError>>,
    timeout: Duration,
) -> io::Result<()> {
    loop {
        let frame = match frames.next_frame() {
            Ok(Some(frame)) => Ok(frame),
            Ok(None) => {
                match tokio::time::timeout(timeout, read.read_buf(frames.buffer())).await?? {
                    0 => return Ok(()),
                    _ => continue,
                }
            }
            Err(error) => Err(error),
        };
        let failed = frame.is_err();
        if inbox.send(frame).await.is_err() || failed {
            break;
        }
    }
    tokio::io::copy(&mut read, &mut tokio::io::sink()).await?;
    Ok(())
}

/// Moves pieces from the outbox to the peer until the connection is closed.
async fn write_pieces(
    mut write: impl AsyncWrite + Unpin,
    mut outbox: mpsc::UnboundedReceiver<Piece>,
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
