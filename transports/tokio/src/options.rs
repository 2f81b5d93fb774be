//! `TransportOptions`.

mod reserved;

use std::time::Duration;

use syncvar_runtime::endpoint::Reconnect;

pub use reserved::ReservedPlaces;

/// Settings of a [`Host`](crate::Host) or a [`Peer`](crate::Peer): the limits for the remote end. Each transport takes the same
/// options, and ignores options without a meaning for it: a stream ignores hellos, UDP the linger. The rate of ticks is a
/// setting of the server or client: its `tick_rate`.
///
/// ```
/// use std::time::Duration;
/// use syncvar::transport::TransportOptions;
///
/// let options = TransportOptions {
///     max_connections: 16,
///     handshake_timeout: Duration::from_secs(3),
///     ..TransportOptions::default()
/// };
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct TransportOptions {
    /// Most connections of a host, whatever the address. Further connections are closed at once. 1024.
    pub max_connections: usize,
    /// Most connections from one address: an address of IPv4, a /64 network of IPv6. Further connections are
    /// closed at once. Players behind one router share an address; so do test clients on one machine,
    /// whose loopback address counts like any other. As many sessions of an address may wait for their clients besides. 64.
    pub max_connections_per_address: usize,
    /// Places among [`max_connections`](Self::max_connections) for known addresses. None.
    pub reserved: ReservedPlaces,
    /// Most new connections per second, at least one; a quarter can arrive at once. Further
    /// connections wait in the system's queue, by KCP and UDP for their next datagram. A connection by TCP that is
    /// closed at once counts as a quarter. 1000.
    pub max_accepts_per_second: u32,
    /// Most answers per second to the first datagrams of KCP and UDP clients from one address; twice as
    /// many can be sent at once. An answer has 54 or 17 bytes, and a forged address can receive it. Further datagrams
    /// stay unanswered, and the clients repeat them. 64.
    pub max_hellos_per_address: u32,
    /// Largest packet of the remote end, in bytes; by UDP, of the stream. By Telepathy it applies to both directions, and
    /// client and server must agree. A server handles about as much input of a client in a tick. 64 KiB.
    pub max_packet: usize,
    /// Most packets of a client that wait to be handled, and that are handled in a tick; at least
    /// one. Beyond them a host reads from that client in the next tick, and the oldest unreliable packets are
    /// lost. 256.
    pub max_queued_packets: usize,
    /// Most bytes of a client that wait to be handled. Beyond them a host reads from that client in
    /// the next tick. A longer packet waits alone. By KCP and UDP, each message and segment counts for 128 more,
    /// the limit is at least 330 KB (254 segments, the longest message), and early segments count, too;
    /// unreliable messages have as much again. 256 KiB.
    pub max_inbox_bytes: usize,
    /// Most bytes that wait to be handled, whatever the client. Each connection has an equal share,
    /// if that is less than [`max_inbox_bytes`](Self::max_inbox_bytes). By KCP and UDP each connection has an
    /// equal share of one half, and the second half is common. 64 MiB.
    pub max_inbox_total: usize,
    /// Most bytes that a server handles in a tick, from the clients of a listening address; each
    /// packet counts for 64 more. Clients share them equally, and the rest waits. 1 MiB.
    pub max_tick_bytes: usize,
    /// Most bytes that wait to be sent to one client; by KCP and UDP each chunk counts for 128 more. A client
    /// further behind is disconnected. A client that joins is sent its whole view at once: the limit must be above that
    /// size, and above the server's `max_message_size` if an object is as long. 32 MiB.
    pub max_queued_bytes: usize,
    /// Bytes that wait to be sent to one client by a stream, from which on it is a slow reader: a server with
    /// repairs sends it no state of unreliable channels until it has taken half of them, and then the changes of the
    /// meantime with their present values. Packets of reliable channels alone add to the queue further. 64 KiB.
    pub slow_reader_bytes: usize,
    /// Time in which a client must connect, besides the handshake. 10 s.
    pub connect_timeout: Duration,
    /// Time in which the remote end of a new connection must send its first packet. 10 s.
    pub handshake_timeout: Duration,
    /// Longest time without a complete packet, where [`Endpoint::expects_packets`] holds: a client and
    /// a server of Mirror ping each other, so do a `NetworkClient` that is ready and its server. A
    /// client also gives up a server whose tick takes longer. Where clients ping more rarely
    /// (`ClientConfig::ping_interval` is zero or long), set it to `Duration::MAX`. 15 s.
    ///
    /// On a stream it is also the longest time in which the remote system must acknowledge sent bytes
    /// and TCP's probes: from 1 s, up to 60 s where this is longer. The probes find a vanished end on a silent connection, too. Measured on Linux with all
    /// packets dropped: a server that sends and one that is silent end the connection after 15 s, with
    /// `Duration::MAX` after 61 s. Systems without `TCP_USER_TIMEOUT` (all but Linux and Android) send
    /// no probes while sent bytes are on the way: there missing packets alone show a vanished peer.
    ///
    /// [`Endpoint::expects_packets`]: syncvar_runtime::Endpoint::expects_packets
    pub idle_timeout: Duration,
    /// Time in which the remote end of a stream must take a byte while its queue is not empty. 30 s.
    pub stall_timeout: Duration,
    /// Longest time without a datagram on a KCP or UDP connection, and longest time for which a segment may be missing
    /// while later ones have arrived. Each end sends a datagram every second. 10 s.
    pub silence_timeout: Duration,
    /// Time in which a connection that is being closed must take its queue. 5 s.
    pub close_timeout: Duration,
    /// Most bytes that are read from a stream after its end, because of a malformed packet or by the
    /// server's decision. Beyond them the connection is reset, and its last packets may be lost.
    /// 128 KiB.
    pub max_linger_bytes: usize,
    /// Attempts of a client to connect again after a lost connection. None.
    pub reconnect: Option<Reconnect>,
}

impl TransportOptions {
    /// Returns the defaults of Mirror's transports: packets of 16 384 bytes, as Telepathy's ends agree on, and a
    /// `stall_timeout` of 5 s.
    pub fn mirror() -> Self {
        Self {
            max_packet: 16 * 1024,
            stall_timeout: Duration::from_secs(5),
            ..Self::default()
        }
    }
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            max_connections: 1024,
            max_connections_per_address: 64,
            reserved: ReservedPlaces::default(),
            max_accepts_per_second: 1000,
            max_hellos_per_address: 64,
            max_packet: 64 * 1024,
            max_queued_packets: 256,
            max_inbox_bytes: 256 * 1024,
            max_inbox_total: 64 * 1024 * 1024,
            max_tick_bytes: 1024 * 1024,
            max_queued_bytes: 32 * 1024 * 1024,
            slow_reader_bytes: 64 * 1024,
            connect_timeout: Duration::from_secs(10),
            handshake_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(15),
            stall_timeout: Duration::from_secs(30),
            silence_timeout: Duration::from_secs(10),
            close_timeout: Duration::from_secs(5),
            max_linger_bytes: 128 * 1024,
            reconnect: None,
        }
    }
}
