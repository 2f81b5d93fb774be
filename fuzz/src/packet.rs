//! `Packet`: bytes with their channel and carrier.

use syncvar::{Channel, ConnectionId, Endpoint, PacketLimits, Transmit};

/// Packet of a server or client.
#[derive(Clone, Debug)]
pub struct Packet {
    /// The stream, or a datagram.
    pub carrier: Channel,
    /// Number of the channel.
    pub channel: u8,
    /// Header and messages.
    pub bytes: Vec<u8>,
}

impl Packet {
    /// Returns a packet: of channel 0 on the stream, of a further channel as a datagram if the transport has datagrams.
    pub fn new(limits: PacketLimits, channel: u8, bytes: &[u8]) -> Self {
        let is_datagram = limits.datagrams && channel != 0;
        Self {
            carrier: if is_datagram {
                Channel::Unreliable
            } else {
                Channel::Reliable
            },
            channel,
            bytes: bytes.to_vec(),
        }
    }

    /// Returns the packet of an end.
    pub fn of(limits: PacketLimits, transmit: &Transmit<'_>) -> Self {
        let (delivery, channel) = (transmit.delivery, transmit.channel);
        Self {
            carrier: if limits.datagrams {
                delivery
            } else {
                Channel::Reliable
            },
            channel,
            bytes: transmit.to_bytes().to_vec(),
        }
    }

    /// Hands the packet to an end, as a transport does.
    ///
    /// # Errors
    ///
    /// As `handle_packet`.
    pub fn arrive<E: Endpoint>(&self, end: &mut E, from: ConnectionId) -> Result<(), E::Error> {
        match self.carrier {
            Channel::Reliable => end.handle_packet(from, self.channel, &self.bytes),
            Channel::Unreliable => end.handle_datagram(from, self.channel, &self.bytes),
        }
    }
}
