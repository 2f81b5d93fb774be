//! Input of the transport: connections and their messages.

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::prefab::message::FIRST_MESSAGE;
use syncvar_runtime::world::Protocol;
use syncvar_runtime::{Channel, ConnectionId, DisconnectReason, NetId, ObjectError, ReadError};

use crate::MessageType;
use crate::message::{
    Classes, Connect, Disconnect, Echo, Frame, Message, NotReady, PROTOCOL_VERSION, Ping, Ready,
    Resync, View, frames, unknown,
};
use crate::server::objects::replicated::State;
use crate::server::sessions::connection::{Connection, ConnectionState};
use crate::server::{NetworkServer, PacketError, ServerEvent};

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

    fn handle(
        &mut self,
        link: ConnectionId,
        channel: u8,
        (carrier, packet): (Channel, &[u8]),
    ) -> Result<(), PacketError> {
        let known = self.sessions.of_link(link);
        let known = known.filter(|id| self.sessions.knows(*id) && !self.is_local(*id));
        let connection = known.ok_or(PacketError::UnknownConnection(link))?;
        let kind = self.context.config.channels.get(usize::from(channel));
        let kind = *kind.ok_or(PacketError::UnknownChannel(channel))?;
        self.context.stats.received.add(packet.len());
        let (limits, now) = (&self.context.config.limits, self.context.clock.now());
        if !self
            .sessions
            .begin_packet(connection, limits, (packet.len(), now))
        {
            self.context.stats.refused.packets += 1;
            self.sessions.intake.count(Misbehaviour::Ignored);
            self.end_packet(connection);
            return Err(PacketError::TooManyMessages(connection));
        }
        let counted = kind == Channel::Reliable || self.has_stream(connection);
        if counted
            && carrier == Channel::Reliable
            && let Some(connection) = self.sessions.connections.get_mut(connection.0)
        {
            connection.received = connection.received.saturating_add(1);
            if let Some(session) = &mut connection.session {
                self.sessions.returns.confirm(session);
            }
        }
        let messages = match self.read_header(connection, carrier, packet) {
            Ok(messages) => messages,
            Err(error) => {
                self.misbehave(connection, &error);
                if carrier == Channel::Unreliable {
                    self.context.stats.refused.count_read(error.kind());
                    self.sessions.intake.count(error.kind().into());
                }
                self.end_packet(connection);
                if carrier == Channel::Reliable {
                    // The ticks of all later packets are unknown.
                    self.close_for(connection, LimitExceeded::Misbehaviour);
                }
                return Err(error.into());
            }
        };
        let mut result = Ok(());
        for frame in frames(messages) {
            self.sessions.intake.count_message();
            let handled = frame.and_then(|frame| self.handle_message(connection, frame));
            if let Err(error) = &handled {
                self.context.stats.refused.count_read(error.kind());
                self.sessions.intake.count(error.kind().into());
            }
            result = result.and(handled);
        }
        self.mark_datagram(connection);
        if let Err(error) = &result {
            self.misbehave(connection, error);
        }
        self.end_packet(connection);
        Ok(result?)
    }

    /// Returns whether all packets that are no datagrams keep one order.
    fn has_stream(&self, connection: ConnectionId) -> bool {
        let connection = self.sessions.connections.get(connection.0);
        connection.is_some_and(|connection| connection.headers.from.is_some())
    }

    fn misbehave(&mut self, connection: ConnectionId, error: &ReadError) {
        let error = error.clone();
        tracing::debug!(connection = connection.0, %error, "refused a malformed message");
        self.context
            .events
            .push_minor(ServerEvent::Misbehaved { connection, error });
    }

    /// Charges a connection with the packet in progress, and closes it after too much misbehaviour.
    fn end_packet(&mut self, connection: ConnectionId) {
        let (limits, now) = (&self.context.config.limits, self.context.clock.now());
        if self.sessions.end_packet(connection, limits, now) {
            self.close_for(connection, LimitExceeded::Misbehaviour);
        }
    }

    /// Closes a connection that has exceeded a limit.
    pub(in crate::server) fn close_for(&mut self, connection: ConnectionId, limit: LimitExceeded) {
        if self.sessions.knows(connection) {
            self.context.stats.refused.count_closed(limit);
            self.send_off(connection, DisconnectReason::Limit(limit));
        }
    }

    /// Closes the connections that have not become ready in time.
    pub(in crate::server) fn expire_joins(&mut self) {
        let (now, timeout) = (
            self.context.clock.now(),
            self.context.config.limits.join_timeout,
        );
        for connection in self.sessions.lobby.expire(now, timeout) {
            self.close_for(connection, LimitExceeded::JoinTime);
        }
    }

    fn handle_message(&mut self, from: ConnectionId, frame: Frame<'_>) -> Result<(), ReadError> {
        let Some(connection) = self.sessions.connections.get(from.0) else {
            return Ok(());
        };
        let message_type = MessageType::from_number(frame.message_type);
        match (connection.state, message_type) {
            (ConnectionState::Closing, _) => return Ok(()),
            // Clients never need long messages.
            _ if frame.long => {
                let message_type = MessageType::Long.number();
                return Err(unknown(Frame {
                    message_type,
                    ..frame
                }));
            }
            (ConnectionState::Connecting { described: false }, Some(MessageType::Classes)) => {
                Classes::decode(frame.payload)?;
                self.describe(from);
            }
            (ConnectionState::Connecting { .. }, Some(MessageType::Session)) => {
                self.handle_join_request(from, frame.payload)?;
            }
            (ConnectionState::Connecting { .. }, Some(MessageType::Connect)) => {
                self.handle_connect_message(from, &Connect::decode(frame.payload)?);
            }
            (_, Some(MessageType::Disconnect)) => {
                let reason = Disconnect::decode(frame.payload)?.into_reason();
                self.close(from, reason);
            }
            (ConnectionState::Requested { .. }, None)
                if !self.context.config.compare_schemas && frame.message_type >= FIRST_MESSAGE =>
            {
                self.handle_program_message(from, frame)?;
            }
            (ConnectionState::Requested { .. }, Some(MessageType::Ready))
                if !self.context.config.compare_schemas =>
            {
                Ready::decode(frame.payload)?;
                self.defer_ready(from);
            }
            (ConnectionState::Connecting { .. } | ConnectionState::Requested { .. }, _) => {
                return Err(unknown(frame));
            }
            (_, Some(MessageType::Ready)) => {
                Ready::decode(frame.payload)?;
                self.handle_ready(from);
            }
            (_, Some(MessageType::AddPlayer)) => self.handle_add_player(from, frame.payload)?,
            (_, Some(MessageType::RemovePlayer)) => {
                self.handle_remove_player(from, frame.payload)?;
            }
            (_, Some(MessageType::Resync)) => {
                self.handle_resync(from, Resync::decode(frame.payload)?.net_id);
            }
            (_, Some(MessageType::Ping)) if self.context.config.compare_schemas => {
                self.handle_ping(from, &Ping::decode(frame.payload)?);
            }
            (_, Some(MessageType::Echo)) if self.context.config.compare_schemas => {
                self.handle_echo(from, &Echo::decode(frame.payload)?);
            }
            (_, Some(MessageType::View)) if self.context.config.compare_schemas => {
                self.handle_view(from, &View::decode(frame.payload)?);
            }
            (_, Some(MessageType::OwnerWrite)) if self.context.config.compare_schemas => {
                self.handle_owner_write(from, frame.payload)?;
            }
            (_, Some(MessageType::Inputs)) if self.context.config.compare_schemas => {
                self.handle_inputs(from, frame)?;
            }
            (_, Some(message_type @ (MessageType::Command | MessageType::Call))) => {
                self.handle_command(from, message_type, frame.payload)?;
            }
            (_, None) if frame.message_type >= FIRST_MESSAGE => {
                self.handle_program_message(from, frame)?;
            }
            _ => return Err(unknown(frame)),
        }
        if let Some(message_type) = message_type {
            self.context
                .stats
                .count_decoded(message_type, frame.length());
        }
        Ok(())
    }

    fn handle_connect_message(&mut self, from: ConnectionId, connect: &Connect) {
        if connect.version != PROTOCOL_VERSION {
            self.send_off(from, DisconnectReason::VersionMismatch);
        } else if connect.schema_hash == self.sessions.schema_hash {
            // Both ends must support the framing. UNet's bytes are the minimum.
            let framing = connect.framing.min(self.context.config.framing);
            if let Some(connection) = self.sessions.connections.get_mut(from.0) {
                connection.framing = framing;
            }
            self.request(from);
        } else {
            tracing::info!(
                connection = from.0,
                "refused a client with other prefabs, behaviours or fields: its `ClientEvent::Refused` names the first difference"
            );
            self.send_schema(from);
            self.send_off(from, DisconnectReason::SchemaMismatch(None));
        }
    }

    /// Sends the reason of a disconnect, then closes the connection.
    pub(in crate::server) fn send_off(
        &mut self,
        connection: ConnectionId,
        reason: DisconnectReason,
    ) {
        self.deliver();
        self.send_own(connection, &Disconnect::from(&reason));
        self.close(connection, reason);
    }

    /// Disconnects a connection with a text, of which 32 767 bytes are sent. The transport should
    /// close it after [`poll_transmit`](Self::poll_transmit) returned its last packet.
    pub fn disconnect(&mut self, connection: ConnectionId, text: &str) {
        if self.sessions.knows(connection) {
            self.send_off(connection, DisconnectReason::Requested(text.into()));
        }
    }

    /// Closes a connection: it observes and owns no object any more.
    pub(in crate::server) fn close(&mut self, connection: ConnectionId, reason: DisconnectReason) {
        let Some(closed) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        if closed.state == ConnectionState::Closing {
            return;
        }
        let was_in = closed.is_connected();
        tracing::debug!(
            connection = connection.0,
            accepted = was_in,
            ?reason,
            "closed a connection"
        );
        // Unsent bytes of its audiences belong to the connection as well.
        self.deliver();
        let Some(closed) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        closed.state = ConnectionState::Closing;
        self.sessions.lobby.leave(connection);
        let owned: Vec<NetId> = closed.owned.iter().collect();
        closed.list(&mut self.outbound.outgoing);
        self.sessions.closing.extend(closed.link());
        self.sessions.returns.forget(closed);
        for id in &owned {
            if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
                replicated.owner = None;
                self.set_owned(*id, false);
            }
        }
        let lost = self.with_lifecycle(&owned);
        self.sessions
            .joining
            .retain(|joining| *joining != connection);
        self.leave_audiences(connection, &owned);
        self.cancel_snapshots(connection);
        self.visibility.interest.forget_connection(connection);
        self.visibility.groups.forget_connection(connection);
        self.replication.bandwidth.remove_connection(connection);
        self.context.events.push(if was_in {
            ServerEvent::Disconnected {
                connection,
                reason,
                owned,
            }
        } else {
            ServerEvent::Refused { connection, reason }
        });
        self.close_local(connection);
        for id in lost {
            if self.owner(id).is_none() {
                self.dispatch_ownership(id, Some(connection), None);
            }
        }
    }

    /// Makes a connection ready, like its `Ready` message: with the next update it receives all
    /// visible objects. Without effect on a ready connection. It takes a place, even beyond
    /// [`max_ready`](syncvar_runtime::Limits::max_ready).
    pub fn set_ready(&mut self, connection: ConnectionId) {
        self.sessions.set_joining(connection);
    }

    /// Lets a connection take a [reserved place](syncvar_runtime::Limits::reserved_places) when it
    /// becomes ready.
    ///
    /// The game calls it for a returning session, which it recognises before the connection is ready:
    /// by a token in a command of a client without
    /// [`auto_ready`](crate::ClientConfig::auto_ready), or by the address.
    ///
    /// ```
    /// use syncvar::prelude::*;
    /// use syncvar::{ServerConfig, limits::Limits};
    ///
    /// let limits = Limits { max_ready: 100, reserved_places: 10, ..Limits::default() };
    /// let config = ServerConfig { limits, ..ServerConfig::default() };
    /// let mut server = NetworkServer::with_config(Prefabs::new(), config);
    /// let connection = server.handle_connect();
    /// server.set_returning(connection).unwrap(); // one of the last ten places is open to it
    /// ```
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn set_returning(&mut self, connection: ConnectionId) -> Result<(), ObjectError> {
        self.sessions.lobby.set_returning(connection)
    }

    /// Makes a connection not ready: it keeps its objects and receives no changes until it is ready
    /// again. UNet does this before it loads a scene. The local client is always ready.
    pub fn set_not_ready(&mut self, connection: ConnectionId) {
        if self.is_local(connection) {
            return;
        }
        if self.make_unready(connection) {
            self.send_own(connection, &NotReady {});
        }
    }

    /// Removes a connection from the observers of all objects. Returns whether it was ready.
    pub(in crate::server) fn make_unready(&mut self, connection: ConnectionId) -> bool {
        let Some(idle) = self.sessions.connections.get_mut(connection.0) else {
            return false;
        };
        let was_ready = matches!(
            idle.state,
            ConnectionState::Joining | ConnectionState::Ready
        );
        if was_ready {
            idle.state = ConnectionState::Connected;
            if let Some(datagrams) = &mut idle.datagrams {
                datagrams.stop();
            }
            self.sessions
                .joining
                .retain(|joining| *joining != connection);
            // Unsent bytes of its audiences belong to the connection as well.
            self.deliver();
            self.visibility.audiences.remove_ready(connection);
            self.cancel_snapshots(connection);
        }
        was_ready
    }

    /// Queues a snapshot for a client that could not decode an object, if it observes the object.
    fn handle_resync(&mut self, from: ConnectionId, id: NetId) {
        let seen = self
            .objects
            .world
            .objects
            .get(id.0)
            .filter(|replicated| replicated.is(State::Announced))
            .is_some_and(|replicated| {
                self.visibility
                    .audiences
                    .get(replicated.audience)
                    .observes(from)
            });
        if !seen {
            self.context.stats.unknown_objects += 1;
            self.sessions.intake.count(Misbehaviour::Ignored);
        } else if let Some(connection) = self.sessions.connections.get_mut(from.0) {
            if connection.resync_requests.is_empty() {
                self.sessions.resyncing.push(from);
            }
            connection.resync_requests.insert(id);
        }
    }
}
