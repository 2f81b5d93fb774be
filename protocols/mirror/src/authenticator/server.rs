//! Authentication on a server.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar_runtime::{ConnectionId, ReceivedMessage};

use super::Decision;
use crate::{MirrorServer, MirrorServerEvent};

/// Time between a rejection and the disconnect, so that the answer arrives.
const REJECT_DELAY: Duration = Duration::from_secs(1);

/// Accepts or rejects connections of a server. Mirror, `NetworkAuthenticator`.
pub trait ServerAuthenticator {
    /// Prepares the server: [allows](MirrorServer::allow_unauthenticated) the requests. Mirror,
    /// `OnStartServer`.
    fn start(&mut self, server: &mut MirrorServer);

    /// Handles a new connection: may send a challenge. Mirror, `OnServerAuthenticate`.
    fn handle_connect(&mut self, server: &mut MirrorServer, connection: ConnectionId) {
        let _ = (server, connection);
    }

    /// Handles a message of a connection without a decision, and sends the answer.
    fn handle_message(
        &mut self,
        server: &mut MirrorServer,
        connection: ConnectionId,
        message: &ReceivedMessage,
    ) -> Decision;

    /// Handles the end of a connection.
    fn handle_disconnect(&mut self, connection: ConnectionId) {
        let _ = connection;
    }
}

/// An authenticator at work on a server with
/// [`authenticate`](crate::MirrorServerConfig::authenticate).
#[derive(Debug)]
pub struct ServerAuthentication<A> {
    authenticator: A,
    timeout: Duration,
    /// Connections without a decision, with the time of their connect.
    pending: BTreeMap<ConnectionId, Duration>,
    /// Rejected connections, with the time of the decision.
    rejected: BTreeMap<ConnectionId, Duration>,
}

impl<A: ServerAuthenticator> ServerAuthentication<A> {
    /// Starts an authenticator, without a time limit.
    pub fn new(mut authenticator: A, server: &mut MirrorServer) -> Self {
        authenticator.start(server);
        Self {
            authenticator,
            timeout: Duration::ZERO,
            pending: BTreeMap::new(),
            rejected: BTreeMap::new(),
        }
    }

    /// Sets the time after which a connection without a decision is disconnected; zero for no limit.
    /// 60 s in Mirror's `TimeoutAuthenticator`.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns the authenticator.
    pub fn authenticator(&self) -> &A {
        &self.authenticator
    }

    /// Returns the authenticator, for changes.
    pub fn authenticator_mut(&mut self) -> &mut A {
        &mut self.authenticator
    }

    /// Handles a polled event of the server. Returns whether it belongs to the authentication.
    pub fn handle_event(&mut self, server: &mut MirrorServer, event: &MirrorServerEvent) -> bool {
        match event {
            MirrorServerEvent::Connecting { connection } => {
                self.pending.insert(*connection, server.now());
                self.authenticator.handle_connect(server, *connection);
                true
            }
            MirrorServerEvent::Message {
                connection,
                message,
            } => self.handle_message(server, *connection, message),
            MirrorServerEvent::Disconnected { connection, .. } => {
                self.pending.remove(connection);
                self.rejected.remove(connection);
                self.authenticator.handle_disconnect(*connection);
                false
            }
            _ => false,
        }
    }

    fn handle_message(
        &mut self,
        server: &mut MirrorServer,
        connection: ConnectionId,
        message: &ReceivedMessage,
    ) -> bool {
        if self.rejected.contains_key(&connection) {
            return true;
        }
        if !self.pending.contains_key(&connection) {
            return false;
        }
        let authenticator = &mut self.authenticator;
        match authenticator.handle_message(server, connection, message) {
            Decision::Pending => {}
            Decision::Accept => {
                self.pending.remove(&connection);
                server.accept(connection);
            }
            Decision::Reject => {
                self.pending.remove(&connection);
                self.rejected.insert(connection, server.now());
            }
        }
        true
    }

    /// Disconnects rejected connections after a second, and those whose time is over. Called with each
    /// update of the server.
    pub fn update(&mut self, server: &mut MirrorServer) {
        let now = server.now();
        let is_over = |since: Duration, limit: Duration| now.saturating_sub(since) >= limit;
        let rejected = self
            .rejected
            .extract_if(.., |_, since| is_over(*since, REJECT_DELAY));
        for (connection, _) in rejected {
            server.disconnect(connection);
        }
        if self.timeout == Duration::ZERO {
            return;
        }
        let timeout = self.timeout;
        let late = self
            .pending
            .extract_if(.., |_, since| is_over(*since, timeout));
        for (connection, _) in late {
            tracing::warn!(%connection, "a client has not authenticated in time");
            server.disconnect(connection);
        }
    }
}
