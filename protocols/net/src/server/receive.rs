//! What comes from the network: connections, and their messages.

use super::connection::{Connection, ConnectionState};
use super::owner::set_owned;
use super::{NetworkServer, PacketError, ServerEvent};
use crate::ConnectionId;
use crate::lend::Tells;
use crate::message::frames;
use crate::message::{
    Connect, Disconnect, Frame, Message, NotReady, PROTOCOL_VERSION, Ping, Ready, Resync, begin,
    unknown,
};
use crate::message::{from_wire, number, text};
use crate::{DisconnectReason, MAX_STRING_BYTES, MessageType, NetId, ReadError};

impl NetworkServer {
    /// The transport has a new connection.
    ///
    /// # Panics
    ///
    /// After 4 294 967 295 connections.
    pub fn handle_connect(&mut self) -> ConnectionId {
        let id = self.new_connection_id();
        let connection = Connection::new(id, self.config.gathered_size());
        self.connections.insert(id.0, connection);
        self.interest.management.handle_connect(id);
        if !self.config.compare_schemas {
            self.accept(id);
        }
        id
    }

    /// The number of the next connection.
    pub(super) fn new_connection_id(&mut self) -> ConnectionId {
        let id = ConnectionId(self.next_connection);
        let next = self.next_connection.checked_add(1);
        self.next_connection = next.expect("connection numbers left");
        id
    }

    /// The transport has lost a connection.
    pub fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.close(connection, DisconnectReason::ConnectionLost);
        self.connections.remove(connection.0);
    }

    /// The transport has a packet from a connection.
    ///
    /// Whatever a client sends is checked against the connection that it came from. A message that
    /// makes no sense is ignored; the messages before and after it are handled, as long as their
    /// borders can be told. The first such message of a packet is reported, as
    /// [`ServerEvent::Misbehaved`] too.
    ///
    /// # Errors
    ///
    /// When there is no such connection, and for the first message that makes no sense.
    pub fn handle_packet(
        &mut self,
        connection: ConnectionId,
        packet: &[u8],
    ) -> Result<(), PacketError> {
        if !self.knows(connection) || self.is_local(connection) {
            return Err(PacketError::UnknownConnection(connection));
        }
        self.stats.received.add(packet.len());
        let mut result = Ok(());
        for frame in frames(packet) {
            let handled = frame.and_then(|frame| self.handle_message(connection, frame));
            result = result.and(handled);
        }
        if let Err(error) = &result {
            let error = error.clone();
            self.events
                .push_minor(ServerEvent::Misbehaved { connection, error });
        }
        Ok(result?)
    }

    fn handle_message(&mut self, from: ConnectionId, frame: Frame<'_>) -> Result<(), ReadError> {
        let Some(connection) = self.connections.get(from.0) else {
            return Ok(());
        };
        let message_type = MessageType::from_number(frame.message_type);
        match (connection.state, message_type) {
            (ConnectionState::Closing, _) => return Ok(()),
            // No client has that much to say.
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
        } else if connect.schema_hash == self.schema_hash {
            self.accept(from);
            // Both must speak it; the literal bytes of UNet everybody does.
            let framing = connect.framing.min(self.config.framing);
            if let Some(connection) = self.connections.get_mut(from.0) {
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
        if let Some(accepted) = self.connections.get_mut(connection.0) {
            accepted.state = ConnectionState::Connected;
            self.events.push(ServerEvent::Connected { connection });
        }
    }

    /// Sends the description of every prefab, so that the client can say what differs.
    fn send_schema(&mut self, to: ConnectionId) {
        let Some(connection) = self.connections.get_mut(to.0) else {
            return;
        };
        for text in self.prefabs.texts() {
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

    /// Tells a connection why it ends, and ends it.
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

    /// Sends a connection off: it is told why, and then forgotten. The transport should close it
    /// once [`poll_transmit`](Self::poll_transmit) has given out its last packet. Of the text, 32 767
    /// bytes are sent.
    pub fn disconnect(&mut self, connection: ConnectionId, text: &str) {
        if !self.knows(connection) {
            return;
        }
        let text = &text[..text.floor_char_boundary(MAX_STRING_BYTES)];
        self.send_off(connection, DisconnectReason::Requested(text.into()));
    }

    /// Ends a connection: it sees and owns nothing any more.
    fn close(&mut self, connection: ConnectionId, reason: DisconnectReason) {
        let Some(closed) = self.connections.get_mut(connection.0) else {
            return;
        };
        if closed.state == ConnectionState::Closing {
            return;
        }
        let was_in = closed.is_connected();
        // What was said to those who observe an object was said to it, too.
        self.deliver();
        let Some(closed) = self.connections.get_mut(connection.0) else {
            return;
        };
        closed.state = ConnectionState::Closing;
        let owned: Vec<NetId> = std::mem::take(&mut closed.owned).into_iter().collect();
        closed.list(&mut self.outgoing);
        for id in &owned {
            if let Some(spawned) = self.objects.get_mut(id.0) {
                spawned.owner = None;
                if let Some(slots) = self.pools.slots_mut(spawned.at) {
                    set_owned(slots, false);
                }
            }
        }
        let lost = self.with_lifecycle(&owned);
        self.joining.retain(|joining| *joining != connection);
        self.leave_audiences(connection, &owned);
        self.cancel_owed(connection);
        self.interest.forget_connection(connection);
        self.rationing.forget_connection(connection);
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
                self.tell_ownership(id, Some(connection), None);
            }
        }
    }

    /// Makes a connection ready, as its own `Ready` message does: with the next update it gets
    /// every object that it may see. A connection that is ready stays so.
    pub fn set_ready(&mut self, connection: ConnectionId) {
        if let Some(joiner) = self.connections.get_mut(connection.0)
            && joiner.state == ConnectionState::Connected
        {
            joiner.state = ConnectionState::Joining;
            self.joining.push(connection);
        }
    }

    /// Makes a connection not ready: it keeps what it has and gets nothing more, until it says that
    /// it is ready again. UNet sends this before a scene is loaded. The local client is always ready.
    pub fn set_not_ready(&mut self, connection: ConnectionId) {
        if self.is_local(connection) {
            return;
        }
        let Some(idle) = self.connections.get_mut(connection.0) else {
            return;
        };
        if matches!(
            idle.state,
            ConnectionState::Joining | ConnectionState::Ready
        ) {
            idle.state = ConnectionState::Connected;
            self.joining.retain(|joining| *joining != connection);
            // What was said to those who observe an object was said to it, too.
            self.deliver();
            self.audiences.remove_ready(connection);
            self.cancel_owed(connection);
            self.send_own(connection, &NotReady {});
        }
    }

    /// A client could not read an object and asks for all of it. It is remembered once, if the
    /// client sees the object at all.
    fn handle_resync(&mut self, from: ConnectionId, id: NetId) {
        let seen = self
            .objects
            .get(id.0)
            .filter(|spawned| spawned.announced)
            .is_some_and(|spawned| self.audiences.get(spawned.audience).observes(from));
        if !seen {
            self.stats.unknown_objects += 1;
        } else if let Some(connection) = self.connections.get_mut(from.0) {
            if connection.wanted.is_empty() {
                self.resyncing.push(from);
            }
            connection.wanted.insert(id);
        }
    }
}
