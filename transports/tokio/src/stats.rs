//! `TransportStats` and `TransportCounters`.

use std::sync::{Arc, Mutex, PoisonError};

/// Counters of a host since its start: one for each limit.
///
/// The options that set the limits are those of [`TransportOptions`](crate::TransportOptions),
/// `TransportOptions` and `TransportOptions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransportStats {
    /// Connections that got a place.
    pub accepted: u64,
    /// Connections closed at once: `max_connections` or the places beside `reserved`.
    pub refused_full: u64,
    /// Connections closed at once: `max_connections_per_address`.
    pub refused_address: u64,
    /// Sessions that ended with their links: `max_connections_per_address` sessions of the address wait for
    /// their clients.
    pub refused_away: u64,
    /// Times at which new connections waited for the next tick: `max_accepts_per_second`.
    pub delayed_accepts: u64,
    /// Connections without a first packet: `handshake_timeout`.
    pub handshake_timeouts: u64,
    /// Connections that became silent: `idle_timeout`.
    pub idle_timeouts: u64,
    /// Connections whose system missed the peer's answer: `idle_timeout`.
    pub vanished: u64,
    /// Connections that took no byte: `stall_timeout`.
    pub stall_timeouts: u64,
    /// Connections that took too little: `max_queued_bytes`.
    pub queue_full: u64,
    /// Times at which a client became a slow reader: `slow_reader_bytes`.
    pub slow_readers: u64,
    /// Times at which the reading of a connection paused: `max_inbox_bytes`, `max_queued_packets`.
    pub inbox_full: u64,
    /// Ticks that left input for the next one: `max_tick_bytes`.
    pub tick_full: u64,
    /// Connections with a frame that is empty or longer than `max_packet`, or with a
    /// malformed datagram.
    pub malformed_frames: u64,
    /// Ended connections that were reset before the client closed: `max_linger_bytes` and
    /// `close_timeout`.
    pub linger_cuts: u64,
    /// First datagrams of KCP and UDP without an answer, which the client repeats: `max_hellos_per_address`.
    pub refused_hellos: u64,
    /// Segments beyond the window or without room, which the client repeats: `max_inbox_bytes`,
    /// `max_inbox_total`.
    pub refused_segments: u64,
    /// Unreliable packets by KCP and UDP that were lost: `max_queued_packets`, `max_inbox_bytes`,
    /// `max_inbox_total`; by UDP also those that came too late.
    pub lost_unreliable: u64,
    /// Datagrams by UDP that were lost here: the system did not take them at once.
    pub unsent_datagrams: u64,
    /// KCP and UDP connections with a segment that was missing for too long: `silence_timeout`.
    pub missing_segments: u64,
    /// KCP and UDP connections without a datagram or an ack: `silence_timeout`.
    pub silence_timeouts: u64,
}

/// Handle of a host's counters. Clones count together.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::tcp::{TransportOptions, TcpServer};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let server = NetworkServer::new(Prefabs::new());
/// let tcp = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default()).await?;
/// // Taken before `run`, which takes the server.
/// let counters = tcp.counters();
/// assert_eq!(counters.stats().refused_address, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct TransportCounters(Arc<Mutex<TransportStats>>);

impl TransportCounters {
    /// Returns the current counts.
    pub fn stats(&self) -> TransportStats {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one to a counter.
    #[cfg(feature = "_sockets")]
    pub(crate) fn count(&self, counter: impl FnOnce(&mut TransportStats) -> &mut u64) {
        *counter(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)) += 1;
    }

    /// Adds datagrams that the system did not take.
    #[cfg(any(feature = "kcp", feature = "udp"))]
    pub(crate) fn add_unsent(&self, datagrams: u64) {
        let mut stats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stats.unsent_datagrams = stats.unsent_datagrams.saturating_add(datagrams);
    }

    /// Adds refused segments and lost messages of KCP.
    #[cfg(any(feature = "kcp", feature = "udp"))]
    pub(crate) fn add_refused(&self, segments: u64, messages: u64) {
        let mut stats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stats.refused_segments = stats.refused_segments.saturating_add(segments);
        stats.lost_unreliable = stats.lost_unreliable.saturating_add(messages);
    }
}
