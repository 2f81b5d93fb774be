//! Messages of clients.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use syncvar_runtime::behaviour::MessageTime;
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::{Channel, ConnectionId};

use crate::MirrorError;
use crate::batch::Unbatcher;
use crate::frames::RemoteTime;
use crate::message::{Message, NetworkPingMessage, NetworkPongMessage};
use crate::server::stats::{count, one_more};
use crate::server::{MirrorServer, MirrorServerEvent};

impl MirrorServer {
    /// Handles a transport message of a connection: one batch. Unreliable ones may be lost or
    /// reordered; otherwise all messages are accepted on both channels.
    ///
    /// # Errors
    ///
    /// Fails where Mirror disconnects a client: for bytes that are no batch, an unknown or
    /// malformed message, and one that needs authentication first; and for more messages per
    /// second than [`Limits::message_rate`](syncvar_runtime::Limits::message_rate). Earlier
    /// messages of the batch are handled. The connection is ended then, and the transport closes it
    /// ([`poll_close`](Self::poll_close)). Also fails for an unknown connection.
    pub fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        batch: &[u8],
    ) -> Result<(), MirrorError> {
        let _ = channel;
        if !self.is_connected(connection) {
            return Err(MirrorError::NoSuchConnection);
        }
        count(&mut self.stats.received, batch.len());
        if let Some(client) = self.sessions.get_mut(connection) {
            client.received.add(batch.len());
        }
        let (limits, now) = (&self.config.limits, self.clock.now());
        let packet = (batch.len(), now);
        let may_send = self.sessions.begin_packet(connection, limits, packet);
        let result = if may_send {
            let result = self.handle_batch(connection, batch);
            self.sessions.message_time = None;
            result
        } else {
            one_more(&mut self.stats.refused.packets);
            Err(MirrorError::TooManyMessages)
        };
        let limits = &self.config.limits;
        if self.sessions.end_packet(connection, limits, now) {
            self.close_for(connection, LimitExceeded::Misbehaviour);
        }
        result.map_err(|error| {
            if let MirrorError::Message { error, .. } = &error {
                self.stats.refused.count_read(error.kind());
            } else if may_send {
                one_more(&mut self.stats.refused.malformed);
            }
            self.refuse(connection, error)
        })
    }

    fn handle_batch(&mut self, from: ConnectionId, batch: &[u8]) -> Result<(), MirrorError> {
        let messages = Unbatcher::new(batch)?;
        let time = messages.time();
        let sender = self.sessions.get(from);
        let now = self.clock.now().as_secs_f64();
        self.sessions.message_time = Some(MessageTime {
            remote: time,
            local: now,
            shown: sender.and_then(|client| client.remote_time.as_ref()?.shown()),
            predicted: now,
        });
        for message in messages {
            let message = Message::decode(message?)?;
            self.sessions.intake.count_message();
            let Some(client) = self.sessions.get(from) else {
                // A command disconnected the sender: the rest is dropped.
                return Ok(());
            };
            if client.authenticated || self.is_allowed_unauthenticated(&message) {
                self.handle_message(from, time, &message)?;
            } else {
                return Err(MirrorError::NotAuthenticated { id: message.id() });
            }
        }
        Ok(())
    }

    /// Returns whether a message is allowed before authentication.
    fn is_allowed_unauthenticated(&self, message: &Message<'_>) -> bool {
        match message {
            Message::Ping(_) | Message::Pong(_) | Message::TimeSnapshot(_) => true,
            Message::Other { id, .. } => self.sessions.unauthenticated.contains(id),
            _ => false,
        }
    }

    fn handle_message(
        &mut self,
        from: ConnectionId,
        time: f64,
        message: &Message<'_>,
    ) -> Result<(), MirrorError> {
        match message {
            Message::Ready(_) => {
                if self.sessions.lobby.admit(from, &self.config.limits) {
                    self.set_ready(from);
                } else {
                    self.close_for(from, LimitExceeded::Places);
                }
            }
            Message::AddPlayer(_) => self.request_player(from),
            Message::Command(command) => return self.handle_command(from, command),
            Message::EntityState(state) => return self.handle_entity_state(from, state),
            Message::UnreliableBaseline(state) => return self.handle_baseline(from, time, state),
            Message::UnreliableDelta(state) => return self.handle_delta(from, time, state),
            Message::Ping(ping) => self.answer_ping(from, *ping),
            Message::Pong(pong) => self.handle_pong(from, *pong),
            Message::TimeSnapshot(snapshot) => {
                self.receive_time(from, time, snapshot.scaled_time);
            }
            Message::Other { id, payload } => {
                let budget = &mut self.sessions.intake.budget;
                let message = self.prefabs.messages().read(*id, payload, budget)?;
                self.events.push_minor(MirrorServerEvent::Message {
                    connection: from,
                    message,
                });
            }
            // Messages from servers only.
            other => return Err(MirrorError::UnknownMessage { id: other.id() }),
        }
        Ok(())
    }

    /// Records a time of a client, for components that interpolate its states.
    fn receive_time(&mut self, from: ConnectionId, time: f64, scaled_time: f64) {
        if !self.prefabs.has_frames() {
            return;
        }
        let (settings, rate) = (self.config.interpolation, self.config.tick_rate);
        if let Some(client) = self.sessions.get_mut(from) {
            let new = || Box::new(RemoteTime::new(settings, rate));
            let remote = client.remote_time.get_or_insert_with(new);
            remote.receive(time, scaled_time);
        }
    }

    /// Answers a ping with the time of the last update.
    fn answer_ping(&mut self, from: ConnectionId, ping: NetworkPingMessage) {
        let now = self.clock.now().as_secs_f64();
        let answer = NetworkPongMessage {
            local_time: ping.local_time,
            prediction_error_unadjusted: now - ping.local_time,
            prediction_error_adjusted: now - ping.predicted_time_adjusted,
        };
        self.send_message(Channel::Unreliable, from, &answer);
    }

    fn handle_pong(&mut self, from: ConnectionId, pong: NetworkPongMessage) {
        let rtt = self.clock.now().as_secs_f64() - pong.local_time;
        // A client can send any time.
        if !(0.0..=3600.0).contains(&rtt) {
            return;
        }
        if let Some(client) = self.sessions.get_mut(from) {
            client.round_trip.add(rtt);
        }
    }
}
