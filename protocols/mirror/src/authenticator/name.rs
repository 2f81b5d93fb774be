//! Names that are in use once.

use std::collections::BTreeMap;

use syncvar_runtime::{ConnectionId, ReceivedMessage};

use super::{ClientAuthenticator, Decision, ServerAuthenticator};
use crate::message::{NameAuthRequestMessage, NameAuthResponseMessage};
use crate::{MirrorClient, MirrorServer};

/// A name that is unique among the connections. Mirror, `UniqueNameAuthenticator`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UniqueNameAuthenticator {
    own: NameAuthRequestMessage,
    names: BTreeMap<ConnectionId, String>,
}

impl UniqueNameAuthenticator {
    /// Returns one with the name of this client; a server needs none.
    pub fn new(name: &str) -> Self {
        Self {
            own: NameAuthRequestMessage { name: name.into() },
            names: BTreeMap::new(),
        }
    }

    /// Returns the name of a connection. Mirror, `authenticationData`.
    pub fn name(&self, connection: ConnectionId) -> Option<&str> {
        self.names.get(&connection).map(String::as_str)
    }
}

impl ServerAuthenticator for UniqueNameAuthenticator {
    fn start(&mut self, server: &mut MirrorServer) {
        server.allow_unauthenticated::<NameAuthRequestMessage>();
    }

    fn handle_message(
        &mut self,
        server: &mut MirrorServer,
        connection: ConnectionId,
        message: &ReceivedMessage,
    ) -> Decision {
        let Some(request) = message.get::<NameAuthRequestMessage>() else {
            return Decision::Pending;
        };
        let success = self.names.values().all(|name| *name != request.name);
        let message = if success {
            self.names.insert(connection, request.name.clone());
            "Success".into()
        } else {
            "Username already in use...try again".into()
        };
        // The connection exists.
        let _ = server.send(connection, &NameAuthResponseMessage { success, message });
        if success {
            Decision::Accept
        } else {
            Decision::Reject
        }
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.names.remove(&connection);
    }
}

impl ClientAuthenticator for UniqueNameAuthenticator {
    fn handle_connect(&mut self, client: &mut MirrorClient) {
        if let Err(error) = client.send(&self.own) {
            tracing::error!(%error, "cannot send the name");
        }
    }

    fn handle_message(&mut self, _: &mut MirrorClient, message: &ReceivedMessage) -> Decision {
        match message.get::<NameAuthResponseMessage>() {
            None => Decision::Pending,
            Some(response) if response.success => Decision::Accept,
            Some(response) => {
                tracing::error!(response.message, "the server rejects the name");
                Decision::Reject
            }
        }
    }
}
