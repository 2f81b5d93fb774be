//! The task between a socket and the queues of its link.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use futures_util::StreamExt;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_util::codec::{FramedRead, LengthDelimitedCodec};

use crate::frame::{Piece, Pieces};

/// The task's end of a connection.
pub(super) struct Socket {
    pub(super) stream: TcpStream,
    pub(super) codec: LengthDelimitedCodec,
    pub(super) inbox: mpsc::Sender<io::Result<BytesMut>>,
    pub(super) outbox: mpsc::UnboundedReceiver<Piece>,
    pub(super) queued: Arc<AtomicUsize>,
    pub(super) stall_timeout: Duration,
}

impl Socket {
    /// Runs until the peer is gone, or until the link is closed and the peer has taken everything.
    pub(super) async fn run(mut self) {
        let (read, write) = self.stream.split();
        let mut reading = pin!(read_frames(FramedRead::new(read, self.codec), self.inbox));
        let writing = write_pieces(write, self.outbox, &self.queued, self.stall_timeout);
        let result = tokio::select! {
            result = &mut reading => result,
            result = writing => match result {
                // All is written. The peer closes next; until then it is listened to, because to
                // close while something is unread resets the connection, and the peer might not
                // hear the last words.
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

/// Moves frames into the inbox until the peer ends the stream. After a frame that makes no sense,
/// or when nobody wants any more frames, whatever comes is thrown away.
async fn read_frames(
    mut frames: FramedRead<impl AsyncRead + Unpin, LengthDelimitedCodec>,
    inbox: mpsc::Sender<io::Result<BytesMut>>,
) -> io::Result<()> {
    while let Some(frame) = frames.next().await {
        let failed = match &frame {
            Err(error) if error.kind() != io::ErrorKind::InvalidData => return frame.map(drop),
            frame => frame.is_err(),
        };
        if inbox.send(frame).await.is_err() || failed {
            break;
        }
    }
    tokio::io::copy(frames.get_mut(), &mut tokio::io::sink()).await?;
    Ok(())
}

/// Moves pieces from the outbox to the peer until the link is closed.
async fn write_pieces(
    mut write: impl AsyncWrite + Unpin,
    mut outbox: mpsc::UnboundedReceiver<Piece>,
    queued: &AtomicUsize,
    stall_timeout: Duration,
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
            let write = write.write_buf(&mut pieces);
            match tokio::time::timeout(stall_timeout, write)
                .await
                .map_err(io::Error::from)??
            {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => queued.fetch_sub(written, Ordering::Relaxed),
            };
        }
    }
    write.shutdown().await
}
