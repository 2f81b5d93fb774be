//! Messages of the server.

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::Channel;
use syncvar_runtime::behaviour::MessageTime;
use syncvar_runtime::world::Departure;

use crate::MirrorError;
use crate::batch::Unbatcher;
use crate::client::{MirrorClient, MirrorClientEvent};
use crate::message::{Message, NetworkPongMessage};

/// Approximate bytes of a waiting message besides its content.
const MESSAGE_OVERHEAD: usize = 64;

/// Messages that wait for the end of a scene change or of a callback.
#[derive(Debug, Default)]
pub(in crate::client) struct WaitingMessages {
    messages: VecDeque<(f64, Bytes)>,
    bytes: usize,
}

impl WaitingMessages {
    fn push(&mut self, time: f64, message: &[u8]) -> usize {
        self.bytes = { self.bytes }
            .saturating_add(message.len())
            .saturating_add(MESSAGE_OVERHEAD);
        self.messages
            .push_back((time, Bytes::copy_from_slice(message)));
        self.bytes
    }

    fn pop(&mut self) -> Option<(f64, Bytes)> {
        let (time, message) = self.messages.pop_front()?;
        self.bytes = { self.bytes }
            .saturating_sub(message.len())
            .saturating_sub(MESSAGE_OVERHEAD);
        Some((time, message))
    }
}

impl MirrorClient {
    /// Handles a transport message: one batch.
    ///
    /// Messages wait during a scene change and during a callback.
    ///
    /// # Errors
    ///
    /// Fails for bytes that are no batch, an unknown or malformed message, and demands of the
    /// server above the configured limits. The connection is ended then
    /// ([`poll_close`](Self::poll_close)), and [`Disconnected`](MirrorClientEvent::Disconnected)
    /// carries the same error. Earlier messages of the batch are handled.
    pub fn handle_packet(&mut self, channel: Channel, batch: &[u8]) -> Result<(), MirrorError> {
        // Mirror's messages may come on either channel.
        let _ = channel;
        if !self.session.is_connected() {
            return Err(MirrorError::NoSuchConnection);
        }
        self.stats.count_batch(batch.len());
        self.begin_input();
        let result = self.handle_batch(batch);
        self.end_input();
        result.map_err(|error| self.fail(error))
    }

    fn handle_batch(&mut self, batch: &[u8]) -> Result<(), MirrorError> {
        let (messages, session) = (Unbatcher::new(batch)?, self.session.number());
        let time = messages.time();
        for message in messages {
            let message = message?;
            if self.is_suspended() || !self.inbound.waiting.messages.is_empty() {
                let limit = self.config.max_parked_bytes;
                if self.inbound.waiting.push(time, message) > limit {
                    let what = "bytes of waiting messages";
                    return Err(MirrorError::TooMuch { what, limit });
                }
                continue;
            }
            self.handle_message(time, message)?;
            if self.session.number() != session {
                return Ok(());
            }
        }
        self.handle_waiting()
    }

    /// Returns whether messages have to wait.
    fn is_suspended(&self) -> bool {
        self.scene.is_loading() || self.world.checked_out.depth() > 0
    }

    /// Handles waiting messages until one has to wait further.
    fn handle_waiting(&mut self) -> Result<(), MirrorError> {
        let session = self.session.number();
        while self.session.number() == session && !self.is_suspended() {
            let Some((time, message)) = self.inbound.waiting.pop() else {
                break;
            };
            self.handle_message(time, &message)?;
        }
        Ok(())
    }

    /// Handles waiting messages; an error ends the connection.
    pub(in crate::client) fn resume(&mut self) {
        self.begin_input();
        let result = self.handle_waiting();
        self.end_input();
        if let Err(error) = result {
            self.fail(error);
        }
    }

    /// Begins a budget. Each payload adds the share of its bytes when it is read: it may have waited.
    fn begin_input(&mut self) {
        self.inbound.budget = self.inbound.work.begin(&self.config.limits, 0);
    }

    fn end_input(&mut self) {
        self.inbound.message_time = None;
        let left = self.inbound.budget;
        self.inbound.work.end(&self.config.limits, 0, left);
    }

    /// Ends the connection with an error.
    fn fail(&mut self, error: MirrorError) -> MirrorError {
        match &error {
            MirrorError::Message { error, .. } => self.stats.refused.count_read(error.kind()),
            _ => self.stats.refused.malformed = self.stats.refused.malformed.wrapping_add(1),
        }
        self.end(Some(error.clone()));
        error
    }

    fn handle_message(&mut self, time: f64, message: &[u8]) -> Result<(), MirrorError> {
        self.stats.messages_received = self.stats.messages_received.wrapping_add(1);
        self.inbound.message_time = Some(MessageTime {
            remote: time,
            local: self.time.own.now().as_secs_f64(),
            shown: self.time.remote.shown(),
            predicted: self.time.predicted(),
        });
        match Message::decode(message)? {
            Message::ObjectSpawnStarted(_) => self.handle_spawn_started(),
            Message::ObjectSpawnFinished(_) => self.handle_spawn_finished()?,
            Message::Spawn(message) => self.handle_spawn(time, &message)?,
            Message::ChangeOwner(message) => self.handle_change_owner(message),
            Message::ObjectDestroy(message) => {
                self.handle_gone(message.net_id, Departure::Destroyed);
            }
            Message::ObjectHide(message) => self.handle_gone(message.net_id, Departure::Hidden),
            Message::EntityState(message) => self.handle_state(&message)?,
            Message::UnreliableBaseline(message) => self.handle_baseline(time, &message)?,
            Message::UnreliableDelta(message) => self.handle_delta(time, &message)?,
            Message::Rpc(message) => self.handle_rpc(&message)?,
            Message::NotReady(_) => {
                self.session.become_not_ready();
                self.events.push(MirrorClientEvent::NotReady);
            }
            Message::Scene(message) => self.handle_scene(&message),
            Message::TimeSnapshot(snapshot) => {
                self.time.server.handle_snapshot(self.time.own.now(), time);
                self.time.remote.receive(time, snapshot.scaled_time);
            }
            Message::Ping(ping) => self.send_protocol_unreliable(&NetworkPongMessage {
                local_time: ping.local_time,
                prediction_error_unadjusted: 0.0,
                prediction_error_adjusted: 0.0,
            }),
            Message::Pong(pong) => {
                let error = pong.prediction_error_unadjusted;
                self.time
                    .server
                    .handle_pong(self.time.own.now(), pong.local_time, error);
            }
            Message::Other { id, payload } => {
                let budget = &mut self.inbound.budget;
                budget.add_share(&self.config.limits, payload.len());
                let message = self.prefabs.messages().read(id, payload, budget)?;
                self.events.push(MirrorClientEvent::Message(message));
            }
            other => return Err(MirrorError::UnknownMessage { id: other.id() }),
        }
        Ok(())
    }
}
