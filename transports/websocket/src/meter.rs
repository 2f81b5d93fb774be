//! `Meter`: a stream that counts its bytes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Stream whose progress is visible below the buffers of a WebSocket.
#[derive(Debug)]
pub(crate) struct Meter<S> {
    stream: S,
    counts: Arc<Counts>,
}

/// Bytes of a stream, wrapping.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) read: AtomicUsize,
    pub(crate) written: AtomicUsize,
    /// Value of `read` beyond which reading fails; 0 without a limit.
    limit: AtomicUsize,
}

impl Counts {
    /// Allows this many bytes more. Reading fails beyond them.
    pub(crate) fn allow(&self, bytes: usize) {
        let read = self.read.load(Ordering::Relaxed);
        let limit = read.saturating_add(bytes);
        self.limit.store(limit, Ordering::Relaxed);
    }
}

impl<S> Meter<S> {
    pub(crate) fn new(stream: S) -> Self {
        let counts = Arc::default();
        Self { stream, counts }
    }

    pub(crate) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    pub(crate) fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Meter<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (read, limit) = (&self.counts.read, &self.counts.limit);
        let limit = limit.load(Ordering::Relaxed);
        if limit != 0 && read.load(Ordering::Relaxed) > limit {
            let error = io::Error::new(
                io::ErrorKind::InvalidData,
                "too many bytes without a packet",
            );
            return Poll::Ready(Err(error));
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let length = buf.filled().len().saturating_sub(before);
        self.counts.read.fetch_add(length, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Meter<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, buf))?;
        self.counts.written.fetch_add(written, Ordering::Relaxed);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
