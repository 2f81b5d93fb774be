//! Input and output of a transport: links and packets.

use syncvar_runtime::{Channel, ConnectionId, DisconnectReason, Transmit};

use crate::server::sessions::connection::Connection;
use crate::server::{NetworkServer, PacketError};

impl NetworkServer {
    /// Handles a new connection of the transport. Returns its number.
    ///
    /// After 4 294 967 295 connections the numbers begin anew at 1; those of present connections are
    /// skipped.
    pub fn handle_connect(&mut self) -> ConnectionId {
        let id = self.sessions.next_id();
        let connection = Connection::new(id, self.context.config.gathered_size());
        self.sessions.connections.insert(id.0, connection);
        self.sessions.lobby.enter(id);
        self.visibility.interest.management.handle_connect(id);
        tracing::debug!(connection = id.0, "a transport has connected a client");
        if !self.context.config.compare_schemas {
            self.request(id);
        }
        id
    }

    /// Handles a connection lost by the transport.
    ///
    /// With [`ServerConfig::reconnect_grace`](crate::ServerConfig::reconnect_grace) a ready connection
    /// waits for its client ([`ServerEvent::Away`](crate::ServerEvent::Away)). `link` is the number that
    /// [`handle_connect`](Self::handle_connect) has returned.
    pub fn handle_disconnect(&mut self, link: ConnectionId) {
        self.sessions.closing.retain(|ended| *ended != link);
        if let Some(connection) = self.sessions.of_link(link)
            && !self
                .sessions
                .suspend(&mut self.context, self.outbound.store.tick, connection)
        {
            self.close(connection, DisconnectReason::ConnectionLost);
            self.sessions.connections.remove(connection.0);
            self.sessions.closing.retain(|ended| *ended != link);
        }
        self.sessions.returns.remove_link(link);
    }

    /// Handles a packet of a connection, which came on this channel. `link` is the number that
    /// [`handle_connect`](Self::handle_connect) has returned.
    ///
    /// Every message is checked against the connection it came from. A malformed message is
    /// ignored; the other messages of the packet are handled as long as their boundaries are clear.
    /// The first malformed message is also reported as [`ServerEvent::Misbehaved`](crate::ServerEvent::Misbehaved).
    ///
    /// # Errors
    ///
    /// For an unknown connection, for a channel beyond
    /// [`ServerConfig::channels`](crate::ServerConfig::channels), for a connection beyond its
    /// [message rate](syncvar_runtime::Limits::message_rate), and for the first malformed message.
    pub fn handle_packet(
        &mut self,
        link: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), PacketError> {
        self.handle(link, channel, Channel::Reliable, packet)
    }

    /// Handles a datagram of a connection: a packet whose
    /// [`ClientPacket::delivery`](crate::ClientPacket::delivery) is [`Channel::Unreliable`].
    ///
    /// # Errors
    ///
    /// As [`handle_packet`](Self::handle_packet).
    pub fn handle_datagram(
        &mut self,
        link: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), PacketError> {
        self.handle(link, channel, Channel::Unreliable, packet)
    }

    /// Returns the next packet to send. Call it until it returns none.
    pub fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.outbound.packet.clear();
        if self.visibility.audiences.is_written() {
            self.deliver();
        }
        let (link, packet) = self.outbound.poll(&self.context, &mut self.sessions)?;
        self.context.stats.sent.add(packet.length);
        let chunks = self.outbound.chunks(&packet);
        let transmit = Transmit::new(link, packet.channel, packet.delivery, chunks);
        Some(transmit.with_header(self.outbound.header.as_slice()))
    }

    /// Returns the link of a connection that the server has ended, or that has another link, each once. The transport closes it after the
    /// packets that were [polled](Self::poll_transmit) before.
    pub fn poll_close(&mut self) -> Option<ConnectionId> {
        self.sessions.closing.pop_front()
    }
}
