//! `TcpPort`, and the parts of TCP for ports that share their socket with further protocols.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use syncvar_runtime::PacketLimits;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::TransportOptions;
use crate::stream::{self, Framing, Socket, StreamAcceptor, StreamPort};
use crate::tasks::{Acceptor, Datagrams, Door, End, Port};

/// Listening TCP socket for [`Host::listen`](crate::Host::listen), as of
/// [`Host::listen_tcp`](crate::Host::listen_tcp).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpPort;

/// Listening socket of a [`TcpPort`].
#[derive(Debug)]
pub struct TcpAcceptor(StreamAcceptor);

impl Port for TcpPort {
    type Acceptor = TcpAcceptor;

    fn bind(self, addrs: &[SocketAddr]) -> io::Result<TcpAcceptor> {
        StreamPort(Framing::Numbered).bind(addrs).map(TcpAcceptor)
    }
}

impl Acceptor for TcpAcceptor {
    type Socket = TcpStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    fn poll_accept(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<(SocketAddr, TcpStream)>> {
        self.0.poll_accept(cx)
    }

    fn serve(
        &self,
        stream: TcpStream,
        door: Door,
    ) -> impl Future<Output = io::Result<End>> + Send + 'static {
        self.0.serve(stream, door)
    }
}

/// Serves a client with the frames of this crate: opens the door, and moves packets until one side ends
/// the connection.
///
/// # Errors
///
/// When the connection fails, or the client accepts nothing for the `stall_timeout`.
pub async fn serve(stream: TcpStream, door: Door) -> io::Result<End> {
    stream::exchange(stream, Framing::Numbered, door).await
}

/// Moves the frames of this crate over any byte stream, and datagrams beside it: opens the door for
/// these packet sizes, and runs until one side ends the connection.
///
/// # Errors
///
/// When the connection fails, or the peer accepts nothing for the `stall_timeout`.
pub async fn exchange(
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin,
    datagrams: &impl Datagrams,
    door: Door,
    limits: PacketLimits,
) -> io::Result<End> {
    let socket = Socket::open(Framing::Numbered, door, limits);
    socket.exchange(read, write, datagrams).await
}

/// Configures a socket: small packets leave at once, and the system finds a vanished peer within the
/// `idle_timeout`.
///
/// # Errors
///
/// When the system refuses an option.
pub fn configure(stream: &TcpStream, options: &TransportOptions) -> io::Result<()> {
    stream::configure(stream, options)
}

/// [`configure`], for the socket of a server's client: limits the input that waits in the system, too.
///
/// # Errors
///
/// When the system refuses an option.
pub fn configure_client(stream: &TcpStream, options: &TransportOptions) -> io::Result<()> {
    stream::configure_client(stream, options)
}
