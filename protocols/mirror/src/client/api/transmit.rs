//! Output for the server.

use syncvar_runtime::Channel;

use crate::client::{MirrorClient, MirrorPacket};
use crate::{MirrorError, MirrorMessage};

impl MirrorClient {
    /// Returns the next batch for the server. Messages become batches with the next
    /// [`update`](Self::update).
    pub fn poll_transmit(&mut self) -> Option<MirrorPacket> {
        self.session.outbox.poll()
    }

    /// Sends a user message reliably.
    ///
    /// # Errors
    ///
    /// Fails without a connection, and for a message that has no encoding or is too long for the
    /// transport.
    pub fn send<M: MirrorMessage>(&mut self, message: &M) -> Result<(), MirrorError> {
        self.send_on(Channel::Reliable, message)
    }

    /// Sends a user message on a channel.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn send_on<M: MirrorMessage>(
        &mut self,
        channel: Channel,
        message: &M,
    ) -> Result<(), MirrorError> {
        if !self.session.is_connected() {
            return Err(MirrorError::NoSuchConnection);
        }
        let time = self.context.seconds();
        self.session.outbox.send_user(message, channel, time)
    }
}
