//! KCP, as Mirror speaks it: messages over UDP, reliable or not.
//!
//! [`MirrorHost`](super::MirrorHost) and [`MirrorPeer`](super::MirrorPeer) bring a socket and a clock.
//! What is here is for those who have their own: a [`KcpConnection`], which is one end of a
//! connection, and the [`Hello`] with which it begins. Section 7 of WIRE.md is the layout.
//!
//! The state machine is our own: the `kcp` crate sends no message of more than 127 fragments, where
//! Mirror sends 254, and panics on numbers that a peer chooses.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

mod arq;
mod connection;
mod cookies;
mod datagrams;
mod hello;
mod listener;
mod port;
mod receiver;
mod rtt;
mod segment;
mod sender;
mod wire;

use std::time::Duration;

pub use connection::KcpConnection;
pub use hello::Hello;
pub(super) use port::Port;
pub(super) use wire::Wire;

/// The longest message on the unreliable channel, in bytes.
pub const MAX_UNRELIABLE: usize = MAX_DATAGRAM - HEAD - 1;

/// The longest message on the reliable channel, in bytes.
pub const MAX_RELIABLE: usize = 254 * sender::MAX_FRAGMENT - 1;

/// The longest datagram, in bytes.
const MAX_DATAGRAM: usize = 1200;

/// A datagram's channel and cookie.
const HEAD: usize = 5;

/// How many segments a side takes, and how many it has on their way at most.
const WINDOW: u16 = 4096;

/// How often a connection is to be updated.
const INTERVAL: Duration = Duration::from_millis(10);

/// The first byte of a reliable message, and of an unreliable datagram's body.
const HELLO: u8 = 1;
const PING: u8 = 2;
const DATA: u8 = 3;
const UNRELIABLE_DATA: u8 = 4;
const DISCONNECT: u8 = 5;

/// Why a KCP connection is over, or why something was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KcpError {
    /// The peer has ended it.
    #[error("the peer has closed the connection")]
    ClosedByPeer,
    /// This side has ended it.
    #[error("closed")]
    Closed,
    /// The peer has not been heard for too long.
    #[error("nothing was heard of the peer for too long")]
    Timeout,
    /// Something was sent 40 times, and never acknowledged.
    #[error("the peer acknowledges nothing")]
    DeadLink,
    /// The peer has sent something that makes no sense.
    #[error("malformed datagram")]
    Malformed,
    /// The message is empty, or longer than its channel takes. It was not sent.
    #[error("a message is empty, or too long for its channel")]
    TooLong,
    /// There is no connection yet, or no more. The message was not sent.
    #[error("not connected")]
    NotConnected,
}

/// A time in KCP's milliseconds, which start over after the largest.
fn millis(now: Duration) -> u32 {
    u32::try_from(now.as_millis() & u128::from(u32::MAX)).unwrap_or_default()
}

#[cfg(test)]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "virtual time, counted by the tests"
)]
mod tests;
