//! Messages of the game's own.

use syncvar_runtime::{Channel, ConnectionId};

use super::MirrorServer;
use super::stats::count;
use crate::message::encode_user;
use crate::{MirrorError, MirrorMessage};

impl MirrorServer {
    /// Sends a message of the game's own to a connection, whether it is ready or not: Mirror's
    /// `NetworkConnection.Send`. It need not be registered on this side.
    ///
    /// # Errors
    ///
    /// When there is no such connection, when the message cannot be written, or is longer than the
    /// transport carries.
    pub fn send<M: MirrorMessage>(
        &mut self,
        connection: ConnectionId,
        message: &M,
    ) -> Result<(), MirrorError> {
        self.send_on(connection, Channel::Reliable, message)
    }

    /// The same on a channel.
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
        self.write_user(message)?;
        self.queue_head(connection, channel)
    }

    /// Sends a message of the game's own to every connection, whether it is ready or not: Mirror's
    /// `NetworkServer.SendToAll`.
    ///
    /// # Errors
    ///
    /// When the message cannot be written, or is longer than the transport of some connection carries: the
    /// others have been sent it.
    pub fn send_to_all<M: MirrorMessage>(&mut self, message: &M) -> Result<(), MirrorError> {
        let all: Vec<_> = self.connections().collect();
        self.send_to_some(&all, message)
    }

    /// The same to every connection that is ready: Mirror's `NetworkServer.SendToReady`.
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
        self.write_user(message)?;
        let mut result = Ok(());
        for connection in connections {
            result = result.and(self.queue_head(*connection, Channel::Reliable));
        }
        result
    }

    /// Lets a message of the game's own come before a connection is let in: it is part of finding out who
    /// that is. Mirror, `RegisterHandler` with `requireAuthentication: false`.
    /// [`AuthRequestMessage`](crate::AuthRequestMessage) may, whether it is named here or not. It also has
    /// to be [registered](crate::MirrorPrefabs::message).
    pub fn allow_unauthenticated<M: MirrorMessage>(&mut self) {
        self.unauthenticated.insert(M::ID);
    }

    fn write_user<M: MirrorMessage>(&mut self, message: &M) -> Result<(), MirrorError> {
        let head = &mut self.scratch.head;
        head.truncate(0);
        encode_user(message, head)
    }

    /// Queues what has just been written.
    fn queue_head(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
    ) -> Result<(), MirrorError> {
        let client = self.connections.get_mut(connection.0);
        let client = client.ok_or(MirrorError::NoSuchConnection)?;
        let message = self.scratch.head.as_bytes();
        if !client.outbox.send(channel, self.now, &[message]) {
            return Err(MirrorError::TooLong {
                length: message.len(),
                limit: client.outbox.longest(channel),
            });
        }
        count(&mut self.stats.messages, message.len());
        Ok(())
    }
}
