//! The schema on the wire: for a client that learns it, and for one with another schema.

use syncvar_runtime::endpoint::Refusal;
use syncvar_runtime::{Channel, ConnectionId, DisconnectReason};

use crate::MessageType;
use crate::message::begin;
use crate::server::sessions::connection::ConnectionState;
use crate::server::{NetworkServer, SchemaRequests};

impl NetworkServer {
    /// Sends the schema to a client without compiled types: the description of every prefab, and the
    /// classes of the behaviours.
    pub(crate) fn describe(&mut self, to: ConnectionId) {
        if self.context.config.schema_requests == SchemaRequests::Refuse {
            let refusal = Refusal::new("the server does not describe its schema");
            return self.send_off(to, DisconnectReason::Denied(Box::new(refusal)));
        }
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
        self.write_own(to, MessageType::Classes, &|writer| {
            let start = begin(MessageType::Classes, writer);
            writer.write_u64(hash);
            writer.write_packed_u64(kinds.len() as u64);
            writer.write_bytes(&kinds);
            writer.write_bytes(&classes);
            writer.finish_message(start);
        });
    }

    /// Sends the description of every prefab, unless the server keeps it to itself.
    pub(crate) fn send_schema(&mut self, to: ConnectionId) {
        if self.context.config.schema_requests == SchemaRequests::Refuse {
            return;
        }
        let texts: Vec<_> = self
            .objects
            .world
            .prefabs
            .texts()
            .into_iter()
            .cloned()
            .collect();
        for text in texts {
            self.write_own(to, MessageType::Schema, &|writer| {
                let start = begin(MessageType::Schema, writer);
                text.encode(writer);
                writer.finish_message(start);
            });
        }
    }
}
