//! Input and output of a transport: links and packets.

use syncvar_runtime::endpoint::join;
use syncvar_runtime::{Channel, ConnectionId, DisconnectReason, Transmit};

use crate::link::header_bytes::HeaderBytes;
use crate::server::outbound::transmit::Packet;
use crate::server::sessions::connection::{Connection, ConnectionState};
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
    /// waits for its client ([`ServerEvent::Away`]). `link` is the number that
    /// [`handle_connect`](Self::handle_connect) has returned.
    pub fn handle_disconnect(&mut self, link: ConnectionId) {
        self.sessions.closing.retain(|ended| *ended != link);
        if let Some(connection) = self.sessions.of_link(link)
            && !self.suspend(connection)
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
    /// The first malformed message is also reported as [`ServerEvent::Misbehaved`].
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
        self.handle(link, channel, (Channel::Reliable, packet))
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
        self.handle(link, channel, (Channel::Unreliable, packet))
    }

    /// Returns the next packet to send. Call it until it returns none.
    pub fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.outbound.packet.clear();
        if self.visibility.audiences.is_written() {
            self.deliver();
        }
        let (limit, now) = (self.context.config.resume_bytes, self.context.clock.now());
        let (outbound, connections) = (&mut self.outbound, &mut self.sessions.connections);
        let (link, packet) = loop {
            let Some(id) = outbound.outgoing.front().copied() else {
                outbound.store.clear();
                return None;
            };
            let Some(connection) = connections.get_mut(id.0) else {
                outbound.outgoing.pop_front();
                continue;
            };
            if let Some((channel, bytes)) = connection.take_again() {
                let (length, chunks) = (bytes.len(), 0..0);
                outbound.packet.push(bytes);
                outbound.header = HeaderBytes::default();
                let delivery = Channel::Reliable;
                let packet = Packet {
                    channel,
                    delivery,
                    length,
                    chunks,
                };
                break (connection.link().unwrap_or(id), packet);
            }
            connection.flush_own(&mut outbound.store);
            let taken = if connection.queue.is_empty() {
                outbound.take_datagram(connection, &self.context.config, now)
            } else {
                outbound.take_packet(connection, &self.context.config)
            };
            let done = connection.queue.is_empty() && !connection.has_datagrams(now);
            let closing = connection.state == ConnectionState::Closing;
            // A closing connection stays until a later poll finds its queue empty.
            if done && !(closing && taken.is_some()) {
                connection.listed = false;
                outbound.outgoing.pop_front();
            }
            let link = connection.link();
            let has_repair = connection.datagrams.is_some();
            if let Some(packet) = &taken
                && let Some(session) = &mut connection.session
                && (packet.delivery == Channel::Reliable || !has_repair)
            {
                let reliable = packet.delivery == Channel::Reliable;
                let header = outbound.header.as_slice();
                session.keep(
                    packet.channel,
                    reliable.then(|| join(header, outbound.chunks(packet))),
                    limit,
                );
            }
            if done && closing && taken.is_none() {
                connections.remove(id.0);
                self.sessions.returns.remove_link(link.unwrap_or(id));
            }
            if let (Some(packet), Some(link)) = (taken, link) {
                break (link, packet);
            }
            outbound.packet.clear();
        };
        self.context.stats.sent.add(packet.length);
        let chunks = outbound.chunks(&packet);
        let transmit = Transmit::new(link, packet.channel, packet.delivery, chunks);
        Some(transmit.with_header(outbound.header.as_slice()))
    }

    /// Returns the link of a connection that the server has ended, or that has another link, each once. The transport closes it after the
    /// packets that were [polled](Self::poll_transmit) before.
    pub fn poll_close(&mut self) -> Option<ConnectionId> {
        self.sessions.closing.pop_front()
    }
}
