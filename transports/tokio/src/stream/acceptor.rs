//! Listening TCP socket of a server.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::Framing;
use super::socket::Socket;
use crate::TransportOptions;
use crate::listener::bind_first;
use crate::tasks::{Acceptor, Door, End, NoDatagrams, Port};

/// Most connections that wait for [`Acceptor::poll_accept`]. Most systems grant less.
const BACKLOG: u32 = 4096;

/// Least buffer of a socket for input, in bytes.
const MIN_RECEIVE_BUFFER: usize = 64 * 1024;

/// Settings of a listening TCP socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamPort(pub(crate) Framing);

/// Listening TCP socket.
#[derive(Debug)]
pub(crate) struct StreamAcceptor {
    listener: TcpListener,
    framing: Framing,
}

impl Port for StreamPort {
    type Acceptor = StreamAcceptor;

    fn bind(self, addrs: &[SocketAddr]) -> io::Result<StreamAcceptor> {
        Ok(StreamAcceptor {
            listener: bind_first(addrs, bind_to)?,
            framing: self.0,
        })
    }
}

impl Acceptor for StreamAcceptor {
    type Socket = TcpStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    fn poll_accept(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<(SocketAddr, Self::Socket)>> {
        let accepted = self.listener.poll_accept(cx);
        accepted.map_ok(|(stream, peer)| (peer, stream))
    }

    fn serve(
        &self,
        stream: TcpStream,
        door: Door,
    ) -> impl Future<Output = io::Result<End>> + Send + 'static {
        let framing = self.framing;
        async move {
            configure_client(&stream, door.options())?;
            exchange(stream, framing, door).await
        }
    }

    fn has_goodbye(&self) -> bool {
        self.framing.has_goodbye()
    }
}

/// Opens the door, and moves frames until one side ends the connection.
pub(crate) async fn exchange(
    mut stream: TcpStream,
    framing: Framing,
    door: Door,
) -> io::Result<End> {
    let limits = super::limits(door.options());
    let socket = Socket::open(framing, door, limits);
    let (read, write) = stream.split();
    let end = socket.exchange(read, write, &NoDatagrams).await;
    if let Ok(End::Flood) = end {
        // Without it, the system keeps the unsent bytes.
        let _ = stream.set_zero_linger();
    }
    end
}

fn bind_to(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = match addr {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // The port of a server that has just ended is free; on Windows it is without the option.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    socket.listen(BACKLOG)
}

/// Configures the socket of a client.
pub(crate) fn configure_client(stream: &TcpStream, options: &TransportOptions) -> io::Result<()> {
    super::configure(stream, options)?;
    // Input that waits costs the system memory, too: megabytes for each client by default.
    let bytes = options.max_inbox_bytes.max(MIN_RECEIVE_BUFFER);
    socket2::SockRef::from(stream).set_recv_buffer_size(bytes)
}
