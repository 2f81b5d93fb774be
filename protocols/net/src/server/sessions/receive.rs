//! Input of the transport: connections and their messages.

use syncvar_runtime::world::Protocol;
use syncvar_runtime::{ConnectionId, DisconnectReason, MAX_STRING_BYTES, NetId, ReadError};

use crate::MessageType;
use crate::message::{
    Connect, Disconnect, Frame, Message, NotReady, PROTOCOL_VERSION, Ping, Ready, Resync, begin,
    frames, from_wire, number, text, unknown,
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
        let connection = Connection::new(id, self.config.gathered_size());
        self.sessions.connections.insert(id.0, connection);
        self.visibility.interest.management.handle_connect(id);
        if !self.config.compare_schemas {
            self.accept(id);
        }
        id
    }

    /// Handles a connection lost by the transport.
    pub fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.close(connection, DisconnectReason::ConnectionLost);
        self.sessions.connections.remove(connection.0);
        self.sessions.closing.retain(|ended| *ended != connection);
    }

    /// Handles a packet of a connection, which came on this channel.
    ///
    /// Every message is checked against the connection it came from. A malformed message is
    /// ignored; the other messages of the packet are handled as long as their boundaries are clear.
    /// The first malformed message is also reported as [`ServerEvent::Misbehaved`].
    ///
    /// # Errors
    ///
    /// For an unknown connection, for a channel beyond
    /// [`ServerConfig::channels`](crate::ServerConfig::channels), and for the first malformed message.
    pub fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), PacketError> {
        if !self.sessions.knows(connection) || self.is_local(connection) {
            return Err(PacketError::UnknownConnection(connection));
        }
        if usize::from(channel) >= self.config.channels.len() {
            return Err(PacketError::UnknownChannel(channel));
        }
        self.stats.received.add(packet.len());
        let (limits, length) = (&self.config.limits, packet.len());
        self.sessions.begin_packet(connection, limits, length);
        let mut result = Ok(());
        for frame in frames(packet) {
            let handled = frame.and_then(|frame| self.handle_message(connection, frame));
            result = result.and(handled);
        }
        let limits = &self.config.limits;
        self.sessions.end_packet(connection, limits, length);
        if let Err(error) = &result {
            let error = error.clone();
            self.events
                .push_minor(ServerEvent::Misbehaved { connection, error });
        }
        Ok(result?)
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
            (ConnectionState::Connecting, Some(MessageType::Connect)) => {
                self.handle_connect_message(from, &Connect::decode(frame.payload)?);
            }
            (_, Some(MessageType::Disconnect)) => {
                let Disconnect { reason, text } = Disconnect::decode(frame.payload)?;
                self.close(from, from_wire(reason, text));
            }
            (ConnectionState::Connecting, _) => return Err(unknown(frame)),
            (_, Some(MessageType::Ready)) => {
                Ready::decode(frame.payload)?;
                self.set_ready(from);
            }
            (_, Some(MessageType::Resync)) => {
                self.handle_resync(from, Resync::decode(frame.payload)?.net_id);
            }
            (_, Some(MessageType::Ping)) if self.config.compare_schemas => {
                self.handle_ping(from, Ping::decode(frame.payload)?.time);
            }
            (_, Some(MessageType::OwnerWrite)) if self.config.compare_schemas => {
                self.handle_owner_write(from, frame.payload)?;
            }
            (_, Some(message_type @ (MessageType::Command | MessageType::Call))) => {
                self.handle_command(from, message_type, frame.payload)?;
            }
            _ => return Err(unknown(frame)),
        }
        if let Some(message_type) = message_type {
            self.stats.count_decoded(message_type, frame.length());
        }
        Ok(())
    }

    fn handle_connect_message(&mut self, from: ConnectionId, connect: &Connect) {
        if connect.version != PROTOCOL_VERSION {
            self.send_off(from, DisconnectReason::VersionMismatch);
        } else if connect.schema_hash == self.sessions.schema_hash {
            self.accept(from);
            // Both ends must support the framing. UNet's bytes are the minimum.
            let framing = connect.framing.min(self.config.framing);
            if let Some(connection) = self.sessions.connections.get_mut(from.0) {
                connection.framing = framing;
            }
            let (version, schema_hash) = (PROTOCOL_VERSION, 0);
            self.send_own(
                from,
                &Connect {
                    version,
                    schema_hash,
                    framing,
                },
            );
        } else {
            self.send_schema(from);
            self.send_off(from, DisconnectReason::SchemaMismatch(None));
        }
    }

    fn accept(&mut self, connection: ConnectionId) {
        if let Some(accepted) = self.sessions.connections.get_mut(connection.0) {
            accepted.state = ConnectionState::Connected;
            self.events.push(ServerEvent::Connected { connection });
        }
    }

    /// Sends the schema of every prefab, so that the client can name the differences.
    fn send_schema(&mut self, to: ConnectionId) {
        let Some(connection) = self.sessions.connections.get_mut(to.0) else {
            return;
        };
        for text in self.world.prefabs.texts() {
            let writer = connection.own.begin();
            let start = begin(MessageType::Schema, writer);
            text.encode(writer);
            writer.finish_message(start);
            if writer.take_error().is_some() {
                connection.own.give_up();
            } else {
                self.stats
                    .count_encoded(MessageType::Schema, connection.own.commit());
            }
        }
    }

    /// Sends the reason of a disconnect, then closes the connection.
    fn send_off(&mut self, connection: ConnectionId, reason: DisconnectReason) {
        let (number, text) = (number(&reason), text(&reason));
        self.deliver();
        self.send_own(
            connection,
            &Disconnect {
                reason: number,
                text,
            },
        );
        self.close(connection, reason);
    }

    /// Disconnects a connection with a text, of which 32 767 bytes are sent. The transport should
    /// close it after [`poll_transmit`](Self::poll_transmit) returned its last packet.
    pub fn disconnect(&mut self, connection: ConnectionId, text: &str) {
        if !self.sessions.knows(connection) {
            return;
        }
        let text = &text[..text.floor_char_boundary(MAX_STRING_BYTES)];
        self.send_off(connection, DisconnectReason::Requested(text.into()));
    }

    /// Closes a connection: it observes and owns no object any more.
    fn close(&mut self, connection: ConnectionId, reason: DisconnectReason) {
        let Some(closed) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        if closed.state == ConnectionState::Closing {
            return;
        }
        let was_in = closed.is_connected();
        // Unsent bytes of its audiences belong to the connection as well.
        self.deliver();
        let Some(closed) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        closed.state = ConnectionState::Closing;
        let owned: Vec<NetId> = closed.owned.iter().collect();
        closed.list(&mut self.outbound.outgoing);
        self.sessions.closing.push_back(connection);
        for id in &owned {
            if let Some(replicated) = self.world.objects.get_mut(id.0) {
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
        self.replication.bandwidth.remove_connection(connection);
        self.events.push(if was_in {
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
    /// visible objects. Without effect on a ready connection.
    pub fn set_ready(&mut self, connection: ConnectionId) {
        self.sessions.set_joining(connection);
    }

    /// Makes a connection not ready: it keeps its objects and receives no changes until it is ready
    /// again. UNet does this before it loads a scene. The local client is always ready.
    pub fn set_not_ready(&mut self, connection: ConnectionId) {
        if self.is_local(connection) {
            return;
        }
        let Some(idle) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        if matches!(
            idle.state,
            ConnectionState::Joining | ConnectionState::Ready
        ) {
            idle.state = ConnectionState::Connected;
            self.sessions
                .joining
                .retain(|joining| *joining != connection);
            // Unsent bytes of its audiences belong to the connection as well.
            self.deliver();
            self.visibility.audiences.remove_ready(connection);
            self.cancel_snapshots(connection);
            self.send_own(connection, &NotReady {});
        }
    }

    /// Queues a snapshot for a client that could not decode an object, if it observes the object.
    fn handle_resync(&mut self, from: ConnectionId, id: NetId) {
        let seen = self
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
            self.stats.unknown_objects += 1;
        } else if let Some(connection) = self.sessions.connections.get_mut(from.0) {
            if connection.resync_requests.is_empty() {
                self.sessions.resyncing.push(from);
            }
            connection.resync_requests.insert(id);
        }
    }
}
