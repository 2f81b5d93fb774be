//! `UdpOptions`.

use std::time::Duration;

use crate::{Reconnect, ReservedPlaces, TransportOptions};

/// Limits of a [`UdpServer`](super::UdpServer) for each client. The rate of ticks is a setting of the
/// server: [`ServerConfig::tick_rate`](syncvar_net::ServerConfig::tick_rate).
///
/// ```
/// use std::time::Duration;
/// use syncvar::udp::UdpOptions;
///
/// let options = UdpOptions {
///     max_connections: 16,
///     handshake_timeout: Duration::from_secs(3),
///     ..UdpOptions::default()
/// };
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct UdpOptions {
    /// Largest packet of a client, in bytes. It is also about the input of one client that is handled
    /// in one tick; the rest waits for the next. 64 KiB.
    pub max_packet: usize,
    /// Most bytes of one client that wait to be handled; each segment counts for 128 more, and the limit
    /// is at least 330 KB. Beyond them the client's stream waits. Datagrams have as much again, and the
    /// oldest are lost. A longer packet waits alone. 256 KiB.
    pub max_inbox_bytes: usize,
    /// Most bytes of all clients that wait to be handled: each connection has an equal share of one half,
    /// and the other half is for all of them. 64 MiB.
    pub max_inbox_total: usize,
    /// Most bytes of all clients that the server handles in one tick; each packet counts for 64 more.
    /// Clients share them equally, and the rest waits. 1 MiB.
    pub max_tick_bytes: usize,
    /// Most packets of one client that are handled in one tick, and most of its datagrams that wait; at
    /// least one. Beyond them the oldest datagrams are lost. 256.
    pub max_queued_packets: usize,
    /// Most bytes that wait to be sent to one client in the stream; each segment counts for 128 more. A
    /// client further behind is disconnected. A client that joins is sent its whole view at once: this must
    /// be more than that, and more than the server's [`max_message_size`](syncvar_net::ServerConfig::max_message_size) if an object is
    /// as long. 32 MiB.
    pub max_queued_bytes: usize,
    /// Most connections; further ones are closed at once. 1024.
    pub max_connections: usize,
    /// Most connections from one address: an address of IPv4, a /64 network of IPv6; further ones are
    /// closed at once. Loopback counts like any other: raise it for test clients on one machine. 64.
    pub max_connections_per_address: usize,
    /// Places among [`max_connections`](Self::max_connections) for known addresses. None.
    pub reserved: ReservedPlaces,
    /// Most new connections per second, at least one; a quarter of them can arrive at once. Further
    /// ones wait for their next datagram. 1000.
    pub max_accepts_per_second: u32,
    /// Most answers per second to the first datagrams of clients from one address; twice as many can be
    /// sent at once. No answer is longer than its question. Further datagrams have no answer, and the
    /// clients repeat them. 64.
    pub max_hellos_per_address: u32,
    /// Time in which a client must connect, besides the handshake. 10 s.
    pub connect_timeout: Duration,
    /// Time in which the other side of a new connection must send its first packet. 10 s.
    pub handshake_timeout: Duration,
    /// Longest time without a complete packet. A client pings every 2 s once it is ready; before, and
    /// where the schemas are not compared, it may be silent. Where clients ping more rarely
    /// ([`ClientConfig::ping_interval`](syncvar_net::ClientConfig::ping_interval) is zero or long),
    /// set it to `Duration::MAX`. 15 s.
    pub idle_timeout: Duration,
    /// Longest time without a datagram of the other side, and longest time for which a part of the stream
    /// may be missing while later ones have arrived. Both sides send a datagram every second. 10 s.
    pub silence_timeout: Duration,
    /// Time in which a connection that is being closed must take its queue. 5 s.
    pub close_timeout: Duration,
    /// Attempts of a client to connect again after a lost connection. None.
    pub reconnect: Option<Reconnect>,
}

impl Default for UdpOptions {
    fn default() -> Self {
        let transport = TransportOptions::default();
        Self {
            max_packet: 64 * 1024,
            max_inbox_bytes: transport.max_inbox_bytes,
            max_inbox_total: transport.max_inbox_total,
            max_tick_bytes: transport.max_tick_bytes,
            max_queued_packets: transport.max_queued_packets,
            max_queued_bytes: transport.max_queued_bytes,
            max_connections: transport.max_connections,
            max_connections_per_address: transport.max_connections_per_address,
            reserved: transport.reserved,
            max_accepts_per_second: transport.max_accepts_per_second,
            max_hellos_per_address: transport.max_hellos_per_address,
            connect_timeout: transport.connect_timeout,
            handshake_timeout: transport.handshake_timeout,
            idle_timeout: transport.idle_timeout,
            silence_timeout: transport.kcp_timeout,
            close_timeout: transport.close_timeout,
            reconnect: transport.reconnect,
        }
    }
}

impl From<UdpOptions> for TransportOptions {
    fn from(options: UdpOptions) -> Self {
        Self {
            max_connections: options.max_connections,
            max_connections_per_address: options.max_connections_per_address,
            reserved: options.reserved,
            max_accepts_per_second: options.max_accepts_per_second,
            max_hellos_per_address: options.max_hellos_per_address,
            max_frame: options.max_packet,
            max_inbox_bytes: options.max_inbox_bytes,
            max_inbox_total: options.max_inbox_total,
            max_tick_bytes: options.max_tick_bytes,
            max_queued_packets: options.max_queued_packets,
            max_queued_bytes: options.max_queued_bytes,
            connect_timeout: options.connect_timeout,
            handshake_timeout: options.handshake_timeout,
            idle_timeout: options.idle_timeout,
            kcp_timeout: options.silence_timeout,
            close_timeout: options.close_timeout,
            reconnect: options.reconnect,
            ..Self::default()
        }
    }
}
