//! `TransportOptions`: the rate and the limits of hosts and peers.

use std::time::Duration;

/// The tick rate of a [`MirrorHost`](super::MirrorHost) or a [`MirrorPeer`](super::MirrorPeer), and how much it takes from the other side.
///
/// ```
/// use std::time::Duration;
/// use syncvar_mirror::transport::TransportOptions;
///
/// let mut options = TransportOptions::default();
/// options.tick = Duration::from_millis(50);
/// options.max_connections = 16;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TransportOptions {
    /// The time from one tick to the next, which is one update; at least 1 µs. 1/60 s, as Mirror's.
    pub tick: Duration,
    /// How many connections there may be on one address; further ones are closed at once. Each may make the server hold up to 5 MB of what it has sent by KCP, which is as much
    /// as Mirror's window. 1024.
    pub max_connections: usize,
    /// The longest message by Telepathy, in bytes and in either direction; both sides must agree.
    /// 16 384, as Mirror's.
    pub max_frame: usize,
    /// How many messages of one client may wait to be handled, and are handled in one tick; at least
    /// one. Beyond them a host reads no more from that client until the next tick, and unreliable
    /// ones are lost. 256.
    pub max_queued_packets: usize,
    /// How many bytes may wait to be sent to one client; by KCP each piece of a message counts for
    /// 128 more. One that is further behind is disconnected.
    /// A client that joins is sent all that it may see at once, so this must be more than that.
    /// 32 MiB.
    pub max_queued_bytes: usize,
    /// How long a Telepathy connection may be silent. 30 s, as Mirror's. A Mirror server or client
    /// is never silent for long.
    pub receive_timeout: Duration,
    /// How long the other side of a Telepathy connection may take no byte while some wait for it.
    /// 5 s, as Mirror's.
    pub send_timeout: Duration,
    /// How long a KCP connection may be silent. 10 s, as Mirror's; both sides ping every second.
    pub kcp_timeout: Duration,
    /// How long a connection that is being closed has to take what still waits for it. 5 s.
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
            receive_timeout: Duration::from_secs(30),
            send_timeout: Duration::from_secs(5),
            kcp_timeout: Duration::from_secs(10),
            close_timeout: Duration::from_secs(5),
        }
    }
}
