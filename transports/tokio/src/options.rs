//! `TransportOptions`.

use std::time::Duration;

/// Tick rate of a [`Host`](crate::Host) or a [`Peer`](crate::Peer), and its limits for the other side.
/// The defaults are those of Mirror.
///
/// ```
/// use std::time::Duration;
/// use syncvar::mirror::TransportOptions;
///
/// let mut options = TransportOptions::default();
/// options.tick = Duration::from_millis(50);
/// options.max_connections = 16;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TransportOptions {
    /// Time between two ticks, which is one update; at least 1 µs. 1/60 s.
    pub tick: Duration,
    /// Most connections on one address; further ones are closed at once. 1024.
    pub max_connections: usize,
    /// Largest packet in a stream, in bytes. By Telepathy it applies to both directions, and both sides
    /// must agree. 16 384.
    pub max_frame: usize,
    /// Most packets of one client that wait to be handled, and that are handled in one tick; at least
    /// one. Beyond them a host reads from that client in the next tick, and unreliable packets are
    /// lost. 256.
    pub max_queued_packets: usize,
    /// Most bytes that wait to be sent to one client; by KCP each chunk counts for 128 more. A client
    /// further behind is disconnected. A client that joins is sent its whole view at once: this must be
    /// more than that. 32 MiB.
    pub max_queued_bytes: usize,
    /// Time in which a new connection by TCP or Telepathy must send its first packet. No limit.
    pub handshake_timeout: Duration,
    /// Longest silence on a stream. 30 s. A Mirror server or client is never silent for long.
    pub receive_timeout: Duration,
    /// Time in which the other side of a stream must take a byte while its queue is not empty. 5 s.
    pub send_timeout: Duration,
    /// Longest silence on a KCP connection, and the longest time for which a segment may be missing while
    /// later ones have arrived. 10 s; both sides ping every second.
    pub kcp_timeout: Duration,
    /// Time in which a connection that is being closed must take its queue. 5 s.
    pub close_timeout: Duration,
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            tick: Duration::from_secs(1) / 60,
            max_connections: 1024,
            max_frame: 16 * 1024,
            max_queued_packets: 256,
            max_queued_bytes: 32 * 1024 * 1024,
            handshake_timeout: Duration::MAX,
            receive_timeout: Duration::from_secs(30),
            send_timeout: Duration::from_secs(5),
            kcp_timeout: Duration::from_secs(10),
            close_timeout: Duration::from_secs(5),
        }
    }
}
