//! `Listener`: a socket for the connections of a server.

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Transmit};

use crate::TransportOptions;
use crate::admission::Admission;
use crate::gate::Gate;

/// Socket that clients connect to, for a [`Host`](crate::Host).
pub(crate) trait Listener<E>: Debug + Send + Sync {
    /// Sets the options and the places of the host, before the first packet.
    fn set_options(&mut self, options: &TransportOptions, admission: &Arc<Admission>);

    /// Returns the address of the socket.
    fn local_addr(&self) -> io::Result<SocketAddr>;

    /// Reads and writes as far as the socket allows. Ready when the socket may have more input, and
    /// the next listener should have its turn.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()>;

    /// Passes the input of every client to the endpoint, each up to its share.
    fn receive(&mut self, endpoint: &mut Gate<'_, E>, now: Duration);

    /// Queues a packet.
    fn send(&mut self, packet: &Transmit<'_>) -> Sent;

    /// Returns whether the queue of a connection is short again, after [`Sent::Slowly`]. Also true for a connection of another
    /// listener.
    fn has_caught_up(&self, connection: ConnectionId) -> bool {
        let _ = connection;
        true
    }

    /// Returns the connections that the endpoint has from this listener.
    fn connections(&self) -> Vec<ConnectionId>;

    /// Ends a connection: sends its queue first, for at most `linger`. Returns whether the connection
    /// is one of this listener.
    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool;

    /// Sends the queued packets, and drops the connections that have ended.
    fn flush(&mut self, now: Duration);

    /// Ends all connections, as [`close`](Self::close) does, and accepts no more.
    fn shut_down(&mut self, linger: Duration);

    /// Ready when all connections have ended.
    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()>;
}

/// Outcome of [`Listener::send`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Queued,
    /// Queued, for a slow reader: the queue is longer than
    /// [`slow_reader_bytes`](crate::TransportOptions::slow_reader_bytes).
    Slowly,
    /// The connection belongs to a different listener.
    NotHere,
    /// The client's queue is full.
    TooSlow,
}

/// Binds a socket to the first address that the system grants.
pub(crate) fn bind_first<T>(
    addrs: &[SocketAddr],
    bind_to: impl Fn(SocketAddr) -> io::Result<T>,
) -> io::Result<T> {
    let mut last = None;
    for addr in addrs {
        match bind_to(*addr) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no address")))
}
