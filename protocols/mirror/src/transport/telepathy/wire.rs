//! A client's TCP socket.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use syncvar_runtime::Channel;
use tokio::io::AsyncWrite;
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio::time::Instant;

use super::frame::{Frames, head};
use crate::Limits;
use crate::transport::{TransportOptions, peer};

/// When so much waits to be sent, no more is taken from the client.
const MAX_PENDING: usize = 256 * 1024;

#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    frames: Frames,
    pending: BytesMut,
    last_received: Instant,
    /// When the server last took something, or there was nothing to take.
    last_sent: Instant,
    /// Whether the server has been told that nothing more comes.
    shut: bool,
    options: TransportOptions,
}

impl Wire {
    pub(crate) async fn connect(
        addrs: impl ToSocketAddrs,
        options: &TransportOptions,
    ) -> io::Result<Self> {
        let stream = TcpStream::connect(addrs).await?;
        stream.set_nodelay(true)?;
        let now = Instant::now();
        Ok(Self {
            stream,
            frames: Frames::new(options.max_frame),
            pending: BytesMut::new(),
            last_received: now,
            last_sent: now,
            shut: false,
            options: options.clone(),
        })
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.stream.poll_read_ready(cx))?;
            match self.stream.try_read_buf(self.frames.buffer()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return Poll::Ready(result),
            }
        }
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.pending.is_empty() {
            ready!(self.stream.poll_write_ready(cx))?;
            match self.stream.try_write(&self.pending) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(written) => {
                    self.pending.advance(written);
                    self.last_sent = Instant::now();
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        self.last_sent = Instant::now();
        Poll::Ready(Ok(()))
    }
}

impl peer::Wire for Wire {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<(Channel, Bytes)>>> {
        let sent = self.poll_send(cx);
        loop {
            match self.frames.next_frame() {
                Ok(Some(frame)) => return Poll::Ready(Ok(Some((Channel::Reliable, frame)))),
                Ok(None) => {}
                Err(error) => {
                    let error = io::Error::new(io::ErrorKind::InvalidData, error);
                    return Poll::Ready(Err(error));
                }
            }
            match self.poll_read(cx) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Ok(None)),
                Poll::Ready(Ok(_)) => self.last_received = Instant::now(),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => break,
            }
        }
        let now = Instant::now();
        if now.duration_since(self.last_received) >= self.options.receive_timeout
            || now.duration_since(self.last_sent) >= self.options.send_timeout
        {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        // Only now: the server's last words can be read after it has stopped listening.
        match sent {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            _ => Poll::Pending,
        }
    }

    fn limits(&self) -> Limits {
        super::limits(&self.options)
    }

    fn is_full(&self) -> bool {
        self.pending.len() >= MAX_PENDING
    }

    /// Everything is reliable here.
    fn send(&mut self, channel: Channel, message: Bytes) {
        match head(message.len()).filter(|_| message.len() <= self.options.max_frame) {
            Some(head) => {
                self.pending.extend_from_slice(&head);
                self.pending.extend_from_slice(&message);
            }
            None => tracing::error!(?channel, "not sent: a message is empty, or too long"),
        }
    }

    fn flush(&mut self, cx: &mut Context<'_>) {
        // `poll_receive` will come upon any error.
        let _ = self.poll_send(cx);
    }

    /// The end of what is sent comes after all that is.
    fn close(&mut self, _: Duration) {}

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx))?;
        if !self.shut {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.shut = true;
        }
        // To close while something is unread resets the connection, and the server might not get the
        // last words.
        while ready!(self.poll_read(cx))? != 0 {
            self.frames.buffer().clear();
        }
        Poll::Ready(Ok(()))
    }
}
