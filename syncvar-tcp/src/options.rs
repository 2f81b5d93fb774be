//! `TcpOptions`: the rate and the limits of a server.

use std::time::Duration;

/// The tick rate of a [`TcpServer`](crate::TcpServer), and how much it takes from a client.
///
/// ```
/// use std::time::Duration;
/// use syncvar_tcp::TcpOptions;
///
/// let mut options = TcpOptions::default();
/// options.tick = Duration::from_millis(50);
/// options.max_connections = 16;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TcpOptions {
    /// The time from one tick to the next; not zero. 1/30 s.
    pub tick: Duration,
    /// The largest packet, in bytes, that a client may send. It is also about how much of one
    /// client is handled in one tick; the rest waits for the next. 64 KiB.
    pub max_packet: usize,
    /// How many packets of one client may wait to be handled, at least one. Beyond them the server
    /// stops reading from that client until the next tick. 64.
    pub max_queued_packets: usize,
    /// How many bytes may wait to be sent to one client. A client that is further behind is
    /// disconnected. A client that joins is sent all that it may see at once, so this must be more
    /// than that, and more than the server's
    /// [`max_message_size`](syncvar_net::ServerConfig::max_message_size) if an object is ever as
    /// long. 32 MiB.
    pub max_queued_bytes: usize,
    /// How many connections there may be; further ones are closed at once. 1024.
    pub max_connections: usize,
    /// How long a new connection may take to say its first word. 10 s.
    pub handshake_timeout: Duration,
    /// How long a client may take no byte while some wait for it. 30 s.
    pub stall_timeout: Duration,
    /// How long a connection that is being closed has to take what still waits for it. 5 s.
    pub close_timeout: Duration,
}

impl Default for TcpOptions {
    fn default() -> Self {
        Self {
            tick: Duration::from_secs(1) / 30,
            max_packet: 64 * 1024,
            max_queued_packets: 64,
            max_queued_bytes: 32 * 1024 * 1024,
            max_connections: 1024,
            handshake_timeout: Duration::from_secs(10),
            stall_timeout: Duration::from_secs(30),
            close_timeout: Duration::from_secs(5),
        }
    }
}
