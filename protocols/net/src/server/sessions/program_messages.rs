//! Messages of the program without an object.

use bytes::Bytes;
use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::{
    ConnectionId, MessageError, NetworkReader, NetworkWriter, Prefabs, ReadError, ReadErrorKind,
    ReceivedMessage, WriteError,
};

use crate::Framing;
use crate::message::{Frame, frame_number, unknown};
use crate::server::context::Context;
use crate::server::sessions::Sessions;
use crate::server::{ServerConfig, ServerEvent};

/// Number of the messages among the rates of commands, which are numbered from 0 per type.
const RATE: u32 = u32::MAX;

impl Sessions {
    /// Returns whether a connection receives messages of the program.
    pub(crate) fn takes_messages(&self, connection: ConnectionId) -> bool {
        let known = self.connections.get(connection.0);
        known.is_some_and(|known| known.is_connected() || known.records())
    }

    /// Reports a message of a client.
    pub(crate) fn receive_program_message(
        &mut self,
        context: &mut Context,
        prefabs: &Prefabs,
        from: ConnectionId,
        frame: Frame<'_>,
    ) -> Result<(), ReadError> {
        let messages = prefabs.messages();
        let kind = messages
            .by_number(frame.message_type)
            .ok_or_else(|| unknown(frame))?;
        let Some(connection) = self.connections.get_mut(from.0) else {
            return Ok(());
        };
        let (limits, length) = (&context.config.limits, frame.payload.len());
        let encoding = connection.framing.encoding();
        let mut reader =
            NetworkReader::with_encoding(frame.payload, encoding).with_budget(self.intake.budget);
        if length > limits.max_program_message {
            let limit = limits.max_program_message;
            return Err(reader.error(ReadErrorKind::MessageTooLong { length, limit }));
        }
        let (rate, now) = (limits.program_message_rate, context.clock.now());
        if !connection
            .intake
            .rates
            .allow((kind.type_id, RATE), rate, now)
        {
            context.stats.refused.program_messages += 1;
            self.intake.count(Misbehaviour::Ignored);
            return Ok(());
        }
        let message = kind.read(&mut reader);
        self.intake.budget = reader.budget();
        context.stats.program_received.add(frame.length());
        context.events.push_minor(ServerEvent::Message {
            connection: from,
            message: message?,
        });
        Ok(())
    }
}

/// Message to connections, encoded once per framing.
pub(crate) struct OutgoingMessage<'a> {
    /// Channel.
    pub(crate) channel: u8,
    /// Number of the message.
    pub(crate) number: i16,
    /// Writes the value.
    pub(crate) write: &'a dyn Fn(&mut NetworkWriter) -> Result<(), MessageError>,
    /// Returns the message for the local client of a host.
    pub(crate) received: &'a dyn Fn() -> ReceivedMessage,
}

impl OutgoingMessage<'_> {
    /// Encodes the message with its frame.
    ///
    /// # Errors
    ///
    /// When the value does not fit, has no encoding, or is too long for the channel.
    pub(crate) fn encode(
        &self,
        config: &ServerConfig,
        framing: Framing,
    ) -> Result<Bytes, MessageError> {
        let mut value = NetworkWriter::with_encoding(framing.encoding());
        (self.write)(&mut value)?;
        if let Some(error) = value.take_error() {
            return Err(error.into());
        }
        let room = config.channel_info(self.channel).room;
        if let Some(kind) = room.refusal(framing.form(), value.len()) {
            return Err(WriteError::new(kind, 0, None, None).into());
        }
        let mut framed = NetworkWriter::new();
        frame_number(&mut framed, self.number, value.as_bytes());
        Ok(framed.take_bytes())
    }
}
