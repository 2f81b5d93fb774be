//! The connection to the server, and the messages queued for it.

pub(crate) mod outbox;

use syncvar_runtime::{Channel, NetId};

use super::context::Context;
use super::event::MirrorClientEvent;
use crate::MirrorError;
use crate::message::{NetworkMessage, NetworkPingMessage, ReadyMessage, TimeSnapshotMessage};
use outbox::SessionOutbox;

/// State of the connection.
#[derive(Debug, Default)]
pub(crate) struct Session {
    stage: SessionStage,
    /// Number of connects and disconnects so far.
    number: u64,
    /// The transport has to close the connection.
    closing: bool,
    pub(crate) local_player: Option<NetId>,
    pub(crate) outbox: SessionOutbox,
}

/// Progress of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SessionStage {
    #[default]
    Disconnected,
    Connected,
    /// The server knows this client as ready.
    Ready,
}

impl Session {
    pub(crate) fn is_connected(&self) -> bool {
        self.stage != SessionStage::Disconnected
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.stage == SessionStage::Ready
    }

    /// Returns a number that changes with each begin and end.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Begins a connection.
    pub(crate) fn begin(&mut self) {
        self.number = self.number.wrapping_add(1);
        (self.stage, self.closing) = (SessionStage::Connected, false);
    }

    /// Ends the connection; the transport has to close it.
    pub(crate) fn end(&mut self) {
        self.number = self.number.wrapping_add(1);
        (self.stage, self.closing) = (SessionStage::Disconnected, true);
    }

    /// Makes a connected client ready, and sends the ready message.
    pub(crate) fn become_ready(&mut self, context: &Context) {
        if self.stage == SessionStage::Connected {
            self.stage = SessionStage::Ready;
            self.send_protocol(&ReadyMessage, context);
        }
    }

    /// Makes a ready client not ready.
    pub(crate) fn become_not_ready(&mut self) {
        if self.is_ready() {
            self.stage = SessionStage::Connected;
        }
    }

    /// Returns once whether the transport has to close the connection.
    pub(crate) fn take_closing(&mut self) -> bool {
        std::mem::take(&mut self.closing)
    }

    /// Sets the player of this client.
    pub(crate) fn set_player(&mut self, player: Option<NetId>, context: &mut Context) {
        if std::mem::replace(&mut self.local_player, player) != player {
            let event = MirrorClientEvent::PlayerChanged { player };
            context.events.push(event);
        }
    }

    /// Sends a protocol message.
    pub(crate) fn send_message<'a>(
        &mut self,
        message: &impl NetworkMessage<'a>,
        channel: Channel,
        context: &Context,
    ) -> Result<(), MirrorError> {
        if !self.is_connected() {
            return Err(MirrorError::NoSuchConnection);
        }
        self.outbox.send(message, channel, context.seconds())
    }

    /// Sends a protocol message that is short and always has an encoding.
    pub(crate) fn send_protocol<'a>(
        &mut self,
        message: &impl NetworkMessage<'a>,
        context: &Context,
    ) {
        if let Err(error) = self.send_message(message, Channel::Reliable, context) {
            tracing::error!(%error, "cannot send a protocol message");
        }
    }

    /// Sends a protocol message on the unreliable channel, unless the queue is full.
    pub(crate) fn send_protocol_unreliable<'a>(
        &mut self,
        message: &impl NetworkMessage<'a>,
        context: &Context,
    ) {
        if !self.outbox.has_room() {
            return;
        }
        if let Err(error) = self.send_message(message, Channel::Unreliable, context) {
            tracing::error!(%error, "cannot send a protocol message");
        }
    }

    /// Sends a ping, if one is due.
    pub(crate) fn send_ping(&mut self, context: &mut Context) {
        let (now, interval) = (context.now(), context.config.ping_interval);
        if context.clock.server.take_ping(now, interval) {
            let ping = NetworkPingMessage {
                local_time: context.seconds(),
                predicted_time_adjusted: context.clock.predicted(),
            };
            self.send_protocol_unreliable(&ping, context);
        }
    }

    /// Sends the time.
    pub(crate) fn send_time_snapshot(&mut self, context: &Context) {
        if context.config.time_snapshots {
            let scaled_time = context.seconds();
            self.send_protocol_unreliable(&TimeSnapshotMessage { scaled_time }, context);
        }
    }

    /// Completes the batches of all channels.
    pub(crate) fn flush(&mut self, context: &mut Context) {
        self.outbox.flush(&mut context.stats);
    }
}
