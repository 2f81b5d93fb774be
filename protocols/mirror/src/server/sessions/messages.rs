//! Messages to connections, and the answers to messages about time, players and scenes.

use syncvar_runtime::{Channel, ConnectionId, NetId};

use super::Sessions;
use crate::frames::RemoteTime;
use crate::message::{
    Message, NetworkMessage, NetworkPingMessage, NetworkPongMessage, SceneMessage, SceneOperation,
    encode_user,
};
use crate::server::context::Context;
use crate::server::event::MirrorServerEvent;
use crate::server::objects::{Excess, Objects};
use crate::server::stats::count;
use crate::{MirrorError, MirrorMessage};

impl Sessions {
    /// Returns whether a message is allowed before authentication.
    pub(crate) fn allows_unauthenticated(&self, message: &Message<'_>) -> bool {
        match message {
            Message::Ping(_) | Message::Pong(_) | Message::TimeSnapshot(_) => true,
            Message::Other { id, .. } => self.unauthenticated.contains(id),
            _ => false,
        }
    }

    /// Writes a user message, for [`queue_written`](Self::queue_written).
    pub(crate) fn write_user<M: MirrorMessage>(&mut self, message: &M) -> Result<(), MirrorError> {
        self.written.truncate(0);
        encode_user(message, &mut self.written)
    }

    /// Writes a message of the protocol, for [`queue_written`](Self::queue_written).
    fn write<'a, M: NetworkMessage<'a>>(&mut self, message: &M) {
        self.written.truncate(0);
        message.encode(&mut self.written);
    }

    /// Queues the written message for a connection.
    pub(crate) fn queue_written(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        context: &mut Context,
    ) -> Result<(), MirrorError> {
        let client = self.connections.get_mut(connection.0);
        let outbox = &mut client.ok_or(MirrorError::NoSuchConnection)?.outbox;
        let length = outbox.send_or_fail(channel, context.now(), &[self.written.as_bytes()])?;
        count(&mut context.stats.messages, length);
        Ok(())
    }

    /// Sends a short message without an object.
    pub(crate) fn send_message<'a, M: NetworkMessage<'a>>(
        &mut self,
        channel: Channel,
        connection: ConnectionId,
        message: &M,
        context: &mut Context,
    ) {
        self.write(message);
        // Short messages fit; the connection may have ended.
        let _ = self.queue_written(connection, channel, context);
    }

    /// Sends a message about an object. Returns whether the message was sent.
    pub(crate) fn send_object_message<'a, M: NetworkMessage<'a>>(
        &mut self,
        object: NetId,
        connection: ConnectionId,
        message: &M,
        objects: &mut Objects,
        context: &mut Context,
    ) -> bool {
        self.write(message);
        let sent = self.queue_written(connection, Channel::Reliable, context);
        report_unsent(&sent, object, connection, objects, context)
    }

    /// Sends an encoded message about an object. Returns whether the message was sent.
    pub(crate) fn send_encoded(
        &mut self,
        object: NetId,
        connection: ConnectionId,
        message: &[u8],
        objects: &mut Objects,
        context: &mut Context,
    ) -> bool {
        let sent = self.send(connection, Channel::Reliable, context.now(), &[message]);
        let sent = sent.map(|length| count(&mut context.stats.messages, length));
        report_unsent(&sent, object, connection, objects, context)
    }

    /// Sends the scene to an accepted connection.
    pub(crate) fn send_scene(&mut self, connection: ConnectionId, context: &mut Context) {
        if let Some(name) = self.scene.clone() {
            self.send_scene_message(connection, &name, SceneOperation::Normal, context);
        }
    }

    pub(crate) fn send_scene_message(
        &mut self,
        connection: ConnectionId,
        name: &str,
        operation: SceneOperation,
        context: &mut Context,
    ) {
        let message = SceneMessage {
            scene_name: Some(name),
            operation,
            custom_handling: false,
        };
        self.send_message(Channel::Reliable, connection, &message, context);
    }

    /// Sends a scene message of the game to a connection.
    pub(crate) fn send_game_scene(
        &mut self,
        connection: ConnectionId,
        scene: &SceneMessage<'_>,
        context: &mut Context,
    ) -> Result<(), MirrorError> {
        self.write(scene);
        self.queue_written(connection, Channel::Reliable, context)
    }

    /// Records a time of a client, for components that interpolate the states of the client.
    pub(crate) fn receive_time(
        &mut self,
        from: ConnectionId,
        time: f64,
        scaled_time: f64,
        context: &Context,
    ) {
        let (settings, rate) = (context.config.interpolation, context.config.tick_rate);
        if let Some(client) = self.get_mut(from) {
            let new = || Box::new(RemoteTime::new(settings, rate));
            let remote = client.times.remote.get_or_insert_with(new);
            remote.receive(time, scaled_time);
        }
    }

    /// Answers a ping with the time of the last update.
    pub(crate) fn answer_ping(
        &mut self,
        from: ConnectionId,
        ping: NetworkPingMessage,
        context: &mut Context,
    ) {
        let now = context.now().as_secs_f64();
        let answer = NetworkPongMessage {
            local_time: ping.local_time,
            prediction_error_unadjusted: now - ping.local_time,
            prediction_error_adjusted: now - ping.predicted_time_adjusted,
        };
        self.send_message(Channel::Unreliable, from, &answer, context);
    }

    pub(crate) fn handle_pong(
        &mut self,
        from: ConnectionId,
        pong: NetworkPongMessage,
        context: &Context,
    ) {
        let rtt = context.now().as_secs_f64() - pong.local_time;
        // A client can send any time.
        if !(0.0..=3600.0).contains(&rtt) {
            return;
        }
        if let Some(client) = self.get_mut(from) {
            client.times.round_trip.add(rtt);
        }
    }

    /// Handles a request for a player. Ignores the request of a client with a player, as Mirror does, and of a
    /// client with an unpolled request: a game that answers both would add two players.
    pub(crate) fn request_player(&mut self, connection: ConnectionId, context: &mut Context) {
        let Some(client) = self.get_mut(connection) else {
            return;
        };
        let unread = context.events.first_unread();
        let waits = client.player_request.is_some_and(|it| it >= unread);
        if client.player.is_some() || waits {
            tracing::debug!(%connection, "ignoring a request for a second player");
            return;
        }
        let number = context.events.total();
        let event = MirrorServerEvent::AddPlayerRequested { connection };
        client.player_request = context.events.push_minor(event).then_some(number);
    }
}

/// Returns whether a message about an object was sent; reports a message that is too long.
fn report_unsent(
    sent: &Result<(), MirrorError>,
    object: NetId,
    connection: ConnectionId,
    objects: &mut Objects,
    context: &mut Context,
) -> bool {
    if let Err(MirrorError::TooLong { length, limit }) = *sent {
        let excess = Excess { length, limit };
        objects.report_too_long(object, Some(connection), excess, context);
    }
    sent.is_ok()
}
