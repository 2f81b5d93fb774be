//! Simulated conditions of a link: [`Conditions`] from a seed, and the [`Pipe`] that they make of a direction.

mod pipe;

use std::time::Duration;

pub use pipe::Pipe;

/// Conditions of a simulated link. The default is instant and lossless.
///
/// `MemoryNetwork` has them in both directions, in virtual time; a `Host` and a `Peer` in each direction, around real
/// sockets of any transport.
///
/// Packets on a stream keep their order, and no packet is lost, repeated or overtaken: a lost packet is sent again,
/// and the packets behind it wait. Datagrams are lost, repeated and overtaken.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
/// use syncvar::testing::Conditions;
/// use syncvar::ServerConfig;
///
/// let link = Conditions {
///     delay: Duration::from_millis(80),
///     jitter: Duration::from_millis(20),
///     loss: 0.05,
///     ..Conditions::default()
/// };
/// let mut net = MemoryNetwork::with_config(Prefabs::new, ServerConfig::default(), link);
/// let client = net.connect();
/// net.settle();
/// assert!(net.is_connected(client));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// Shortest travel time of a packet.
    pub delay: Duration,
    /// Range of additional travel time. It reorders datagrams.
    pub jitter: Duration,
    /// Share of lost packets: 0.05 is a twentieth. To a thousandth, at most 0.99.
    pub loss: f64,
    /// Share of datagrams that arrive twice. To a thousandth.
    pub duplicate: f64,
    /// Share of datagrams that travel twice as long, and for 20 ms at least: later datagrams overtake them. To a thousandth.
    pub reorder: f64,
    /// Most bytes that leave in a second; `None` without a limit. Packets queue before a narrow link.
    pub bandwidth: Option<u32>,
    /// Seed of the random numbers.
    pub seed: u64,
}
