//! Messages of a server before its answer: the granted session, and its schema before a resolution or a refusal.

use std::sync::Arc;

use syncvar_runtime::schema::SchemaReport;
use syncvar_runtime::{DisconnectReason, Prefabs, ReadError};

use super::{ServerSchema, Session};
use crate::client::ClientConfig;
use crate::client::state_message::StateMessage;
use crate::message::{
    ClientBuild, Connect, Disconnect, Grant, GrantKind, MAX_BUILD, Message as _, PROTOCOL_VERSION,
    unknown,
};
use crate::{Builds, MessageType};

/// Step that a message of a server before its answer leads to.
pub(crate) enum Greeting {
    /// Further messages follow.
    Waits,
    /// The client asks again, by the schema of the server.
    Resolved,
    /// The client leaves.
    Differs(Box<SchemaReport>),
}

impl Session {
    /// Takes a message of a server that has not accepted this client yet.
    pub(crate) fn take_answer(
        &mut self,
        message: StateMessage<'_>,
        config: &ClientConfig,
        prefabs: &Prefabs,
    ) -> Result<Greeting, ReadError> {
        let payload = message.payload;
        match message.message_type {
            MessageType::Session => self.take_grant(Grant::decode(payload)?),
            MessageType::Schema => {
                if self.build.schema.take(payload)? {
                    return Ok(self.resolve(config, prefabs));
                }
            }
            _ => return Err(unknown(message.frame())),
        }
        Ok(Greeting::Waits)
    }

    /// Takes the session that the server grants. The packet in progress is the first of a new session: packets with
    /// the schema of the server precede it.
    fn take_grant(&mut self, granted: Grant) {
        if granted.kind == GrantKind::New {
            self.ticket.received = granted.sent.saturating_add(1);
        }
        self.ticket.granted = Some(granted);
    }

    /// Resolves the schema of the server, if the settings allow a server of another build.
    fn resolve(&mut self, config: &ClientConfig, prefabs: &Prefabs) -> Greeting {
        let differences = match config.builds {
            Builds::Exact => self.build.schema.report(prefabs),
            Builds::Compatible => None,
        };
        let resolved = match differences {
            Some(report) if !report.reasons.is_empty() => Err(report),
            _ => self.build.schema.resolve(prefabs),
        };
        match resolved {
            Ok(translation) => {
                self.build.translation = translation.map(Arc::new);
                Greeting::Resolved
            }
            Err(report) => Greeting::Differs(Box::new(report)),
        }
    }

    /// Returns the request to join.
    pub(crate) fn connect(&self, config: &ClientConfig, prefabs: &Prefabs) -> Connect {
        let own = prefabs.schema_hash();
        let translation = self.build.translation.as_ref();
        let build = &config.build[..config.build.floor_char_boundary(MAX_BUILD)];
        Connect {
            version: PROTOCOL_VERSION,
            schema_hash: translation.map_or(own, |it| it.server_hash),
            framing: config.framing,
            build: ClientBuild {
                schema_hash: own,
                name: build.try_into().unwrap_or_default(),
            },
        }
    }

    /// Forgets the schema of the last server: the next connection begins with the own schema.
    pub(crate) fn forget_server(&mut self) {
        self.build.schema = ServerSchema::default();
        self.build.translation = None;
    }

    /// Returns the reason for which the server ends the connection.
    pub(crate) fn end_reason(
        &mut self,
        message: Disconnect,
        prefabs: &Prefabs,
    ) -> DisconnectReason {
        let mut reason = message.into_reason();
        if let DisconnectReason::SchemaMismatch(report) = &mut reason {
            // A server may keep its schema to itself.
            *report = self.build.schema.report(prefabs).map(Box::new);
            self.forget_server();
        }
        reason
    }
}
