//! What comes from the server.

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::Channel;
use syncvar_runtime::lend::Leaving;

use super::{MirrorClient, MirrorClientEvent};
use crate::MirrorError;
use crate::batch::Unbatcher;
use crate::message::{Message, NetworkPongMessage};

/// What is kept of a waiting message besides its bytes, about, in bytes.
const WAITING: usize = 64;

/// Messages that wait, because a scene is being loaded, or because an object is being called.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    messages: VecDeque<(f64, Bytes)>,
    bytes: usize,
}

impl Inbox {
    fn push(&mut self, time: f64, message: &[u8]) -> usize {
        self.bytes = { self.bytes }
            .saturating_add(message.len())
            .saturating_add(WAITING);
        self.messages
            .push_back((time, Bytes::copy_from_slice(message)));
        self.bytes
    }

    fn pop(&mut self) -> Option<(f64, Bytes)> {
        let (time, message) = self.messages.pop_front()?;
        self.bytes = { self.bytes }
            .saturating_sub(message.len())
            .saturating_sub(WAITING);
        Some((time, message))
    }
}

impl MirrorClient {
    /// A message of the transport has come: one batch.
    ///
    /// While a scene is being loaded, and during a callback, messages wait.
    ///
    /// # Errors
    ///
    /// When it is no batch, has an unknown message, or one that cannot be read, or when the server wants
    /// more than the configuration allows. Then the connection is over
    /// ([`poll_close`](Self::poll_close)), and
    /// [`Disconnected`](MirrorClientEvent::Disconnected) has the error, too. What came before it counts.
    pub fn handle_packet(&mut self, channel: Channel, batch: &[u8]) -> Result<(), MirrorError> {
        // Mirror's messages may come on either.
        let _ = channel;
        if !self.connected {
            return Err(MirrorError::NoSuchConnection);
        }
        self.stats.count_batch(batch.len());
        let result = self.handle_batch(batch);
        result.map_err(|error| self.fail(error))
    }

    fn handle_batch(&mut self, batch: &[u8]) -> Result<(), MirrorError> {
        let (messages, session) = (Unbatcher::new(batch)?, self.session);
        let time = messages.time();
        for message in messages {
            let message = message?;
            if self.waits() || !self.inbox.messages.is_empty() {
                let limit = self.config.max_parked_bytes;
                if self.inbox.push(time, message) > limit {
                    let what = "bytes of messages that wait";
                    return Err(MirrorError::TooMuch { what, limit });
                }
                continue;
            }
            self.handle_message(time, message)?;
            if self.session != session {
                return Ok(());
            }
        }
        self.handle_waiting()
    }

    /// Whether messages are to wait.
    fn waits(&self) -> bool {
        self.scene.is_loading() || self.lent.depth() > 0
    }

    /// Handles the messages that have waited, as far as they need not wait any longer.
    fn handle_waiting(&mut self) -> Result<(), MirrorError> {
        let session = self.session;
        while self.session == session && !self.waits() {
            let Some((time, message)) = self.inbox.pop() else {
                break;
            };
            self.handle_message(time, &message)?;
        }
        Ok(())
    }

    /// The same, where nobody waits for a result.
    pub(super) fn catch_up(&mut self) {
        if let Err(error) = self.handle_waiting() {
            self.fail(error);
        }
    }

    /// Something is wrong with what has come: the connection is over.
    fn fail(&mut self, error: MirrorError) -> MirrorError {
        self.end(Some(error.clone()));
        error
    }

    fn handle_message(&mut self, time: f64, message: &[u8]) -> Result<(), MirrorError> {
        self.stats.messages_received = self.stats.messages_received.wrapping_add(1);
        match Message::decode(message)? {
            Message::ObjectSpawnStarted(_) => self.handle_spawn_started(),
            Message::ObjectSpawnFinished(_) => self.handle_spawn_finished()?,
            Message::Spawn(message) => self.handle_spawn(time, &message)?,
            Message::ChangeOwner(message) => self.handle_change_owner(message),
            Message::ObjectDestroy(message) => {
                self.handle_gone(message.net_id, Leaving::Destroyed);
            }
            Message::ObjectHide(message) => self.handle_gone(message.net_id, Leaving::Hidden),
            Message::EntityState(message) => self.handle_state(&message)?,
            Message::UnreliableBaseline(message) => self.handle_baseline(&message)?,
            Message::UnreliableDelta(message) => self.handle_delta(time, &message)?,
            Message::Rpc(message) => self.handle_rpc(&message)?,
            Message::NotReady(_) => {
                self.ready = false;
                self.events.push(MirrorClientEvent::NotReady);
            }
            Message::Scene(message) => self.handle_scene(&message),
            Message::TimeSnapshot(_) => self.clock.handle_snapshot(self.now, time),
            Message::Ping(ping) => self.send_own_unreliable(&NetworkPongMessage {
                local_time: ping.local_time,
                prediction_error_unadjusted: 0.0,
                prediction_error_adjusted: 0.0,
            }),
            Message::Pong(pong) => {
                let error = pong.prediction_error_unadjusted;
                self.clock.handle_pong(self.now, pong.local_time, error);
            }
            Message::Other { id, payload } => {
                let (messages, limit) = (self.prefabs.messages(), self.config.max_elements);
                let message = messages.read(id, payload, limit)?;
                self.events.push(MirrorClientEvent::Message(message));
            }
            other => return Err(MirrorError::UnknownMessage { id: other.id() }),
        }
        Ok(())
    }
}
