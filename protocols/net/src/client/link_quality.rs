//! `LinkQuality`: delay and losses of the connection, and the losses of the client's own datagrams.

use std::time::Duration;

/// Delay and losses of a client's connection: [`NetworkClient::link_quality`](crate::NetworkClient::link_quality). Of the client's own datagrams
/// [`NetworkClient::losses`](crate::NetworkClient::losses) tells.
///
/// The datagrams are counted since the server has accepted the connection. On a transport without datagrams, and
/// in [`Framing::Unet`](crate::Framing::Unet), their numbers are 0.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
///
/// let mut net = MemoryNetwork::pair(Prefabs::new);
/// net.settle();
/// let quality = net.client(0).link_quality();
/// assert_eq!((quality.missing, quality.owed), (0, false));
/// if quality.since_last > Duration::from_secs(1) {
///     println!("no packet of the server for a second");
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkQuality {
    /// Round trip, smoothed over the last pings; `None` before the first answer.
    pub rtt: Option<Duration>,
    /// Smoothed deviation of single round trips from `rtt`.
    pub jitter: Option<Duration>,
    /// Applied datagrams.
    pub received: u64,
    /// Datagrams below the newest applied one that were not applied: lost, late or early.
    pub missing: u64,
    /// Datagrams that arrived again, or more than 64 datagrams too late.
    pub duplicates: u64,
    /// Datagrams that arrived before reliable packets that precede them.
    pub early: u64,
    /// Whether the server still had older changes to send after the newest datagram.
    pub owed: bool,
    /// Own time since the last packet of the server.
    pub since_last: Duration,
}
