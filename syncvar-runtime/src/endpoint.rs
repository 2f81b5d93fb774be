//! `Endpoint`: the interface between a server or a client and a transport.

mod conduct;
mod connection_ids;
mod disconnect;
mod frames;
mod lobby;
mod payload;
mod reconnect;

pub use conduct::{Conduct, Intake, Misbehaviour};
pub use connection_ids::ConnectionIds;
pub use disconnect::DisconnectReason;
pub use frames::{FrameTransport, OpenedLater};
pub use lobby::Lobby;
pub use payload::{Payload, Refusal};
pub use reconnect::Reconnect;

use std::error::Error;
use std::time::Duration;

use bytes::{Bytes, BytesMut};

use crate::{Channel, ConnectionId};

/// A server or a client without I/O: packets, connections and the time in, packets and events out.
///
/// All four ends implement it: `NetworkServer` and `NetworkClient`, `MirrorServer` and `MirrorClient`.
/// A transport written against this trait serves all four ends. A client sees its server as one
/// connection, [`ConnectionId::SERVER`].
///
/// A transport calls the methods in this order, once per tick:
///
/// 1. [`handle_connect`](Self::handle_connect), [`handle_packet`](Self::handle_packet) and
///    [`handle_disconnect`](Self::handle_disconnect) for the input since the last tick;
/// 2. [`update`](Self::update) with the time;
/// 3. [`poll_transmit`](Self::poll_transmit) until it returns `None`;
/// 4. [`poll_close`](Self::poll_close) until it returns `None`.
///
/// # Example
///
/// A transport in memory, without loss and delay. It works in both directions, because a server and a
/// client have the same interface:
///
/// ```
/// use std::time::Duration;
/// use syncvar::{ConnectionId, Endpoint, PacketLimits};
///
/// /// Moves the packets for one connection of `from` to `to`, and closes both sides together.
/// fn carry<A: Endpoint, B: Endpoint>(
///     (from, at): (&mut A, ConnectionId),
///     (to, origin): (&mut B, ConnectionId),
///     now: Duration,
/// ) -> Result<(), B::Error> {
///     from.update(now);
///     while let Some(packet) = from.poll_transmit() {
///         if packet.connection == at {
///             to.handle_packet(origin, packet.channel, &packet.to_bytes())?;
///         }
///     }
///     while let Some(closed) = from.poll_close() {
///         if closed == at {
///             to.handle_disconnect(origin);
///         }
///     }
///     Ok(())
/// }
///
/// # use syncvar::{NetworkClient, NetworkServer, Prefabs};
/// let mut server = NetworkServer::new(Prefabs::new());
/// let mut client = NetworkClient::new(Prefabs::new());
/// let connection = Endpoint::handle_connect(&mut server, PacketLimits::STREAM);
/// let there = Endpoint::handle_connect(&mut client, PacketLimits::STREAM);
/// for tick in 1..3 {
///     let now = Duration::from_millis(50 * tick);
///     carry((&mut client, there), (&mut server, connection), now)?;
///     carry((&mut server, connection), (&mut client, there), now)?;
/// }
/// assert!(client.is_connected());
/// Endpoint::disconnect(&mut client, there, "bye");
/// carry((&mut client, there), (&mut server, connection), Duration::from_secs(1))?;
/// assert_eq!(server.connections().count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Endpoint {
    /// Error of a packet.
    type Error: Error + Send + Sync + 'static;
    /// Event for the application.
    type Event;

    /// Adds a connection of the transport. Returns its number; clients return
    /// [`ConnectionId::SERVER`]. A server gives each number once in 2^32 - 1 connections, and never to
    /// two at a time.
    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId;

    /// Returns whether the endpoint takes a further packet of a connection before the next
    /// [`update`](Self::update).
    ///
    /// A server returns `false` for a connection that has used its share of messages or work. The
    /// transport keeps its packets until then and stops reading from it, so that no client delays the
    /// rest. An unknown connection and a client's server may always send.
    fn accepts_packets(&self, connection: ConnectionId) -> bool {
        let _ = connection;
        true
    }

    /// Handles a packet. `channel` is the number of the sender's [`Transmit`].
    ///
    /// # Errors
    ///
    /// When the packet is malformed or the connection is unknown. A server's transport then
    /// [disconnects](Self::disconnect) the connection, if it is still
    /// [connected](Self::is_connected). A client decides itself. Also for a packet of a connection
    /// that has used its share of messages: see [`accepts_packets`](Self::accepts_packets).
    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), Self::Error>;

    /// Handles a datagram: a packet whose [`Transmit::delivery`] is [`Channel::Unreliable`], on a transport
    /// with [`PacketLimits::datagrams`].
    ///
    /// # Errors
    ///
    /// As [`handle_packet`](Self::handle_packet).
    fn handle_datagram(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), Self::Error> {
        self.handle_packet(connection, channel, packet)
    }

    /// Removes a connection that the transport has lost.
    fn handle_disconnect(&mut self, connection: ConnectionId);

    /// Removes a connection that the peer has ended on purpose, where the transport knows it: by
    /// default as [`handle_disconnect`](Self::handle_disconnect). Protocols with a message for it keep the
    /// default.
    fn handle_leave(&mut self, connection: ConnectionId) {
        self.handle_disconnect(connection);
    }

    /// Handles the silence of a connection for the transport's idle timeout: by default as
    /// [`disconnect`](Self::disconnect). An endpoint whose clients may return keeps the connection and ends its link
    /// alone, like a link that the transport has lost.
    fn handle_silence(&mut self, connection: ConnectionId, text: &str) {
        self.disconnect(connection, text);
    }

    /// Ends a connection. The packets that precede the end can be polled; then
    /// [`poll_close`](Self::poll_close) returns the connection. Protocols without such a message
    /// ignore `text`.
    fn disconnect(&mut self, connection: ConnectionId, text: &str);

    /// Returns whether the endpoint has this connection.
    fn is_connected(&self, connection: ConnectionId) -> bool;

    /// Returns whether a connection has lost its link and waits for its client to return. The limits of a transport count it.
    fn is_away(&self, connection: ConnectionId) -> bool {
        let _ = connection;
        false
    }

    /// Returns the connections whose link has a new number, each with this number: sessions that have
    /// returned. The transport knows the link only.
    fn returned(&self) -> impl Iterator<Item = (ConnectionId, ConnectionId)> {
        std::iter::empty()
    }

    /// Returns whether the peer of a connection sends packets regularly: then the transport ends
    /// the connection after a long silence.
    fn expects_packets(&self, connection: ConnectionId) -> bool {
        let _ = connection;
        true
    }

    /// Returns whether a dialling transport dials for as long as the program runs: its first attempt is repeated as later ones are,
    /// and it dials again behind an end of [`poll_close`](Self::poll_close). Otherwise this end is the wish of the program.
    fn dials_again(&self) -> bool {
        false
    }

    /// Sends the changes that are due. `now` is the time since any fixed moment.
    ///
    /// This is the call of a transport. Programs call the `update` of the type, which a transport that
    /// [holds the clock](Self::hold_clock) disables.
    fn update(&mut self, now: Duration);

    /// Notes a frame of a transport in the program's loop, at the time of the transport's call. The program updates the
    /// end in each frame: after three seconds of frames without an update the end logs a warning, once.
    fn expect_update(&mut self, now: Duration) {
        let _ = now;
    }

    /// Gives the clock to a transport with its own loop, or back to the program.
    ///
    /// A held end ignores the program's `update`, with one warning: two clocks would add their
    /// differences. The own time goes on without a step at each change.
    fn hold_clock(&mut self, held: bool) {
        let _ = held;
    }

    /// Holds the state of unreliable channels back from a slow reader, or sends it again.
    ///
    /// A transport calls it before an [`update`](Self::update) when the queue of a connection is long, and again when
    /// the queue is short. A server that repairs lost state sends the changes of the meantime then, with their present
    /// values; ends without that repair ignore the call. Packets of reliable channels follow as before: only these can fill the
    /// queue further.
    fn hold_state(&mut self, connection: ConnectionId, held: bool) {
        let _ = (connection, held);
    }

    /// Returns the updates per second of a transport with its own loop: a setting of the end. 60 by
    /// default.
    fn tick_rate(&self) -> u32 {
        60
    }

    /// Returns the next packet to send.
    fn poll_transmit(&mut self) -> Option<Transmit<'_>>;

    /// Returns a connection that the endpoint has ended. The transport closes it after the packets
    /// that were polled before; [`handle_disconnect`](Self::handle_disconnect) is optional.
    fn poll_close(&mut self) -> Option<ConnectionId>;

    /// Returns the next event, oldest first.
    fn poll_event(&mut self) -> Option<Self::Event>;

    /// Returns the number of events so far, polled or not.
    fn event_count(&self) -> u64;

    /// Drops the unpolled events among the first `count`.
    ///
    /// A transport drops the events that its application ignores, so that no peer can pile them up.
    fn forget_events(&mut self, count: u64);
}

/// Packet sizes that a transport carries.
///
/// ```
/// use syncvar::PacketLimits;
///
/// let mut limits = PacketLimits::frames(64 * 1024);
/// limits.max_unreliable = 1200;
/// assert_eq!(limits.max_reliable, 65_536);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketLimits {
    /// Preferred size of a packet in bytes: messages are gathered up to it.
    pub batch_threshold: usize,
    /// Largest packet on a reliable channel, in bytes.
    pub max_reliable: usize,
    /// Largest packet that this end sends on an unreliable channel, in bytes.
    pub max_unreliable: usize,
    /// Whether packets of unreliable channels travel as datagrams, which may be lost and reordered. The
    /// transport then passes them to [`Endpoint::handle_datagram`]. Otherwise all packets of a connection keep
    /// one order. Both ends of a connection have the same: the server sends up to [`MIN_DATAGRAM`](Self::MIN_DATAGRAM) bytes, a client
    /// may send less.
    pub datagrams: bool,
}

impl PacketLimits {
    /// Length of the datagrams that the path from a server to its client takes at least, in bytes. A shorter path has none.
    pub const MIN_DATAGRAM: usize = 1_124;

    /// Limits of a byte stream with frames of 16 KiB.
    pub const STREAM: Self = Self::frames(16 * 1024);

    /// Returns the limits of a byte stream with frames of up to `size` bytes.
    pub const fn frames(size: usize) -> Self {
        Self {
            batch_threshold: size,
            max_reliable: size,
            max_unreliable: size,
            datagrams: false,
        }
    }
}

/// Packet for one connection: pieces of memory to send in order.
///
/// The header belongs to this packet alone, the chunks are shared by the packets of several connections. A
/// transport hands the [`pieces`](Self::pieces) to a vectored write, or joins them with
/// [`to_bytes`](Self::to_bytes).
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
///
/// let mut server = NetworkServer::new(Prefabs::new());
/// server.update(Duration::ZERO);
/// while let Some(packet) = server.poll_transmit() {
///     for piece in packet.pieces() {
///         println!("{} receives {} bytes", packet.connection, piece.len());
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Transmit<'a> {
    /// Receiver.
    pub connection: ConnectionId,
    /// Number of the channel. It travels with the packet where a transport has more than one channel.
    pub channel: u8,
    /// Delivery guarantee of the packet.
    pub delivery: Channel,
    /// Bytes before the chunks; empty in protocols without a header.
    pub header: &'a [u8],
    /// Shared bytes in order. No chunk is empty.
    pub chunks: &'a [Bytes],
}

impl<'a> Transmit<'a> {
    /// Makes a packet without a header.
    pub fn new(
        connection: ConnectionId,
        channel: u8,
        delivery: Channel,
        chunks: &'a [Bytes],
    ) -> Self {
        Self {
            connection,
            channel,
            delivery,
            header: &[],
            chunks,
        }
    }

    /// Adds a header. Transports drop a packet whose header is longer than 24 bytes, the longest of the protocols.
    #[must_use]
    pub fn with_header(self, header: &'a [u8]) -> Self {
        Self { header, ..self }
    }

    /// Returns the bytes in order: the header, unless it is empty, and the chunks.
    pub fn pieces(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let header = Some(self.header).filter(|header| !header.is_empty());
        header
            .into_iter()
            .chain(self.chunks.iter().map(Bytes::as_ref))
    }

    /// Returns the length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "a packet is never empty")]
    pub fn len(&self) -> usize {
        self.header.len() + self.chunks.iter().map(Bytes::len).sum::<usize>()
    }

    /// Joins the pieces. Copies only if the packet has more than one.
    pub fn to_bytes(&self) -> Bytes {
        join(self.header, self.chunks)
    }
}

/// Joins a header and chunks: a reference to a single chunk, or a copy of several pieces.
pub fn join(header: &[u8], chunks: &[Bytes]) -> Bytes {
    if let ([], [chunk]) = (header, chunks) {
        return chunk.clone();
    }
    let length = header.len() + chunks.iter().map(Bytes::len).sum::<usize>();
    let mut bytes = BytesMut::with_capacity(length);
    bytes.extend_from_slice(header);
    for chunk in chunks {
        bytes.extend_from_slice(chunk);
    }
    bytes.freeze()
}
