//! Messages of clients.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use syncvar_runtime::behaviour::MessageTime;
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::unstable::call::Failure;
use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::{
    Channel, CommandRefusal, ConnectionId, DisconnectReason, Encoding, NetworkReader,
};

use crate::MirrorError;
use crate::batch::Unbatcher;
use crate::message::{CommandMessage, Message, NetworkMessage};
use crate::server::calls::command::{admit_command, refuse_command};
use crate::server::replication::owner_state::OwnerWrite;
use crate::server::stats::{count, one_more};
use crate::server::{MirrorServer, MirrorServerEvent, UpperRooms};

impl MirrorServer {
    /// Handles a transport message of a connection: one batch. Unreliable batches may be lost or
    /// reordered; otherwise all messages are accepted on both channels.
    ///
    /// # Errors
    ///
    /// Fails where Mirror disconnects a client: for bytes that do not form a batch, an unknown or
    /// malformed message, and a message that needs authentication first; and for more messages per
    /// second than [`Limits::message_rate`](syncvar_runtime::Limits::message_rate). Earlier
    /// messages of the batch are handled. The connection is ended then, and the transport closes it
    /// ([`poll_close`](Self::poll_close)). Also fails for an unknown connection.
    pub fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        batch: &[u8],
    ) -> Result<(), MirrorError> {
        let _ = channel;
        if !self.is_connected(connection) {
            return Err(MirrorError::NoSuchConnection);
        }
        count(&mut self.context.stats.received, batch.len());
        if let Some(client) = self.sessions.get_mut(connection) {
            client.received.add(batch.len());
        }
        let context = &self.context;
        let may_send = self.sessions.begin_packet(connection, batch.len(), context);
        let result = if may_send {
            let result = self.handle_batch(connection, batch);
            self.sessions.message_time = None;
            result
        } else {
            one_more(&mut self.context.stats.refused.packets);
            Err(MirrorError::TooManyMessages)
        };
        if self.sessions.end_packet(connection, &self.context) {
            self.close_for(connection, LimitExceeded::Misbehaviour);
        }
        result.map_err(|error| {
            if let MirrorError::Message { error, .. } = &error {
                self.context.stats.refused.count_read(error.kind());
            } else if may_send {
                one_more(&mut self.context.stats.refused.malformed);
            }
            tracing::warn!(%connection, %error, "disconnecting a client");
            self.close(connection, DisconnectReason::Refused(error.clone()));
            error
        })
    }

    fn handle_batch(&mut self, from: ConnectionId, batch: &[u8]) -> Result<(), MirrorError> {
        let messages = Unbatcher::new(batch)?;
        let time = messages.time();
        let sender = self.sessions.get(from);
        let now = self.context.now().as_secs_f64();
        self.sessions.message_time = Some(MessageTime {
            remote: time,
            local: now,
            shown: sender.and_then(|client| client.times.shown()),
            predicted: now,
        });
        for message in messages {
            let message = Message::decode(message?)?;
            self.sessions.intake.count_message();
            let Some(client) = self.sessions.get(from) else {
                // A command disconnected the sender: the rest is dropped.
                return Ok(());
            };
            if client.authenticated || self.sessions.allows_unauthenticated(&message) {
                self.handle_message(from, time, &message)?;
            } else {
                return Err(MirrorError::NotAuthenticated { id: message.id() });
            }
        }
        Ok(())
    }

    fn handle_message(
        &mut self,
        from: ConnectionId,
        time: f64,
        message: &Message<'_>,
    ) -> Result<(), MirrorError> {
        match message {
            Message::Ready(_) => {
                if self.sessions.lobby.admit(from, &self.context.config.limits) {
                    self.set_ready(from);
                } else {
                    self.close_for(from, LimitExceeded::Places);
                }
            }
            Message::AddPlayer(_) => self.sessions.request_player(from, &mut self.context),
            Message::Command(command) => return self.handle_command(from, command),
            Message::EntityState(state) => {
                return self.apply_write(OwnerWrite::reliable(from, state), time);
            }
            Message::UnreliableBaseline(state) => {
                return self.apply_write(OwnerWrite::baseline(from, state), time);
            }
            Message::UnreliableDelta(state) => {
                return self.apply_write(OwnerWrite::delta(from, state), time);
            }
            Message::Ping(ping) => self.sessions.answer_ping(from, *ping, &mut self.context),
            Message::Pong(pong) => self.sessions.handle_pong(from, *pong, &self.context),
            Message::TimeSnapshot(snapshot) if self.objects.prefabs.has_frames() => {
                let scaled_time = snapshot.scaled_time;
                self.sessions
                    .receive_time(from, time, scaled_time, &self.context);
            }
            Message::TimeSnapshot(_) => {}
            Message::Other { id, payload } => {
                let budget = &mut self.sessions.intake.budget;
                let message = self.objects.prefabs.messages().read(*id, payload, budget)?;
                self.context.events.push_minor(MirrorServerEvent::Message {
                    connection: from,
                    message,
                });
            }
            // Messages from servers only.
            other => return Err(MirrorError::UnknownMessage { id: other.id() }),
        }
        Ok(())
    }

    /// Applies a write of an owner: reads it into the object, calls the hooks, and queues the components for the
    /// observers.
    fn apply_write(&mut self, write: OwnerWrite<'_>, time: f64) -> Result<(), MirrorError> {
        let UpperRooms {
            replication,
            mut rooms,
            ..
        } = self.parts();
        if !replication.admit_write(&mut rooms, write, time) {
            return Ok(());
        }
        let mut received = replication.read_write(&mut rooms, write);
        let with_context = received.call_hooks(&mut rooms, write.object);
        if !with_context.is_empty() {
            self.run_hooks(with_context);
        }
        self.replicate(|replication, rooms| replication.finish_write(rooms, write, received))
    }

    /// Runs a command of a client, or reports its refusal. Only malformed arguments are an error,
    /// as in Mirror.
    fn handle_command(
        &mut self,
        from: ConnectionId,
        command: &CommandMessage<'_>,
    ) -> Result<(), MirrorError> {
        let UpperRooms { mut rooms, .. } = self.parts();
        let Some(place) = admit_command(&mut rooms, from, command) else {
            return Ok(());
        };
        let arguments = command.payload.unwrap_or_default();
        let mut arguments = NetworkReader::with_encoding(arguments, Encoding::Mirror)
            .with_budget(self.sessions.intake.budget);
        one_more(&mut self.context.stats.commands);
        let object = command.net_id;
        tracing::trace!(connection = from.0, %object, command = place.schema.name, "runs a command");
        let ran = self.run_reported_call(object, &place, Some(from), &mut arguments);
        self.sessions.intake.budget = arguments.budget();
        match ran {
            None => {
                let UpperRooms { mut rooms, .. } = self.parts();
                let reason = CommandRefusal::UnknownObject;
                refuse_command(&mut rooms, from, command, Some(&place), reason);
                Ok(())
            }
            Some(Err(Failure::Malformed(error))) => Err(MirrorError::Message {
                message: CommandMessage::NAME,
                error,
            }),
            // The panic is reported already.
            Some(Ok(()) | Err(Failure::Panicked(_))) => Ok(()),
        }
    }
}
