//! Packets of `Compact` connections around messages that a test has written, and the messages in packets.

use syncvar::error::PacketError;
use syncvar::wire::ReadError;
use syncvar::{
    Channel, ClientEvent, ClientPacket, ConnectionId, Framing, NetworkClient, NetworkServer,
    PacketLimits,
};

/// Header of a stream packet of the same tick, the last of its update.
const HEADER: u8 = 0x02;

/// Header of a datagram: sequence 1, tick 1.
const DATAGRAM: [u8; 7] = [0x03, 1, 0, 1, 0, 0, 0];

/// Returns a packet with these messages, for the stream (channel 0) or as a datagram.
#[must_use]
pub fn packet(channel: u8, messages: &[u8]) -> Vec<u8> {
    if channel == 0 {
        [&[HEADER], messages].concat()
    } else {
        [&DATAGRAM, messages].concat()
    }
}

/// Returns the messages in a packet.
///
/// # Panics
///
/// When the packet lacks a header.
#[must_use]
pub fn messages(channel: u8, packet: &[u8]) -> &[u8] {
    if channel != 0 {
        return &packet[DATAGRAM.len()..];
    }
    let (&flags, mut rest) = packet.split_first().expect("a header");
    if flags & 1 != 0 {
        let length = rest.iter().position(|byte| byte & 0x80 == 0);
        rest = &rest[length.expect("a step of ticks") + 1..];
    }
    if flags & 8 != 0 {
        rest = &rest[1..];
    }
    if flags & 0x80 != 0 {
        rest = &rest[2..];
    }
    assert_eq!(flags & 0x10, 0, "no acknowledgement on this stream");
    rest
}

/// Returns the events of a client, without the reports of complete ticks.
pub fn events(client: &mut NetworkClient) -> impl Iterator<Item = ClientEvent> {
    let events = std::iter::from_fn(|| client.poll_event());
    events.filter(|event| !matches!(event, ClientEvent::Tick { .. }))
}

/// Limits of a transport with a stream and datagrams.
pub const DATAGRAMS: PacketLimits = PacketLimits {
    datagrams: true,
    ..PacketLimits::STREAM
};

/// Hands a packet to a client, as the transport of a connection with [`DATAGRAMS`] does.
///
/// # Errors
///
/// As `handle_packet`.
pub fn arrive(
    client: &mut NetworkClient,
    (delivery, channel): (Channel, u8),
    packet: &[u8],
) -> Result<(), ReadError> {
    match delivery {
        Channel::Reliable => client.handle_packet(channel, packet),
        Channel::Unreliable => client.handle_datagram(channel, packet),
    }
}

/// Hands a packet of a client to its server, as the transport of a connection with [`DATAGRAMS`] does.
///
/// # Errors
///
/// As `handle_packet`.
pub fn arrive_at_server(
    server: &mut NetworkServer,
    connection: ConnectionId,
    packet: &ClientPacket,
) -> Result<(), PacketError> {
    match packet.delivery {
        Channel::Reliable => server.handle_packet(connection, packet.channel, &packet.bytes),
        Channel::Unreliable => server.handle_datagram(connection, packet.channel, &packet.bytes),
    }
}

/// Messages of a test, as a packet of the peer.
pub trait ClientMessages {
    /// Handles messages of the server: of channel 0 on the stream, of a further channel as a datagram.
    ///
    /// # Errors
    ///
    /// As `handle_packet`.
    fn handle_messages(&mut self, channel: u8, messages: &[u8]) -> Result<(), ReadError>;
}

impl ClientMessages for NetworkClient {
    fn handle_messages(&mut self, channel: u8, messages: &[u8]) -> Result<(), ReadError> {
        if self.is_connected() && self.framing() == Framing::Compact {
            let packet = packet(channel, messages);
            if channel == 0 {
                self.handle_packet(channel, &packet)
            } else {
                self.handle_datagram(channel, &packet)
            }
        } else {
            self.handle_packet(channel, messages)
        }
    }
}

/// Messages of a test, as a packet of the peer.
pub trait ServerMessages {
    /// Handles messages of a connection: of channel 0 on the stream, of a further channel as a datagram. One
    /// that is accepted has the framing of the server's settings.
    ///
    /// # Errors
    ///
    /// As `handle_packet`.
    fn handle_messages(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        messages: &[u8],
    ) -> Result<(), PacketError>;
}

impl ServerMessages for NetworkServer {
    fn handle_messages(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        messages: &[u8],
    ) -> Result<(), PacketError> {
        let config = self.config();
        let compact = config.framing == Framing::Compact && config.compare_schemas;
        let accepted = self.is_connected(connection);
        if accepted && compact {
            let packet = packet(channel, messages);
            if channel == 0 {
                self.handle_packet(connection, channel, &packet)
            } else {
                self.handle_datagram(connection, channel, &packet)
            }
        } else {
            self.handle_packet(connection, channel, messages)
        }
    }
}
