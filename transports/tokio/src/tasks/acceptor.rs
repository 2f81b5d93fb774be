//! `Port` and `Acceptor`: a listening socket.

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt};

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

    /// Ready when the socket is idle, after the end of all connections.
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
    pub async fn after(read: impl AsyncRead + Unpin, max_bytes: usize) -> io::Result<Self> {
        let max_bytes = u64::try_from(max_bytes).unwrap_or(u64::MAX);
        let mut input = read.take(max_bytes.saturating_add(1));
        let length = tokio::io::copy(&mut input, &mut tokio::io::sink()).await?;
        Ok(if length > max_bytes {
            Self::Flood
        } else {
            Self::Closed
        })
    }
}
