//! One name and one password for all.

use syncvar_runtime::{ConnectionId, ReceivedMessage};

use super::{ClientAuthenticator, Decision, ServerAuthenticator};
use crate::{AuthRequestMessage, AuthResponseMessage, MirrorClient, MirrorServer};

/// A name and a password, in clear text. Mirror, `BasicAuthenticator`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BasicAuthenticator {
    credentials: AuthRequestMessage,
}

impl BasicAuthenticator {
    /// Returns one with the credentials that a server accepts, or a client sends.
    pub fn new(username: &str, password: &str) -> Self {
        Self {
            credentials: AuthRequestMessage {
                username: username.into(),
                password: password.into(),
            },
        }
    }
}

impl ServerAuthenticator for BasicAuthenticator {
    fn start(&mut self, server: &mut MirrorServer) {
        server.allow_unauthenticated::<AuthRequestMessage>();
    }

    fn handle_message(
        &mut self,
        server: &mut MirrorServer,
        connection: ConnectionId,
        message: &ReceivedMessage,
    ) -> Decision {
        let Some(request) = message.get::<AuthRequestMessage>() else {
            return Decision::Pending;
        };
        let (code, text, decision) = if *request == self.credentials {
            (AuthResponseMessage::ACCEPTED, "Success", Decision::Accept)
        } else {
            let code = AuthResponseMessage::REJECTED;
            (code, "Invalid Credentials", Decision::Reject)
        };
        let message = text.into();
        // The connection exists.
        let _ = server.send(connection, &AuthResponseMessage { code, message });
        decision
    }
}

impl ClientAuthenticator for BasicAuthenticator {
    fn handle_connect(&mut self, client: &mut MirrorClient) {
        if let Err(error) = client.send(&self.credentials) {
            tracing::error!(%error, "cannot send the credentials");
        }
    }

    fn handle_message(&mut self, _: &mut MirrorClient, message: &ReceivedMessage) -> Decision {
        match message.get::<AuthResponseMessage>() {
            None => Decision::Pending,
            Some(response) if response.code == AuthResponseMessage::ACCEPTED => Decision::Accept,
            Some(response) => {
                tracing::error!(response.message, "the server rejects the credentials");
                Decision::Reject
            }
        }
    }
}
