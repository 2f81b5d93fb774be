//! The schema on the wire: for a client of another build, and for a client without compiled types.

use syncvar_runtime::ConnectionId;
use syncvar_runtime::schema::MAX_SCHEMA_TEXT;

use crate::message::SchemaPart;
use crate::server::SchemaRequests;
use crate::server::ground::Ground;
use crate::server::sessions::connection::ConnectionState;

impl Ground<'_> {
    /// Returns whether the server describes its schema.
    pub(crate) fn describes(&self) -> bool {
        let text = self.objects.world.prefabs.schema_text();
        self.context.config.schema_requests == SchemaRequests::Answer
            && text.len() <= MAX_SCHEMA_TEXT
    }

    /// Sends the text of the schema. A connection receives it once.
    pub(crate) fn describe(&mut self, to: ConnectionId) {
        if let Some(connection) = self.sessions.connections.get_mut(to.0) {
            connection.state = ConnectionState::Connecting { described: true };
        }
        let text = self.objects.world.prefabs.schema_text().clone();
        for part in SchemaPart::of_text(&text) {
            self.send(to, &part);
        }
    }
}
