//! Messages of the program without an object.

use super::{ClientEvent, NetworkClient};
use crate::message::{Frame, frame_number, unknown};
use syncvar_runtime::prefab::message::MessageError;
use syncvar_runtime::{
    ConnectionId, NetworkReader, NetworkWriter, ReadError, SyncValue, WriteError,
};

impl NetworkClient {
    /// Sends a message to the server on channel 0, ready or not. It keeps its order among the calls of
    /// this client, and precedes the owner writes of the next [`update`](Self::update).
    ///
    /// The server ignores messages beyond
    /// [`Limits::program_message_rate`](syncvar_runtime::Limits::program_message_rate), and refuses
    /// longer ones than [`Limits::max_program_message`](syncvar_runtime::Limits::max_program_message).
    ///
    /// # Errors
    ///
    /// When the type is not [registered](syncvar_runtime::Prefabs::message), the client is not
    /// connected, or the value has no encoding or is too long.
    pub fn send<M: SyncValue>(&mut self, message: &M) -> Result<(), MessageError> {
        self.send_on(0, message)
    }

    /// Sends a message to the server on a channel. On an unreliable channel it may be lost, and must fit
    /// a packet.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send), and for an unknown channel.
    pub fn send_on<M: SyncValue>(&mut self, channel: u8, message: &M) -> Result<(), MessageError> {
        let number = self.objects.world.prefabs.messages().find::<M>()?.number;
        if !self.is_connected() || !self.session.is_heard() {
            return Err(MessageError::NotConnected(ConnectionId::SERVER));
        }
        if usize::from(channel) >= self.context.config.channels.len() {
            return Err(MessageError::UnknownChannel(channel));
        }
        let form = self.session.framing.form();
        let mut value = NetworkWriter::with_encoding(self.session.framing.encoding());
        value.write(message);
        if let Some(error) = value.take_error() {
            return Err(error.into());
        }
        if let Some(kind) = self.command_room(channel).refusal(form, value.len()) {
            return Err(WriteError::new(kind, 0, None, None).into());
        }
        let length = self.send_with_view(channel, |writer| {
            frame_number(writer, number, value.as_bytes());
        });
        self.context.stats.program_sent.add(length);
        Ok(())
    }

    /// Reports a message of the server.
    pub(super) fn handle_program_message(&mut self, frame: Frame<'_>) -> Result<(), ReadError> {
        let messages = self.objects.world.prefabs.messages();
        let kind = messages.by_number(frame.message_type);
        let kind = kind.filter(|_| self.is_connected());
        let kind = kind.ok_or_else(|| unknown(frame))?;
        let encoding = self.session.framing.encoding();
        let mut reader =
            NetworkReader::with_encoding(frame.payload, encoding).with_budget(self.inbound.budget);
        let message = kind.read(&mut reader);
        self.inbound.budget = reader.budget();
        self.context.stats.program_received.add(frame.length());
        self.context.events.push(ClientEvent::Message(message?));
        Ok(())
    }
}
