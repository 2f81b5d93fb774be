//! Authentication on a client.

use std::time::Duration;

use syncvar_runtime::ReceivedMessage;

use super::Decision;
use crate::{MirrorClient, MirrorClientEvent};

/// Proves a client to a server. Mirror, `NetworkAuthenticator`.
pub trait ClientAuthenticator {
    /// Handles the connection to the server: sends the request. Mirror, `OnClientAuthenticate`.
    fn handle_connect(&mut self, client: &mut MirrorClient);

    /// Handles a message of the server before the decision.
    fn handle_message(&mut self, client: &mut MirrorClient, message: &ReceivedMessage) -> Decision;
}

/// An authenticator at work on a client without
/// [`auto_ready`](crate::MirrorClientConfig::auto_ready).
#[derive(Debug)]
pub struct ClientAuthentication<A> {
    authenticator: A,
    timeout: Duration,
    /// Time of the connect; `None` without a connection and after the decision.
    pending: Option<Duration>,
}

impl<A: ClientAuthenticator> ClientAuthentication<A> {
    /// Prepares an authenticator, without a time limit.
    pub fn new(authenticator: A) -> Self {
        Self {
            authenticator,
            timeout: Duration::ZERO,
            pending: None,
        }
    }

    /// Sets the time after which a client without an answer disconnects; zero for no limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Handles a polled event of the client. An accepted client becomes ready and asks for a player, a
    /// rejected one disconnects. Returns whether the event belongs to the authentication.
    pub fn handle_event(&mut self, client: &mut MirrorClient, event: &MirrorClientEvent) -> bool {
        match event {
            MirrorClientEvent::Connected => {
                self.pending = Some(client.now());
                self.authenticator.handle_connect(client);
                false
            }
            MirrorClientEvent::Message(message) if self.pending.is_some() => {
                match self.authenticator.handle_message(client, message) {
                    Decision::Pending => {}
                    Decision::Accept => {
                        self.pending = None;
                        client.ready();
                        client.add_player();
                    }
                    Decision::Reject => {
                        self.pending = None;
                        client.disconnect();
                    }
                }
                true
            }
            MirrorClientEvent::Disconnected { .. } => {
                self.pending = None;
                false
            }
            _ => false,
        }
    }

    /// Disconnects a client whose time is over. Called with each update of the client.
    pub fn update(&mut self, client: &mut MirrorClient) {
        let is_late = |since: Duration| client.now().saturating_sub(since) >= self.timeout;
        if self.timeout != Duration::ZERO && self.pending.is_some_and(is_late) {
            self.pending = None;
            tracing::warn!("the server has not answered in time");
            client.disconnect();
        }
    }
}
