//! The task between a socket and the queues of its link.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::frame::{FrameError, Frames};

/// The task's end of a connection.
pub(super) struct Socket {
    pub(super) stream: TcpStream,
    pub(super) frames: Frames,
    pub(super) inbox: mpsc::Sender<Result<Bytes, FrameError>>,
    pub(super) outbox: mpsc::UnboundedReceiver<Bytes>,
    pub(super) queued: Arc<AtomicUsize>,
    pub(super) receive_timeout: Duration,
    pub(super) send_timeout: Duration,
}

impl Socket {
    /// Runs until the peer is gone, or until the link is closed and the peer has taken everything.
    pub(super) async fn run(mut self) {
        let (read, write) = self.stream.split();
        let reading = read_frames(read, self.frames, self.inbox, self.receive_timeout);
        let mut reading = pin!(reading);
        let writing = write_all(write, self.outbox, &self.queued, self.send_timeout);
        let result = tokio::select! {
            result = &mut reading => result,
            result = writing => match result {
                // All is written. The peer closes next; until then it is listened to, because to
                // close while something is unread resets the connection, and the peer might not
                // get the last words.
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

/// Moves frames into the inbox until the peer ends the stream. After a frame that may not be, or
/// when nobody wants any more frames, whatever comes is thrown away.
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

/// Moves bytes from the outbox to the peer until the link is closed.
async fn write_all(
    mut write: impl AsyncWrite + Unpin,
    mut outbox: mpsc::UnboundedReceiver<Bytes>,
    queued: &AtomicUsize,
    timeout: Duration,
) -> io::Result<()> {
    while let Some(mut bytes) = outbox.recv().await {
        while bytes.has_remaining() {
            match tokio::time::timeout(timeout, write.write_buf(&mut bytes)).await?? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => queued.fetch_sub(written, Ordering::Relaxed),
            };
        }
    }
    write.shutdown().await
}
