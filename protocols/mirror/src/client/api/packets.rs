//! Messages of the server.

use syncvar_runtime::Channel;
use syncvar_runtime::unstable::world::{CheckOut, Departure};

use crate::MirrorError;
use crate::batch::Unbatcher;
use crate::client::inbound::must_wait;
use crate::client::inbound::payload::ObjectPayload;
use crate::client::{MirrorClient, MirrorClientEvent};
use crate::message::{Message, NetworkPongMessage};

impl MirrorClient {
    /// Handles a transport message: one batch.
    ///
    /// Messages wait during a scene change and during a callback.
    ///
    /// # Errors
    ///
    /// Fails for bytes that do not form a batch, an unknown or malformed message, and demands of the
    /// server above the configured limits. The connection is ended then
    /// ([`poll_close`](Self::poll_close)), and [`Disconnected`](MirrorClientEvent::Disconnected)
    /// carries the same error. Earlier messages of the batch are handled.
    pub fn handle_packet(&mut self, channel: Channel, batch: &[u8]) -> Result<(), MirrorError> {
        // Mirror's messages may come on either channel.
        let _ = channel;
        if !self.session.is_connected() {
            return Err(MirrorError::NoSuchConnection);
        }
        self.context.stats.count_batch(batch.len());
        self.inbound.begin(&self.context);
        let result = self.handle_batch(batch);
        self.inbound.end(&self.context);
        result.map_err(|error| self.fail(error))
    }

    fn handle_batch(&mut self, batch: &[u8]) -> Result<(), MirrorError> {
        let (messages, session) = (Unbatcher::new(batch)?, self.session.number());
        let time = messages.time();
        for message in messages {
            let message = message?;
            if must_wait(&self.scenes, &self.objects) || !self.inbound.waiting.is_empty() {
                let limit = self.context.config.max_parked_bytes;
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

    /// Handles waiting messages until one has to wait further.
    fn handle_waiting(&mut self) -> Result<(), MirrorError> {
        let session = self.session.number();
        while self.session.number() == session && !must_wait(&self.scenes, &self.objects) {
            let Some((time, message)) = self.inbound.waiting.pop() else {
                break;
            };
            self.handle_message(time, &message)?;
        }
        Ok(())
    }

    /// Handles waiting messages; an error ends the connection.
    pub(crate) fn resume(&mut self) {
        self.inbound.begin(&self.context);
        let result = self.handle_waiting();
        self.inbound.end(&self.context);
        if let Err(error) = result {
            self.fail(error);
        }
    }

    /// Ends the connection with an error.
    fn fail(&mut self, error: MirrorError) -> MirrorError {
        match &error {
            MirrorError::Message { error, .. } => {
                self.context.stats.refused.count_read(error.kind());
            }
            _ => {
                self.context.stats.refused.malformed =
                    self.context.stats.refused.malformed.wrapping_add(1);
            }
        }
        self.end(Some(error.clone()));
        error
    }

    fn handle_message(&mut self, time: f64, message: &[u8]) -> Result<(), MirrorError> {
        self.context.stats.messages_received = self.context.stats.messages_received.wrapping_add(1);
        self.inbound.message_time = Some(self.context.message_time(time));
        match Message::decode(message)? {
            Message::ObjectSpawnStarted(_) => self.inbound.burst.begin(),
            Message::ObjectSpawnFinished(_) => self.handle_spawn_finished()?,
            Message::Spawn(message) => self.handle_spawn(time, &message)?,
            Message::ChangeOwner(message) => self.handle_change_owner(message),
            Message::ObjectDestroy(message) => {
                self.despawn(message.net_id, Departure::Destroyed);
            }
            Message::ObjectHide(message) => self.despawn(message.net_id, Departure::Hidden),
            message @ (Message::EntityState(_)
            | Message::UnreliableBaseline(_)
            | Message::UnreliableDelta(_)) => {
                let stats = &mut self.context.stats;
                let payload = ObjectPayload::of(&mut self.objects, stats, &message, time);
                if let Some(payload) = payload {
                    self.read_payload(&payload)?;
                }
            }
            Message::Rpc(message) => self.handle_rpc(&message)?,
            Message::NotReady(_) => {
                self.session.become_not_ready();
                self.context.events.push(MirrorClientEvent::NotReady);
            }
            Message::Scene(message) => {
                if let Some(change) = self.scenes.begin_load(&message) {
                    let change = MirrorClientEvent::SceneChange(Box::new(change));
                    self.context.events.push(change);
                }
            }
            Message::TimeSnapshot(snapshot) => {
                self.context.receive_time(time, snapshot.scaled_time);
            }
            Message::Ping(ping) => {
                let answer = NetworkPongMessage {
                    local_time: ping.local_time,
                    prediction_error_unadjusted: 0.0,
                    prediction_error_adjusted: 0.0,
                };
                self.session
                    .send_protocol_unreliable(&answer, &self.context);
            }
            Message::Pong(pong) => {
                let (now, error) = (self.context.now(), pong.prediction_error_unadjusted);
                let server = &mut self.context.clock.server;
                server.handle_pong(now, pong.local_time, error);
            }
            Message::Other { id, payload } => {
                self.inbound.add_share(payload.len(), &self.context);
                let budget = &mut self.inbound.budget;
                let message = self.objects.prefabs.messages().read(id, payload, budget)?;
                let event = MirrorClientEvent::Message(message);
                self.context.events.push(event);
            }
            other => return Err(MirrorError::UnknownMessage { id: other.id() }),
        }
        Ok(())
    }

    /// Applies components to an object, and calls their hooks.
    ///
    /// # Errors
    ///
    /// Fails with a malformed message if the components cannot be separated.
    pub(crate) fn read_payload(&mut self, payload: &ObjectPayload<'_>) -> Result<(), MirrorError> {
        let (objects, context) = (&mut self.objects, &mut self.context);
        let (with_context, result) = self.inbound.read_payload(objects, context, payload);
        if !with_context.is_empty() {
            self.run_hooks(with_context);
        }
        self.writes.collect_of(&mut self.objects, payload.object);
        let message = payload.message;
        result.map_err(|error| MirrorError::Message { message, error })
    }
}
