//! Messages of a server before its answer: the granted session, and its schema before a resolution or a refusal.

use std::sync::Arc;

use syncvar_runtime::schema::SchemaReport;
use syncvar_runtime::{DisconnectReason, Prefabs, ReadError};

use super::{ServerSchema, Session};
use crate::client::ClientConfig;
use crate::client::context::Context;
use crate::client::outbound::Outbound;
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
    /// The client asks again, with the prefabs that it has learned.
    Learned(Box<Prefabs>),
    /// The client leaves; with an error, if the schema is unreadable.
    Leaves(Box<SchemaReport>, Result<(), ReadError>),
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
            MessageType::Schema => return Ok(self.take_schema(payload, config, prefabs)),
            _ => return Err(unknown(message.frame())),
        }
        Ok(Greeting::Waits)
    }

    /// Takes a part of the schema of the server. The last part leads to a new request, or to the end.
    fn take_schema(
        &mut self,
        payload: &[u8],
        config: &ClientConfig,
        prefabs: &Prefabs,
    ) -> Greeting {
        let next = match self.build.schema.take(payload) {
            Ok(false) => return Greeting::Waits,
            Ok(true) if self.build.learning.is_on() => {
                let prefabs = self.build.schema.prefabs();
                prefabs.map(|prefabs| Greeting::Learned(Box::new(prefabs)))
            }
            Ok(true) => self.resolve(config, prefabs),
            Err(error) => {
                let report = format!("the schema of the server cannot be read: {error}");
                return Greeting::Leaves(Box::new(SchemaReport::new(report)), Err(error));
            }
        };
        next.unwrap_or_else(|report| Greeting::Leaves(Box::new(report), Ok(())))
    }

    /// Takes the session that the server grants. The packet in progress is the first of a new session: packets with
    /// the schema of the server precede it.
    fn take_grant(&mut self, granted: Grant) {
        if granted.kind == GrantKind::New {
            self.ticket.received = granted.sent.saturating_add(1);
        }
        self.ticket.granted = Some(granted);
    }

    /// Resolves the schema of the server, if the settings allow a server of a different build.
    fn resolve(
        &mut self,
        config: &ClientConfig,
        prefabs: &Prefabs,
    ) -> Result<Greeting, SchemaReport> {
        let differences = match config.builds {
            Builds::Exact => self.build.schema.report(prefabs),
            Builds::Compatible => None,
        };
        if let Some(report) = differences.filter(|report| !report.reasons.is_empty()) {
            return Err(report);
        }
        let translation = self.build.schema.resolve(prefabs)?;
        self.build.translation = translation.map(Arc::new);
        Ok(Greeting::Resolved)
    }

    /// Asks the server to join.
    pub(crate) fn ask(&self, prefabs: &Prefabs, outbound: &mut Outbound, context: &mut Context) {
        let connect = self.connect(&context.config, prefabs);
        self.send(&connect, outbound, &mut context.stats);
    }

    /// Returns the request to join.
    fn connect(&self, config: &ClientConfig, prefabs: &Prefabs) -> Connect {
        let own = prefabs.schema_hash();
        let translation = self.build.translation.as_ref();
        let build = &config.build[..config.build.floor_char_boundary(MAX_BUILD)];
        let mut connect = Connect {
            version: PROTOCOL_VERSION,
            schema_hash: translation.map_or(own, |it| it.server_hash),
            framing: config.framing,
            build: ClientBuild {
                schema_hash: own,
                name: build.try_into().unwrap_or_default(),
            },
        };
        self.build.learning.adapt(&mut connect);
        connect
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
