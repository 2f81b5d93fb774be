//! `Port` and `Acceptor`: a listening socket.

use std::fmt::Debug;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use super::Door;

/// Settings of a listening socket, for [`Host::listen`](crate::Host::listen).
pub trait Port {
    /// The socket.
    type Acceptor: Acceptor;

    /// Binds a socket to the first address that the system grants. A tokio runtime is entered.
    ///
    /// # Errors
    ///
    /// When the system refuses all addresses.
    fn bind(self, addrs: &[SocketAddr]) -> io::Result<Self::Acceptor>;
}

/// Listening socket.
pub trait Acceptor: Debug + Send + Sync + 'static {
    /// A connection before its handshake. Dropping it refuses the connection.
    type Socket: Send + 'static;

    /// Returns the address of the socket.
    ///
    /// # Errors
    ///
    /// When the system does not know the address.
    fn local_addr(&self) -> io::Result<SocketAddr>;

    /// Ready with the next connection and its address.
    ///
    /// # Errors
    ///
    /// When the system has none, such as without free sockets. The next tick tries again.
    fn poll_accept(&mut self, cx: &mut Context<'_>)
    -> Poll<io::Result<(SocketAddr, Self::Socket)>>;

    /// Runs a connection until one side ends it. Dropping the future cuts the connection.
    ///
    /// The door must be open within the
    /// [`handshake_timeout`](crate::TransportOptions::handshake_timeout), and may stay closed: an HTTP request for a page
    /// is no connection of the server.
    fn serve(
        &self,
        socket: Self::Socket,
        door: Door,
    ) -> impl Future<Output = io::Result<End>> + Send + 'static;

    /// Returns whether the protocol on top announces the end of a connection in words: a faulty client
    /// receives the reason then. Mirror's does not.
    fn has_goodbye(&self) -> bool {
        true
    }

    /// Ready when the socket is idle, after the end of the last connection.
    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let _ = cx;
        Poll::Ready(())
    }
}

/// End of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The peer has ended the connection, or has taken all packets before this end's close.
    Closed,
    /// The peer has sent too much after the end of the connection, which was cut.
    Flood,
}

impl End {
    /// Discards the input of a connection that this end has closed, until the peer closes it, too. More than
    /// `max_bytes` are a [`Flood`](Self::Flood).
    ///
    /// # Errors
    ///
    /// When the connection fails.
    pub async fn after(mut read: impl AsyncRead + Unpin, max_bytes: usize) -> io::Result<Self> {
        let mut left = max_bytes;
        loop {
            let length = poll_fn(|cx| {
                let mut room = [0; 2048];
                let mut input = ReadBuf::new(&mut room);
                ready!(Pin::new(&mut read).poll_read(cx, &mut input))?;
                Poll::Ready(io::Result::Ok(input.filled().len()))
            });
            match length.await? {
                0 => return Ok(Self::Closed),
                length if length > left => return Ok(Self::Flood),
                length => left -= length,
            }
        }
    }
}
