//! The schema on the wire: for a client that learns it, and for a client with a different schema.

use syncvar_runtime::{Channel, ConnectionId};

use crate::MessageType;
use crate::message::begin;
use crate::server::SchemaRequests;
use crate::server::ground::Ground;
use crate::server::sessions::connection::ConnectionState;

impl Ground<'_> {
    /// Returns whether the server describes its schema.
    pub(crate) fn describes(&self) -> bool {
        self.context.config.schema_requests == SchemaRequests::Answer
    }

    /// Sends the schema to a client without compiled types: the description of every prefab, and the
    /// classes of the behaviours.
    pub(crate) fn describe(&mut self, to: ConnectionId) {
        if let Some(connection) = self.sessions.connections.get_mut(to.0) {
            connection.state = ConnectionState::Connecting { described: true };
        }
        self.send_schema(to);
        let kinds = self.context.config.channels.iter();
        let kinds: Vec<u8> = kinds
            .map(|kind| u8::from(*kind == Channel::Unreliable))
            .collect();
        let prefabs = self.objects.world.prefabs.by_rank();
        let classes: Vec<u8> = prefabs
            .flat_map(|prefab| &prefab.classes)
            .copied()
            .collect();
        let hash = self.sessions.schema_hash;
        self.write(to, MessageType::Classes, &|writer| {
            let start = begin(MessageType::Classes, writer);
            writer.write_u64(hash);
            writer.write_packed_u64(kinds.len() as u64);
            writer.write_bytes(&kinds);
            writer.write_bytes(&classes);
            writer.finish_message(start);
        });
    }

    /// Sends the description of every prefab, unless the server refuses to.
    pub(crate) fn send_schema(&mut self, to: ConnectionId) {
        if !self.describes() {
            return;
        }
        let texts = self.objects.world.prefabs.texts().into_iter();
        let texts: Vec<_> = texts.cloned().collect();
        for text in texts {
            self.write(to, MessageType::Schema, &|writer| {
                let start = begin(MessageType::Schema, writer);
                text.encode(writer);
                writer.finish_message(start);
            });
        }
    }
}
