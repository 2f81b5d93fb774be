//! Messages of a server before its answer: the granted session, and the registry before a refusal.

use super::Session;
use crate::MessageType;
use crate::client::state_message::StateMessage;
use crate::message::{Disconnect, Grant, Message as _, unknown};
use syncvar_runtime::unstable::prefab::text::{PrefabText, first_difference};
use syncvar_runtime::{DisconnectReason, NetworkReader, Prefabs, ReadError, ReadErrorKind};

/// Most prefab descriptions that a server can make a client keep.
const MAX_SCHEMA_MESSAGES: usize = 4096;

impl Session {
    /// Takes a message of a server that has not accepted this client yet. Descriptions of prefabs have at most
    /// `max_memory` bytes.
    pub(crate) fn take_answer(
        &mut self,
        message: StateMessage<'_>,
        max_memory: usize,
    ) -> Result<(), ReadError> {
        let payload = message.payload;
        match message.message_type {
            MessageType::Session => self.ticket.granted = Some(Grant::decode(payload)?),
            MessageType::Schema => self.keep_schema(payload, max_memory)?,
            _ => return Err(unknown(message.frame())),
        }
        Ok(())
    }

    /// Keeps a prefab description of the server, for the message of a refusal.
    fn keep_schema(&mut self, payload: &[u8], max_memory: usize) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(payload);
        let text = PrefabText::decode(&mut reader)?;
        reader.finish()?;
        let schema = &mut self.schema;
        let (needed, left) = (payload.len(), max_memory.saturating_sub(schema.bytes));
        if needed > left {
            return Err(reader.error(ReadErrorKind::TooMuchMemory { needed, left }));
        }
        schema.bytes += needed;
        if schema.prefabs.len() >= MAX_SCHEMA_MESSAGES {
            let (count, limit) = (schema.prefabs.len() + 1, MAX_SCHEMA_MESSAGES);
            return Err(reader.error(ReadErrorKind::TooManyElements { count, limit }));
        }
        schema.prefabs.push(text);
        Ok(())
    }

    /// Forgets the registry of an earlier server.
    pub(crate) fn forget_schema(&mut self) {
        self.schema.prefabs.clear();
    }

    /// Returns the reason for which the server ends the connection.
    pub(crate) fn end_reason(&self, message: Disconnect, prefabs: &Prefabs) -> DisconnectReason {
        let mut reason = message.into_reason();
        // A server may keep its schema to itself.
        if let DisconnectReason::SchemaMismatch(difference) = &mut reason
            && !self.schema.prefabs.is_empty()
        {
            let own = prefabs.texts();
            *difference = first_difference(&self.schema.prefabs, &own).map(Box::new);
        }
        reason
    }
}
