//! `TcpOptions`.

use std::time::Duration;

use crate::TransportOptions;

/// Tick rate of a [`TcpServer`](super::TcpServer), and its limits for each client.
///
/// ```
/// use std::time::Duration;
/// use syncvar::tcp::TcpOptions;
///
/// let mut options = TcpOptions::default();
/// options.tick = Duration::from_millis(50);
/// options.max_connections = 16;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TcpOptions {
    /// Time between two ticks; not zero. 1/30 s.
    pub tick: Duration,
    /// Largest packet of a client, in bytes. It is also about the input of one client that is handled
    /// in one tick; the rest waits for the next. 64 KiB.
    pub max_packet: usize,
    /// Most packets of one client that wait to be handled, and that are handled in one tick; at least
    /// one. Beyond them the server reads from that client in the next tick. 64.
    pub max_queued_packets: usize,
    /// Most bytes that wait to be sent to one client. A client further behind is disconnected. A
    /// client that joins is sent its whole view at once: this must be more than that, and more than the
    /// server's [`max_message_size`](syncvar_net::ServerConfig::max_message_size) if an object is
    /// as long. 32 MiB.
    pub max_queued_bytes: usize,
    /// Most connections; further ones are closed at once. 1024.
    pub max_connections: usize,
    /// Time in which a new connection must send its first packet. 10 s.
    pub handshake_timeout: Duration,
    /// Time in which a client must take a byte while its queue is not empty. 30 s.
    pub stall_timeout: Duration,
    /// Time in which a connection that is being closed must take its queue. 5 s.
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

impl From<TcpOptions> for TransportOptions {
    fn from(options: TcpOptions) -> Self {
        Self {
            tick: options.tick,
            max_connections: options.max_connections,
            max_frame: options.max_packet,
            max_queued_packets: options.max_queued_packets,
            max_queued_bytes: options.max_queued_bytes,
            handshake_timeout: options.handshake_timeout,
            receive_timeout: Duration::MAX,
            send_timeout: options.stall_timeout,
            close_timeout: options.close_timeout,
            ..Self::default()
        }
    }
}
