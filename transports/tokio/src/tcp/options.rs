//! `TcpOptions`.

use std::time::Duration;

use crate::{Reconnect, ReservedPlaces, TransportOptions};

/// Limits of a [`TcpServer`](super::TcpServer) for each client. The rate of ticks is a setting of the
/// server: [`ServerConfig::tick_rate`](syncvar_net::ServerConfig::tick_rate).
///
/// ```
/// use std::time::Duration;
/// use syncvar::tcp::TcpOptions;
///
/// let options = TcpOptions {
///     max_connections: 16,
///     handshake_timeout: Duration::from_secs(3),
///     ..TcpOptions::default()
/// };
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct TcpOptions {
    /// Largest packet of a client, in bytes. It is also about the input of one client that is handled
    /// in one tick; the rest waits for the next. 64 KiB.
    pub max_packet: usize,
    /// Most bytes of one client that wait to be handled. Beyond them the server reads from that client
    /// in the next tick. A longer packet waits alone. 256 KiB.
    pub max_inbox_bytes: usize,
    /// Most bytes of all clients that wait to be handled. Each connection has an equal share of them,
    /// if that is less than [`max_inbox_bytes`](Self::max_inbox_bytes). 64 MiB.
    pub max_inbox_total: usize,
    /// Most bytes of all clients that the server handles in one tick; each packet counts for 64 more.
    /// Clients share them equally, and the rest waits. 1 MiB.
    pub max_tick_bytes: usize,
    /// Most packets of one client that wait to be handled, and that are handled in one tick; at least
    /// one. Beyond them the server reads from that client in the next tick. 64.
    pub max_queued_packets: usize,
    /// Most bytes that wait to be sent to one client. A client further behind is disconnected. A
    /// client that joins is sent its whole view at once: this must be more than that, and more than the
    /// server's [`max_message_size`](syncvar_net::ServerConfig::max_message_size) if an object is
    /// as long. 32 MiB.
    pub max_queued_bytes: usize,
    /// Bytes that wait to be sent to one client, from which on it is a slow reader: state of unreliable channels
    /// waits in the server until the client has taken half of them. 64 KiB.
    pub slow_reader_bytes: usize,
    /// Most connections; further ones are closed at once. 1024.
    pub max_connections: usize,
    /// Most connections from one address: an address of IPv4, a /64 network of IPv6; further ones are
    /// closed at once. Loopback counts like any other: raise it for test clients on one machine. 64.
    pub max_connections_per_address: usize,
    /// Places among [`max_connections`](Self::max_connections) for known addresses. None.
    pub reserved: ReservedPlaces,
    /// Most new connections per second, at least one; a quarter of them can arrive at once. Further
    /// ones wait in the system's queue. A connection that is closed at once counts as a quarter. 1000.
    pub max_accepts_per_second: u32,
    /// Time in which a client must connect, besides the handshake. 10 s.
    pub connect_timeout: Duration,
    /// Time in which the other side of a new connection must send its first packet. 10 s.
    pub handshake_timeout: Duration,
    /// Longest time without a complete packet, and without an answer of the other system: see
    /// [`TransportOptions::idle_timeout`]. A client pings every 2 s once it is ready; before, and
    /// where the schemas are not compared, it may be silent. Where clients ping more rarely
    /// ([`ClientConfig::ping_interval`](syncvar_net::ClientConfig::ping_interval) is zero or long),
    /// set it to `Duration::MAX`: TCP's probes find vanished clients after 60 s then. 15 s.
    pub idle_timeout: Duration,
    /// Time in which a client must take a byte while its queue is not empty. 30 s.
    pub stall_timeout: Duration,
    /// Time in which a connection that is being closed must take its queue. 5 s.
    pub close_timeout: Duration,
    /// Most bytes that are read from a client after the end of its connection. Beyond them the
    /// connection is reset, and its last packets may be lost. 128 KiB.
    pub max_linger_bytes: usize,
    /// Attempts of a client to connect again after a lost connection. None.
    pub reconnect: Option<Reconnect>,
}

impl Default for TcpOptions {
    fn default() -> Self {
        let transport = TransportOptions::default();
        Self {
            max_packet: 64 * 1024,
            max_inbox_bytes: transport.max_inbox_bytes,
            max_inbox_total: transport.max_inbox_total,
            max_tick_bytes: transport.max_tick_bytes,
            max_queued_packets: 64,
            max_queued_bytes: transport.max_queued_bytes,
            slow_reader_bytes: transport.slow_reader_bytes,
            max_connections: transport.max_connections,
            max_connections_per_address: transport.max_connections_per_address,
            reserved: transport.reserved,
            max_accepts_per_second: transport.max_accepts_per_second,
            connect_timeout: transport.connect_timeout,
            handshake_timeout: transport.handshake_timeout,
            idle_timeout: transport.idle_timeout,
            stall_timeout: Duration::from_secs(30),
            close_timeout: transport.close_timeout,
            max_linger_bytes: transport.max_linger_bytes,
            reconnect: transport.reconnect,
        }
    }
}

impl From<TcpOptions> for TransportOptions {
    fn from(options: TcpOptions) -> Self {
        Self {
            max_connections: options.max_connections,
            max_connections_per_address: options.max_connections_per_address,
            reserved: options.reserved,
            max_accepts_per_second: options.max_accepts_per_second,
            max_frame: options.max_packet,
            max_inbox_bytes: options.max_inbox_bytes,
            max_inbox_total: options.max_inbox_total,
            max_tick_bytes: options.max_tick_bytes,
            max_queued_packets: options.max_queued_packets,
            max_queued_bytes: options.max_queued_bytes,
            slow_reader_bytes: options.slow_reader_bytes,
            connect_timeout: options.connect_timeout,
            handshake_timeout: options.handshake_timeout,
            idle_timeout: options.idle_timeout,
            send_timeout: options.stall_timeout,
            close_timeout: options.close_timeout,
            max_linger_bytes: options.max_linger_bytes,
            reconnect: options.reconnect,
            ..Self::default()
        }
    }
}
