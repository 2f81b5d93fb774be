//! UDP socket of a client.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{PacketLimits, Transmit};
use tokio::io::ReadBuf;
use tokio::net::{ToSocketAddrs, UdpSocket};
use tokio::time::{Instant, Interval};

use super::Dialect;
use super::socket::{self, BUFFER};
use crate::TransportOptions;
use crate::kcp::KcpError;
use crate::link::{Arrival, ServerLink};

#[derive(Debug)]
pub(crate) struct DatagramLink<D: Dialect> {
    socket: UdpSocket,
    connection: D,
    /// Datagram that the socket has not taken.
    out: Option<Bytes>,
    /// Error of a server whose port is closed.
    failed: Option<io::ErrorKind>,
    started: Instant,
    timer: Interval,
    options: TransportOptions,
}

impl<D: Dialect> DatagramLink<D> {
    /// Connects to the first address that answers.
    pub(crate) async fn connect(
        addrs: impl ToSocketAddrs,
        options: &TransportOptions,
    ) -> io::Result<Self> {
        let mut last = None;
        for addr in tokio::net::lookup_host(addrs).await? {
            match Self::connect_to(addr, options).await {
                Ok(link) => return Ok(link),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no address")))
    }

    async fn connect_to(addr: SocketAddr, options: &TransportOptions) -> io::Result<Self> {
        let any: SocketAddr = match addr {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any).await?;
        socket::configure(&socket);
        socket.connect(addr).await?;
        let mut connection = D::connect(Duration::ZERO, options);
        connection.update(Duration::ZERO);
        let mut link = Self {
            socket,
            connection,
            out: None,
            failed: None,
            started: Instant::now(),
            timer: socket::timer(),
            options: options.clone(),
        };
        std::future::poll_fn(|cx| link.poll_connected(cx)).await?;
        Ok(link)
    }

    fn poll_connected(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.drive(cx);
        if self.connection.kcp().is_connected() {
            return Poll::Ready(Ok(()));
        }
        match self.ended() {
            Some(Ok(())) => Poll::Ready(Err(io::ErrorKind::ConnectionRefused.into())),
            Some(Err(error)) => Poll::Ready(Err(error)),
            None => Poll::Pending,
        }
    }

    /// Returns how the connection has ended, if it has.
    fn ended(&self) -> Option<io::Result<()>> {
        match self.connection.kcp().closed() {
            Some(KcpError::ClosedByPeer | KcpError::Closed) => Some(Ok(())),
            Some(error @ (KcpError::Timeout | KcpError::DeadLink)) => {
                Some(Err(io::Error::new(io::ErrorKind::TimedOut, error)))
            }
            Some(error @ KcpError::Full) => {
                Some(Err(io::Error::new(io::ErrorKind::ConnectionRefused, error)))
            }
            Some(error @ KcpError::UnknownConnection) => {
                Some(Err(io::Error::new(io::ErrorKind::ConnectionReset, error)))
            }
            Some(error) => Some(Err(io::Error::new(io::ErrorKind::InvalidData, error))),
            None => self.failed.map(|error| Err(error.into())),
        }
    }

    /// Reads and writes as far as the socket allows.
    fn drive(&mut self, cx: &mut Context<'_>) {
        let mut buffer = [0; BUFFER];
        loop {
            let mut datagram = ReadBuf::new(&mut buffer);
            match self.socket.poll_recv(cx, &mut datagram) {
                Poll::Ready(Ok(())) => {
                    let now = self.started.elapsed();
                    self.connection
                        .handle_datagram(now, datagram.filled(), usize::MAX);
                }
                Poll::Ready(Err(error)) => {
                    self.record(&error);
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

    /// Records a closed port, which ends the connection. Further errors are left to the timeout.
    fn record(&mut self, error: &io::Error) {
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
            match self.socket.poll_send(cx, datagram) {
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => self.record(&error),
                Poll::Pending if D::is_lost_when_full(datagram) => {
                    tracing::debug!("the socket is full: a datagram is lost");
                }
                Poll::Pending => return Poll::Pending,
            }
            self.out = None;
        }
    }
}

impl<D: Dialect> ServerLink for DatagramLink<D> {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Arrival>>> {
        self.drive(cx);
        if let Some(arrival) = self.connection.poll_packet() {
            return Poll::Ready(Ok(Some(arrival)));
        }
        match self.ended() {
            Some(ended) => Poll::Ready(ended.map(|()| None)),
            None => Poll::Pending,
        }
    }

    fn peer_addr(&self) -> Option<SocketAddr> {
        self.socket.peer_addr().ok()
    }

    fn limits(&self) -> PacketLimits {
        D::limits(&self.options)
    }

    fn is_full(&self) -> bool {
        self.connection.kcp().queued_bytes() >= self.options.max_queued_bytes
    }

    fn send(&mut self, packet: &Transmit<'_>) {
        let sent = self.connection.send(packet);
        // `poll_receive` reports a connection that is over.
        if let Err(error @ KcpError::TooLong) = sent {
            tracing::error!(%error, "not sent");
        }
    }

    fn flush(&mut self, cx: &mut Context<'_>) {
        // Input first: it may have the acknowledgement that the window needs.
        self.drive(cx);
        self.connection.update(self.started.elapsed());
        let _ = self.poll_send(cx);
    }

    fn close(&mut self, linger: Duration) {
        let now = self.started.elapsed();
        self.connection.close(now, linger);
        self.connection.update(now);
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.drive(cx);
        match (self.connection.kcp().closed(), self.failed) {
            (Some(_), _) => self.poll_send(cx).map(Ok),
            (None, Some(error)) => Poll::Ready(Err(error.into())),
            (None, None) => Poll::Pending,
        }
    }
}

impl<D: Dialect> Drop for DatagramLink<D> {
    /// Spares the server a timeout.
    fn drop(&mut self) {
        ServerLink::close(self, Duration::ZERO);
        let left = self.out.take().into_iter();
        let left = left.chain(std::iter::from_fn(|| self.connection.poll_transmit()));
        for datagram in left {
            // As far as the socket takes it.
            let _ = self.socket.try_send(&datagram);
        }
    }
}
