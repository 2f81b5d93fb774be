//! Input of the transport: connections and their messages.

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::prefab::message::FIRST_MESSAGE;
use syncvar_runtime::world::CheckOut;
use syncvar_runtime::{Channel, ConnectionId, DisconnectReason, NetId, ReadError};

use crate::MessageType;
use crate::message::{
    Classes, Connect, Disconnect, Echo, Frame, Message, PROTOCOL_VERSION, Ping, Ready, Resync,
    View, frames, unknown,
};
use crate::server::objects::replicated::State;
use crate::server::sessions::connection::ConnectionState;
use crate::server::{NetworkServer, PacketError, ServerEvent};

impl NetworkServer {
    pub(crate) fn handle(
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
    pub(crate) fn has_stream(&self, connection: ConnectionId) -> bool {
        let connection = self.sessions.connections.get(connection.0);
        connection.is_some_and(|connection| connection.headers.from.is_some())
    }

    pub(crate) fn misbehave(&mut self, connection: ConnectionId, error: &ReadError) {
        let error = error.clone();
        tracing::debug!(connection = connection.0, %error, "refused a malformed message");
        self.context
            .events
            .push_minor(ServerEvent::Misbehaved { connection, error });
    }

    /// Charges a connection with the packet in progress, and closes it after too much misbehaviour.
    pub(crate) fn end_packet(&mut self, connection: ConnectionId) {
        let (limits, now) = (&self.context.config.limits, self.context.clock.now());
        if self.sessions.end_packet(connection, limits, now) {
            self.close_for(connection, LimitExceeded::Misbehaviour);
        }
    }

    /// Closes a connection that has exceeded a limit.
    pub(crate) fn close_for(&mut self, connection: ConnectionId, limit: LimitExceeded) {
        if self.sessions.knows(connection) {
            self.context.stats.refused.count_closed(limit);
            self.send_off(connection, DisconnectReason::Limit(limit));
        }
    }

    /// Closes the connections that have not become ready in time.
    pub(crate) fn expire_joins(&mut self) {
        let (now, timeout) = (
            self.context.clock.now(),
            self.context.config.limits.join_timeout,
        );
        for connection in self.sessions.lobby.expire(now, timeout) {
            self.close_for(connection, LimitExceeded::JoinTime);
        }
    }

    pub(crate) fn handle_message(
        &mut self,
        from: ConnectionId,
        frame: Frame<'_>,
    ) -> Result<(), ReadError> {
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

    pub(crate) fn handle_connect_message(&mut self, from: ConnectionId, connect: &Connect) {
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
    pub(crate) fn send_off(&mut self, connection: ConnectionId, reason: DisconnectReason) {
        self.deliver();
        self.send_own(connection, &Disconnect::from(&reason));
        self.close(connection, reason);
    }

    /// Closes a connection: it observes and owns no object any more.
    pub(crate) fn close(&mut self, connection: ConnectionId, reason: DisconnectReason) {
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

    /// Removes a connection from the observers of all objects. Returns whether it was ready.
    pub(crate) fn make_unready(&mut self, connection: ConnectionId) -> bool {
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
    pub(crate) fn handle_resync(&mut self, from: ConnectionId, id: NetId) {
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
