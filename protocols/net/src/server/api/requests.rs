//! Conductor of received packets: each message goes to its room.

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::{Channel, ConnectionId, DisconnectReason, ReadError};

use crate::MessageType;
use crate::message::{Connect, Frame, frames};
use crate::server::api::rooms::Rooms;
use crate::server::sessions::admission::Match;
use crate::server::sessions::connection::ConnectionState;
use crate::server::sessions::incoming::{PacketTime, report_misbehaviour};
use crate::server::sessions::request::Request;
use crate::server::{NetworkServer, PacketError};

impl NetworkServer {
    /// Handles a packet of a carrier.
    pub(super) fn handle(
        &mut self,
        link: ConnectionId,
        channel: u8,
        carrier: Channel,
        packet: &[u8],
    ) -> Result<(), PacketError> {
        let known = self.sessions.of_link(link);
        let known = known.filter(|id| self.sessions.knows(*id) && !self.is_local(*id));
        let connection = known.ok_or(PacketError::UnknownConnection(link))?;
        let kind = self.context.config.channels.get(usize::from(channel));
        let kind = *kind.ok_or(PacketError::UnknownChannel(channel))?;
        self.context.stats.received.add(packet.len());
        let Self {
            context, sessions, ..
        } = self;
        if !sessions.begin_packet(context, connection, packet.len()) {
            context.stats.refused.packets += 1;
            sessions.intake.count(Misbehaviour::Ignored);
            if sessions.end_packet(context, connection) {
                self.close_for(connection, LimitExceeded::Misbehaviour);
            }
            return Err(PacketError::TooManyMessages(connection));
        }
        sessions.count_reliable(connection, kind, carrier);
        let arrival = PacketTime {
            tick: self.outbound.store.tick,
            gap: self.rewind.gap(),
        };
        let unpacked = sessions.read_header(context, arrival, connection, carrier, packet);
        // Without its header, the ticks of all later packets are unknown.
        let lost_ticks = unpacked.is_err() && carrier == Channel::Reliable;
        let result = match unpacked {
            Ok(unpacked) => {
                if let Some(ack) = unpacked.ack
                    && self.rooms().handle_ack(connection, &ack)
                {
                    self.close_for(connection, LimitExceeded::Misbehaviour);
                }
                self.handle_messages(connection, unpacked.messages)
            }
            Err(error) => {
                if carrier == Channel::Unreliable {
                    sessions.count_error(context, &error);
                }
                Err(error)
            }
        };
        if let Err(error) = &result {
            report_misbehaviour(&mut self.context, connection, error);
        }
        if self.sessions.end_packet(&self.context, connection) || lost_ticks {
            self.close_for(connection, LimitExceeded::Misbehaviour);
        }
        Ok(result?)
    }

    /// Handles the messages of a packet. Returns the first error.
    fn handle_messages(
        &mut self,
        connection: ConnectionId,
        messages: &[u8],
    ) -> Result<(), ReadError> {
        let mut result = Ok(());
        for frame in frames(messages) {
            self.sessions.intake.count_message();
            let handled = frame.and_then(|frame| self.handle_message(connection, frame));
            if let Err(error) = &handled {
                self.sessions.count_error(&mut self.context, error);
            }
            result = result.and(handled);
        }
        self.sessions.mark_datagram(&self.context, connection);
        result
    }

    /// Handles a message of a client.
    fn handle_message(&mut self, from: ConnectionId, frame: Frame<'_>) -> Result<(), ReadError> {
        let state = { self.sessions.connections.get(from.0) }.map(|connection| connection.state);
        let Some(state) = state.filter(|state| *state != ConnectionState::Closing) else {
            return Ok(());
        };
        let request = Request::decode(state, self.context.config.compare_schemas, frame)?;
        self.handle_request(from, request)?;
        if let Some(message_type) = MessageType::from_number(frame.message_type) {
            let length = frame.length();
            self.context.stats.count_decoded(message_type, length);
        }
        Ok(())
    }

    /// Compares the schema of a client with the schema of the server: the client joins, resolves, or is refused.
    fn receive_connect(&mut self, from: ConnectionId, connect: Connect) {
        let describes = self.rooms().ground.describes();
        let Self {
            context, sessions, ..
        } = self;
        match sessions.compare(context, from, connect, describes) {
            Match::Equal => self.request(from),
            Match::Described => self.rooms().ground.describe(from),
            Match::DescribedAndRefused => {
                self.rooms().ground.describe(from);
                self.send_off(from, DisconnectReason::SchemaMismatch(None));
            }
            Match::Refused(reason) => self.send_off(from, reason),
        }
    }

    /// Handles a request that the conductor answers; hands the rest to their rooms.
    fn handle_request(
        &mut self,
        from: ConnectionId,
        request: Request<'_>,
    ) -> Result<(), ReadError> {
        let Self {
            context,
            objects,
            sessions,
            ..
        } = self;
        match request {
            Request::Connect(connect) => self.receive_connect(from, connect),
            Request::Leave(reason) => {
                if matches!(reason, DisconnectReason::SchemaMismatch(_)) {
                    tracing::info!(
                        connection = from.0,
                        "a client with other prefabs, behaviours or fields cannot resolve the schema: its `ClientEvent::Refused` names the reasons"
                    );
                }
                self.close(from, reason);
            }
            Request::View(view) => self.handle_view(from, &view),
            Request::OwnerWrite(payload) => {
                let write = sessions.read_owner_write(context, objects, from, payload)?;
                if let Some(write) = write.as_ref().filter(|_| objects.following.is_some()) {
                    // The followed server has the value. The client returns to it.
                    sessions.refuse_followed_write(context, from, write.id);
                } else if let Some(write) = write {
                    if let Some(host) = &mut self.host {
                        host.remember_object(objects, write.id);
                    }
                    sessions.apply_owner_write(context, objects, write)?;
                }
            }
            Request::Inputs(frame) => self.handle_inputs(from, frame)?,
            Request::Command(message_type, payload) => {
                self.handle_command(from, message_type, payload)?;
            }
            request => {
                if let Some(limit) = self.rooms().receive(from, request)? {
                    self.close_for(from, limit);
                }
            }
        }
        Ok(())
    }
}

impl Rooms<'_> {
    /// Hands a request to its room. Returns the limit that the connection has exceeded.
    fn receive(
        &mut self,
        from: ConnectionId,
        request: Request<'_>,
    ) -> Result<Option<LimitExceeded>, ReadError> {
        let ground = &mut self.ground;
        if let Request::Resync(id) = request {
            self.visibility.receive_resync(ground, from, id);
            return Ok(None);
        }
        let (context, objects) = (&mut *ground.context, &*ground.objects);
        let sessions = &mut *ground.sessions;
        match request {
            Request::Join(payload) => {
                let kept = sessions.keep_join_request(context, from, payload)?;
                return Ok((!kept).then_some(LimitExceeded::JoinPayload));
            }
            Request::ReadyEarly => sessions.defer_ready(from),
            Request::Ready => {
                let admitted = sessions.admit(context, from);
                return Ok((!admitted).then_some(LimitExceeded::Places));
            }
            Request::Program(frame) => {
                let prefabs = &objects.world.prefabs;
                sessions.receive_program_message(context, prefabs, from, frame)?;
            }
            Request::AddPlayer(payload) => sessions.receive_add_player(context, from, payload)?,
            Request::RemovePlayer(payload) => {
                sessions.receive_remove_player(context, objects, from, payload)?;
            }
            Request::Ping(ping) => sessions.receive_ping(context, from, &ping),
            Request::Echo(echo) => sessions.receive_echo(context, from, &echo),
            // The conductor has handled them.
            _ => {}
        }
        Ok(None)
    }
}
