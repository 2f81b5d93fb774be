//! Packets between a connection and its queues.

use std::io;

use bytes::Bytes;
use quinn::{Connection, ConnectionError};
use syncvar_runtime::PacketLimits;
use syncvar_tokio::TransportOptions;
use syncvar_tokio::tasks::{Datagrams, Door, End};
use syncvar_tokio::tcp;
use tokio::io::{AsyncRead, AsyncWrite};

/// Longest packet in a datagram, in bytes: as by UDP.
const MAX_PACKET: usize = 1200;

/// Bytes beside a packet in its datagram.
const CHANNEL: usize = 1;

/// Preferred size of a packet in the stream, in bytes.
const BATCH: usize = 16 * 1024;

/// Carrier of the datagrams of a connection.
pub(crate) trait Carrier: Datagrams {
    /// Returns the longest datagram, in bytes. `None` without datagrams.
    fn max_datagram(&self) -> Option<usize>;
}

/// Opens the door, and moves packets until one side ends the connection.
pub(crate) async fn exchange(
    connection: &Connection,
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin,
    carrier: &impl Carrier,
    door: Door,
) -> io::Result<End> {
    let limits = limits(carrier.max_datagram(), door.options());
    let result = tcp::exchange(read, write, carrier, door, limits).await;
    with_reason(result, connection)
}

/// Returns the result of a task with the reason of the connection's end in the place of the error. Layers above
/// QUIC, such as HTTP/3 and streams, report the end without its reason.
pub(crate) fn with_reason(result: io::Result<End>, connection: &Connection) -> io::Result<End> {
    match (result, connection.close_reason()) {
        (Err(_), Some(ConnectionError::ApplicationClosed(_))) => Ok(End::Closed),
        (Err(_), Some(error @ ConnectionError::TimedOut)) => {
            Err(io::Error::new(io::ErrorKind::TimedOut, error))
        }
        (result, _) => result,
    }
}

/// Returns the packet sizes of a connection. The path takes datagrams of this size from the handshake on.
fn limits(longest: Option<usize>, options: &TransportOptions) -> PacketLimits {
    let longest = longest.map(|longest| longest.saturating_sub(CHANNEL).min(MAX_PACKET));
    PacketLimits {
        batch_threshold: options.max_packet.min(BATCH),
        max_reliable: options.max_packet,
        max_unreliable: longest.unwrap_or(options.max_packet),
        datagrams: longest.is_some_and(|longest| longest >= PacketLimits::MIN_DATAGRAM),
    }
}

/// Datagrams of QUIC, without a layer between.
pub(crate) struct Native(pub(crate) Connection);

impl Carrier for Native {
    fn max_datagram(&self) -> Option<usize> {
        self.0.max_datagram_size()
    }
}

impl Datagrams for Native {
    /// A full queue loses its oldest datagrams: later datagrams bring newer state.
    fn send(&self, datagram: Bytes) -> bool {
        let has_room = self.0.datagram_send_buffer_space() >= datagram.len();
        self.0.send_datagram(datagram).is_ok() && has_room
    }

    async fn receive(&self) -> Bytes {
        match self.0.read_datagram().await {
            Ok(datagram) => datagram,
            // The stream reports the end.
            Err(_) => std::future::pending().await,
        }
    }
}
