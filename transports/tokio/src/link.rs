//! `ServerLink`: a client's socket.

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId, Endpoint, PacketLimits, Transmit};

/// Packet of the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Way of the packet: in the stream, or as a datagram.
    pub(crate) carrier: Channel,
    /// Number of the sender's channel.
    pub(crate) channel: u8,
    pub(crate) packet: Bytes,
}

impl Arrival {
    /// Makes a packet of the stream, from the channel with this number of the sender.
    pub fn by_stream(channel: u8, packet: Bytes) -> Self {
        let carrier = Channel::Reliable;
        Self {
            carrier,
            channel,
            packet,
        }
    }

    /// Makes a packet of a datagram, from the channel with this number of the sender.
    pub fn by_datagram(channel: u8, packet: Bytes) -> Self {
        let carrier = Channel::Unreliable;
        Self {
            carrier,
            channel,
            packet,
        }
    }

    /// Splits the number of the channel from a packet behind it. `None` if either is missing.
    pub fn split_numbered(mut bytes: Bytes) -> Option<(u8, Bytes)> {
        let channel = *bytes.first()?;
        let packet = bytes.split_off(1);
        (!packet.is_empty()).then_some((channel, packet))
    }

    /// Returns the bytes of the packet and of its channel's number.
    pub(crate) fn length(&self) -> usize {
        self.packet.len().saturating_add(1)
    }

    /// Passes the packet to its end.
    pub(crate) fn handle<E: Endpoint>(
        &self,
        end: &mut E,
        connection: ConnectionId,
    ) -> Result<(), E::Error> {
        match self.carrier {
            Channel::Reliable => end.handle_packet(connection, self.channel, &self.packet),
            Channel::Unreliable => end.handle_datagram(connection, self.channel, &self.packet),
        }
    }
}

/// Socket with a connection to a server, for a [`Peer`](crate::Peer).
pub(crate) trait ServerLink: Debug + Send + Sync {
    /// Returns the packet sizes that the link carries.
    fn limits(&self) -> PacketLimits;

    /// Returns the address of the server.
    fn peer_addr(&self) -> Option<SocketAddr>;

    /// Returns the next packet. `Ok(None)`: the server has ended the connection.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Arrival>>>;

    /// Returns whether the queue is full.
    fn is_full(&self) -> bool;

    /// Queues a packet.
    fn send(&mut self, packet: &Transmit<'_>);

    /// Sends the queue, as far as the socket takes it.
    fn flush(&mut self, cx: &mut Context<'_>);

    /// Ends the connection: sends the queue first, for at most `linger`.
    fn close(&mut self, linger: Duration);

    /// Ready when the connection has ended, after [`close`](Self::close).
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
}
