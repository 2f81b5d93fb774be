//! KCP, Mirror's UDP transport: reliable and unreliable messages. It is the core of the `udp` transport, too.
//!
//! `MirrorHost` and `MirrorPeer` bring a socket and a clock. The items here are for programs with their
//! own: a [`KcpConnection`] is one end of a connection, and [`Hello`] is its beginning at a server.
//! Section 7 of WIRE.md documents the layout.
//!
//! The state machine is a new implementation. The `kcp` crate limits a message to 127 fragments, where
//! Mirror sends 254, and panics on numbers from a peer.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

mod arq;
mod congestion;
mod connection;
mod datagrams;
#[cfg(feature = "udp")]
mod embedded;
mod hello;
mod inbox;
mod receiver;
mod rtt;
mod segment;
mod sender;

use std::time::Duration;

#[cfg(feature = "kcp")]
use syncvar_runtime::PacketLimits;

pub use connection::KcpConnection;
#[cfg(feature = "udp")]
pub(crate) use datagrams::split_embedded;
#[cfg(feature = "kcp")]
pub(crate) use datagrams::{goodbye, is_goodbye, split};
pub use hello::Hello;
pub(crate) use inbox::Pool;
pub(crate) use segment::MAX_FRAGMENT;

/// Longest message on the unreliable channel, in bytes.
pub const MAX_UNRELIABLE: usize = MAX_DATAGRAM - HEAD - 1;

/// Longest message on the reliable channel, in bytes.
pub const MAX_RELIABLE: usize = MAX_FRAGMENTS * MAX_FRAGMENT - 1;

/// Most fragments of a message.
const MAX_FRAGMENTS: usize = 254;

/// Longest datagram, in bytes.
pub(crate) const MAX_DATAGRAM: usize = 1200;

/// Bytes of a datagram's channel and cookie.
const HEAD: usize = 5;

/// Packet sizes of a connection. Messages are gathered into one datagram.
#[cfg(feature = "kcp")]
pub(crate) const LIMITS: PacketLimits = PacketLimits {
    batch_threshold: MAX_UNRELIABLE,
    max_reliable: MAX_RELIABLE,
    max_unreliable: MAX_UNRELIABLE,
    datagrams: false,
};

/// Most unacknowledged segments of a side, and the largest window.
const WINDOW: u16 = 4096;

/// Copies of the datagram that ends a connection: each can be lost.
pub(crate) const GOODBYES: usize = 5;

/// Time between two updates of a connection.
pub(crate) const INTERVAL: Duration = Duration::from_millis(10);

/// First byte of a reliable message, and of the body of an unreliable datagram.
const HELLO: u8 = 1;
const PING: u8 = 2;
const DATA: u8 = 3;
const UNRELIABLE_DATA: u8 = 4;
const DISCONNECT: u8 = 5;

/// Reason for the end of a KCP connection, or for a message that was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KcpError {
    /// The peer has ended the connection.
    #[error("the peer has closed the connection")]
    ClosedByPeer,
    /// This side has ended the connection.
    #[error("closed")]
    Closed,
    /// The peer was silent for too long.
    #[error("the peer was silent for too long")]
    Timeout,
    /// A segment was missing for too long, while the peer has sent later segments.
    #[error("the peer has not repeated a lost segment")]
    MissingSegment,
    /// The peer has sent no message within the time for a handshake.
    #[error("no message after connecting")]
    NoMessage,
    /// The peer has sent no message for too long.
    #[error("no message for too long")]
    Idle,
    /// The peer has not acknowledged a segment that was sent 40 times.
    #[error("the peer sends no acknowledgements")]
    DeadLink,
    /// The peer has sent a malformed datagram.
    #[error("malformed datagram")]
    Malformed,
    /// All places of the server are taken.
    #[error("all places of the server are taken")]
    Full,
    /// The server does not know the connection: it has ended it, or has started anew.
    #[error("the server does not know the connection")]
    UnknownConnection,
    /// The server speaks a different version of the datagrams.
    #[error("the server speaks another version of the datagrams")]
    VersionMismatch,
    /// The peer has ended the connection because of a malformed or too long packet.
    #[error("the peer has refused a packet: malformed or too long")]
    PacketRefused,
    /// The message is empty, or longer than its channel carries. It was not sent.
    #[error("a message is empty or too long for its channel")]
    TooLong,
    /// The connection has not begun, or is over. The message was not sent.
    #[error("not connected")]
    NotConnected,
}

/// Returns a time in KCP's milliseconds, which wrap around.
fn millis(now: Duration) -> u32 {
    u32::try_from(now.as_millis() & u128::from(u32::MAX)).unwrap_or_default()
}

#[cfg(test)]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "virtual time, counted by the tests"
)]
mod tests;
