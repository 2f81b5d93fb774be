//! `ServerLink`: a client's socket.

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{PacketLimits, Transmit};

/// Socket with a connection to a server, for a [`Peer`](crate::Peer).
pub(crate) trait ServerLink: Debug + Send + Sync {
    /// Returns the packet sizes that the link carries.
    fn limits(&self) -> PacketLimits;

    /// Returns the address of the server.
    fn peer_addr(&self) -> Option<SocketAddr>;

    /// Returns the next packet and the number of its channel. `Ok(None)`: the server has ended the
    /// connection.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<(u8, Bytes)>>>;

    /// Returns whether the queue is full.
    fn is_full(&self) -> bool;

    /// Queues a packet.
    fn send(&mut self, packet: &Transmit<'_>);

    /// Sends the queue, as far as the socket takes it.
    fn flush(&mut self, cx: &mut Context<'_>);

    /// Ends the connection: sends the queue first, for at most `linger`.
    fn close(&mut self, linger: Duration);

    /// Ready when the connection has ended, after [`close`](Self::close).
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
}
