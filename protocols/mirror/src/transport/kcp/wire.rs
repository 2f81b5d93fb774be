//! A client's UDP socket.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Channel;
use tokio::io::ReadBuf;
use tokio::net::{ToSocketAddrs, UdpSocket};
use tokio::time::{Instant, Interval};

use super::{KcpConnection, KcpError, MAX_DATAGRAM, port};
use crate::Limits;
use crate::transport::{TransportOptions, peer};

#[derive(Debug)]
pub(crate) struct Wire {
    socket: UdpSocket,
    connection: KcpConnection,
    /// What the socket has not taken.
    out: Option<Bytes>,
    /// The system says that nobody is there.
    failed: Option<io::ErrorKind>,
    started: Instant,
    timer: Interval,
    max_queued_bytes: usize,
}

impl Wire {
    /// Connects to the first of the addresses that answers.
    pub(crate) async fn connect(
        addrs: impl ToSocketAddrs,
        options: &TransportOptions,
    ) -> io::Result<Self> {
        let mut last = None;
        for addr in tokio::net::lookup_host(addrs).await? {
            match Self::connect_to(addr, options).await {
                Ok(wire) => return Ok(wire),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "there is no such address")
        }))
    }

    async fn connect_to(addr: SocketAddr, options: &TransportOptions) -> io::Result<Self> {
        let any: SocketAddr = match addr {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any).await?;
        port::configure(&socket);
        socket.connect(addr).await?;
        let mut connection = KcpConnection::connect(Duration::ZERO);
        connection.set_timeout(options.kcp_timeout);
        connection.set_max_unreliable(options.max_queued_packets);
        connection.update(Duration::ZERO);
        let mut wire = Self {
            socket,
            connection,
            out: None,
            failed: None,
            started: Instant::now(),
            timer: port::timer(),
            max_queued_bytes: options.max_queued_bytes,
        };
        std::future::poll_fn(|cx| wire.poll_connected(cx)).await?;
        Ok(wire)
    }

    fn poll_connected(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.go_on(cx);
        if self.connection.is_connected() {
            return Poll::Ready(Ok(()));
        }
        match self.over() {
            Some(Ok(())) => Poll::Ready(Err(io::ErrorKind::ConnectionRefused.into())),
            Some(Err(error)) => Poll::Ready(Err(error)),
            None => Poll::Pending,
        }
    }

    /// Whether the connection is over, and how.
    fn over(&self) -> Option<io::Result<()>> {
        match self.connection.closed() {
            Some(KcpError::ClosedByPeer | KcpError::Closed) => Some(Ok(())),
            Some(error @ (KcpError::Timeout | KcpError::DeadLink)) => {
                Some(Err(io::Error::new(io::ErrorKind::TimedOut, error)))
            }
            Some(error) => Some(Err(io::Error::new(io::ErrorKind::InvalidData, error))),
            None => self.failed.map(|error| Err(error.into())),
        }
    }

    /// Reads and writes as far as the socket lets it.
    fn go_on(&mut self, cx: &mut Context<'_>) {
        let mut buffer = [0; MAX_DATAGRAM + 1];
        loop {
            let mut datagram = ReadBuf::new(&mut buffer);
            match self.socket.poll_recv(cx, &mut datagram) {
                Poll::Ready(Ok(())) => {
                    let now = self.started.elapsed();
                    self.connection.handle_datagram(now, datagram.filled());
                }
                Poll::Ready(Err(error)) => {
                    self.note(&error);
                    break;
                }
                Poll::Pending => break,
            }
        }
        while self.timer.poll_tick(cx).is_ready() {
            self.connection.update(self.started.elapsed());
        }
        let _ = self.poll_send(cx);
    }

    /// That nobody is there is the end; anything else may pass, or the timeout comes.
    fn note(&mut self, error: &io::Error) {
        match error.kind() {
            kind @ (io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset) => {
                self.failed = Some(kind);
            }
            _ => tracing::debug!(%error, "a datagram may be lost"),
        }
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.out.is_none() {
                self.out = self.connection.poll_transmit();
            }
            let Some(datagram) = &self.out else {
                return Poll::Ready(());
            };
            if let Err(error) = ready!(self.socket.poll_send(cx, datagram)) {
                self.note(&error);
            }
            self.out = None;
        }
    }
}

impl peer::Wire for Wire {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<(Channel, Bytes)>>> {
        self.go_on(cx);
        if let Some(message) = self.connection.poll_message() {
            return Poll::Ready(Ok(Some(message)));
        }
        match self.over() {
            Some(over) => Poll::Ready(over.map(|()| None)),
            None => Poll::Pending,
        }
    }

    fn limits(&self) -> Limits {
        Limits::KCP
    }

    fn is_full(&self) -> bool {
        self.connection.queued_bytes() >= self.max_queued_bytes
    }

    fn send(&mut self, channel: Channel, message: Bytes) {
        // If the connection is over, `poll_receive` will notice.
        if let Err(error @ KcpError::TooLong) = self.connection.send(channel, &[message]) {
            tracing::error!(%error, "not sent");
        }
    }

    fn flush(&mut self, cx: &mut Context<'_>) {
        // What has come is read before: it may be the answer that all waits for.
        self.go_on(cx);
        self.connection.update(self.started.elapsed());
        let _ = self.poll_send(cx);
    }

    fn close(&mut self, linger: Duration) {
        let now = self.started.elapsed();
        self.connection.close(now, linger);
        self.connection.update(now);
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.go_on(cx);
        match (self.connection.closed(), self.failed) {
            (Some(_), _) => self.poll_send(cx).map(Ok),
            (None, Some(error)) => Poll::Ready(Err(error.into())),
            (None, None) => Poll::Pending,
        }
    }
}

impl Drop for Wire {
    /// Without a goodbye, the server would wait for its timeout.
    fn drop(&mut self) {
        peer::Wire::close(self, Duration::ZERO);
        let left = self.out.take().into_iter();
        let left = left.chain(std::iter::from_fn(|| self.connection.poll_transmit()));
        for datagram in left {
            // As much as the socket takes.
            let _ = self.socket.try_send(&datagram);
        }
    }
}
