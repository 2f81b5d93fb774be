//! TCP socket of a client.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use syncvar_runtime::{PacketLimits, Transmit};
use tokio::io::AsyncWrite;
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio::time::Instant;

use super::Framing;
use crate::TransportOptions;
use crate::frames::Frames;
use crate::link::{Arrival, ServerLink};

/// Size of a full queue, in bytes.
const MAX_PENDING: usize = 256 * 1024;

#[derive(Debug)]
pub(crate) struct StreamLink {
    stream: TcpStream,
    framing: Framing,
    frames: Frames,
    pending: BytesMut,
    /// Time at which the server last took a byte, or the queue was empty.
    last_sent: Instant,
    /// The end of the stream has been sent.
    shut: bool,
    options: TransportOptions,
}

impl StreamLink {
    pub(crate) async fn connect(
        addrs: impl ToSocketAddrs,
        framing: Framing,
        options: &TransportOptions,
    ) -> io::Result<Self> {
        let stream = TcpStream::connect(addrs).await?;
        super::configure(&stream, options)?;
        Ok(Self {
            stream,
            framing,
            frames: framing.frames(options.max_packet),
            pending: BytesMut::new(),
            last_sent: Instant::now(),
            shut: false,
            options: options.clone(),
        })
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        super::poll_read(&mut self.frames, cx, &mut self.stream)
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

impl ServerLink for StreamLink {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Arrival>>> {
        let sent = self.poll_send(cx);
        loop {
            match self.frames.next_frame() {
                Ok(Some(frame)) => {
                    let (channel, packet) = self.framing.split(frame);
                    return Poll::Ready(Ok(Some(Arrival::by_stream(channel, packet))));
                }
                Ok(None) => {}
                Err(error) => {
                    let error = io::Error::new(io::ErrorKind::InvalidData, error);
                    return Poll::Ready(Err(error));
                }
            }
            match self.poll_read(cx) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Ok(None)),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => break,
            }
        }
        if self.last_sent.elapsed() >= self.options.stall_timeout {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        // Last: the server's final packets can be read after it has stopped reading.
        match sent {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            _ => Poll::Pending,
        }
    }

    fn peer_addr(&self) -> Option<SocketAddr> {
        self.stream.peer_addr().ok()
    }

    fn limits(&self) -> PacketLimits {
        super::limits(&self.options)
    }

    fn is_full(&self) -> bool {
        self.pending.len() >= MAX_PENDING
    }

    fn send(&mut self, packet: &Transmit<'_>) {
        let (channel, length) = (packet.channel, packet.len());
        match self
            .framing
            .head(channel, length, packet.header, self.options.max_packet)
        {
            Some(head) => {
                self.pending.extend_from_slice(head.chunk());
                for chunk in packet.chunks {
                    self.pending.extend_from_slice(chunk);
                }
            }
            None => tracing::error!(channel, length, "not sent: empty or too long"),
        }
    }

    fn flush(&mut self, cx: &mut Context<'_>) {
        // `poll_receive` reports errors.
        let _ = self.poll_send(cx);
    }

    /// The end of the stream follows the queue.
    fn close(&mut self, _: Duration) {}

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx))?;
        if !self.shut {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.shut = true;
        }
        // Closing a socket with unread input resets the connection, and the server might lose the
        // last packets.
        while ready!(self.poll_read(cx))? != 0 {
            self.frames = self.framing.frames(0);
        }
        Poll::Ready(Ok(()))
    }
}
