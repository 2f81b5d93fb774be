//! User messages.

use syncvar_runtime::{Channel, ConnectionId};

use crate::server::MirrorServer;
use crate::{MirrorError, MirrorMessage};

impl MirrorServer {
    /// Sends a user message to a connection, ready or not: Mirror's `NetworkConnection.Send`. This
    /// side need not register it.
    ///
    /// # Errors
    ///
    /// Fails for an unknown connection, and for a message that has no encoding or is too long for
    /// the transport.
    pub fn send<M: MirrorMessage>(
        &mut self,
        connection: ConnectionId,
        message: &M,
    ) -> Result<(), MirrorError> {
        self.send_on(connection, Channel::Reliable, message)
    }

    /// Sends a user message to a connection on a channel.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn send_on<M: MirrorMessage>(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        message: &M,
    ) -> Result<(), MirrorError> {
        self.sessions.write_user(message)?;
        self.sessions
            .queue_written(connection, channel, &mut self.context)
    }

    /// Sends a user message to every connection, ready or not: Mirror's `NetworkServer.SendToAll`.
    ///
    /// # Errors
    ///
    /// Fails for a message that has no encoding, or is too long for the transport of a connection;
    /// the remaining connections receive it.
    pub fn send_to_all<M: MirrorMessage>(&mut self, message: &M) -> Result<(), MirrorError> {
        let all: Vec<_> = self.connections().collect();
        self.send_to_some(&all, message)
    }

    /// Sends a user message to every ready connection: Mirror's `NetworkServer.SendToReady`.
    ///
    /// # Errors
    ///
    /// As [`send_to_all`](Self::send_to_all).
    pub fn send_to_ready<M: MirrorMessage>(&mut self, message: &M) -> Result<(), MirrorError> {
        let ready = self.connections().filter(|it| self.is_ready(*it));
        let ready: Vec<_> = ready.collect();
        self.send_to_some(&ready, message)
    }

    fn send_to_some<M: MirrorMessage>(
        &mut self,
        connections: &[ConnectionId],
        message: &M,
    ) -> Result<(), MirrorError> {
        let sessions = &mut self.sessions;
        sessions.write_user(message)?;
        let mut result = Ok(());
        for connection in connections {
            let queued = sessions.queue_written(*connection, Channel::Reliable, &mut self.context);
            result = result.and(queued);
        }
        result
    }

    /// Allows a user message before authentication. Mirror, `RegisterHandler` with
    /// `requireAuthentication: false`. [`AuthRequestMessage`](crate::AuthRequestMessage) is always
    /// allowed. Each such message needs [registration](crate::MirrorPrefabs::message).
    pub fn allow_unauthenticated<M: MirrorMessage>(&mut self) {
        self.sessions.unauthenticated.insert(M::ID);
    }
}
