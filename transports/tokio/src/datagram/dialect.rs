//! `Dialect`: the format of datagrams around the core of KCP.

use std::fmt::Debug;
use std::num::NonZeroU64;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{PacketLimits, Transmit};

use crate::TransportOptions;
use crate::kcp::{KcpConnection, KcpError};
use crate::link::Arrival;

/// One end of a connection, without a socket, a clock or a random generator: the core of KCP and the
/// format of its datagrams.
pub(crate) trait Dialect: Debug + Send + Sync + Sized + 'static {
    /// Bits of a cookie.
    const COOKIE_BITS: u32;
    /// Whether the server tells a client in words why it ends the connection.
    const HAS_GOODBYE: bool;

    /// Returns the packet sizes of a connection.
    fn limits(options: &TransportOptions) -> PacketLimits;

    /// Reads the head of a client's datagram. `None` for a datagram of a foreign protocol.
    fn head(datagram: &[u8]) -> Option<Head>;

    /// Returns the answer to a first datagram. `now` is a time of the later connection.
    fn answer(hello: &[u8], cookie: NonZeroU64, now: Duration) -> Option<Bytes>;

    /// Returns the datagram for a client without a connection.
    fn refusal(cookie: NonZeroU64, refused: Refused) -> Option<Bytes>;

    /// Makes a client's end.
    fn connect(now: Duration, options: &TransportOptions) -> Self;

    /// Makes a server's end for a client that has sent this cookie.
    fn accept(cookie: NonZeroU64, now: Duration, options: &TransportOptions) -> Self;

    /// Returns the cookie of the connection. `None` for a client that has none yet.
    fn cookie(&self) -> Option<NonZeroU64>;

    /// Returns the core: state, segments and limits.
    fn kcp(&self) -> &KcpConnection;

    /// Returns the core, to change it.
    fn kcp_mut(&mut self) -> &mut KcpConnection;

    /// Handles a datagram of the peer. Its messages may take `room` more bytes of memory.
    fn handle_datagram(&mut self, now: Duration, datagram: &[u8], room: usize);

    /// Returns the length of the next packet.
    fn next_length(&mut self) -> Option<usize>;

    /// Returns the next packet.
    fn poll_packet(&mut self) -> Option<Arrival>;

    /// Queues a packet.
    ///
    /// # Errors
    ///
    /// For a packet that is empty or too long for its carrier, and without a connection.
    fn send(&mut self, packet: &Transmit<'_>) -> Result<(), KcpError>;

    /// Ends the connection after its queue, or after `linger`. Input from now on is lost.
    fn close(&mut self, now: Duration, linger: Duration);

    /// Queues the due datagrams.
    fn update(&mut self, now: Duration);

    /// Returns the next datagram to send.
    fn poll_transmit(&mut self) -> Option<Bytes>;

    /// Returns whether a datagram is lost when the socket is full. The rest waits for the socket.
    fn is_lost_when_full(datagram: &[u8]) -> bool;
}

/// Sender and purpose of a client's datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// First datagram of a client without a cookie.
    Hello,
    /// Datagram of the connection with this cookie, or the first one with it.
    Of(NonZeroU64),
    /// End of a connection.
    Goodbye(NonZeroU64),
}

/// Reason for which a client has no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// All places are taken.
    Full,
    /// The server knows no connection with this cookie.
    Unknown,
}
