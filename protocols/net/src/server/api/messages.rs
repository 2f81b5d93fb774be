//! Messages of the program without an object.

use bytes::Bytes;
use syncvar_runtime::untyped::Value;
use syncvar_runtime::{ConnectionId, SyncValue};
use syncvar_runtime::{MessageError, ReceivedMessage};

use crate::ClientEvent;
use crate::server::sessions::program_messages::OutgoingMessage;
use crate::server::{LocalClient, NetworkServer, ServerEvent};

impl NetworkServer {
    /// Sends a message to a connection, ready or not, on channel 0.
    ///
    /// The message follows all changes that earlier updates have sent on its channel, and precedes
    /// the changes of the next update. A client that is [away](Self::is_away) receives it after its
    /// return, if it resumes.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(SyncValue, Clone)]
    /// struct Ping(u32);
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().message::<Ping>("ping"));
    /// net.settle();
    /// net.client_mut(0).send(&Ping(5))?;
    /// net.settle();
    /// while let Some(event) = net.server.poll_event() {
    ///     if let ServerEvent::Message { connection, message } = event
    ///         && let Some(Ping(number)) = message.get()
    ///     {
    ///         net.server.send(connection, &Ping(number + 1))?;
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the type is not [registered](syncvar_runtime::Prefabs::message), the connection is not
    /// accepted, or the value has no encoding or is too long.
    pub fn send<M: SyncValue>(
        &mut self,
        connection: ConnectionId,
        message: &M,
    ) -> Result<(), MessageError> {
        if !self.sessions.takes_messages(connection) {
            return Err(MessageError::NotConnected(connection));
        }
        self.send_on([connection], 0, message)
    }

    /// Sends a message to all ready connections on channel 0, encoded once per framing. A
    /// [recording](Self::start_recording) contains it.
    ///
    /// # Errors
    ///
    /// When the type is not registered, or the value has no encoding or is too long.
    pub fn send_to_ready<M: SyncValue>(&mut self, message: &M) -> Result<(), MessageError> {
        let ready = self.connections().filter(|id| self.is_ready(*id));
        let ready: Vec<_> = ready.chain(self.outbound.recorder.observer()).collect();
        self.send_on(ready, 0, message)
    }

    /// Sends a message to some connections on a channel, encoded once per framing. On an unreliable
    /// channel it may be lost, and must fit a packet.
    ///
    /// Connections that have ended, or are not accepted, are passed over: a list of members may be
    /// older than the last [`ServerEvent::Disconnected`].
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(SyncValue, Clone)]
    /// struct Chat(String);
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().message::<Chat>("chat"));
    /// net.connect();
    /// net.settle();
    /// let team = [net.connection(0), net.connection(1)];
    /// net.cut(0);
    /// net.server.send_on(team, 0, &Chat("hello".into()))?;
    /// net.settle();
    /// let is_chat = |event: &ClientEvent| matches!(event, ClientEvent::Message(_));
    /// assert!(std::iter::from_fn(|| net.client_mut(1).poll_event()).any(|event| is_chat(&event)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the type is not registered, the channel is unknown, or the value has no encoding or is too
    /// long. No connection receives the message then.
    pub fn send_on<M: SyncValue>(
        &mut self,
        connections: impl IntoIterator<Item = ConnectionId>,
        channel: u8,
        message: &M,
    ) -> Result<(), MessageError> {
        let kind = self.objects.world.prefabs.messages().find::<M>()?;
        let (number, name) = (kind.number, kind.name.clone());
        let message = OutgoingMessage {
            channel,
            number,
            write: &|writer| {
                writer.write(message);
                Ok(())
            },
            received: &|| ReceivedMessage::new(name.clone(), message.clone()),
        };
        self.send_message(connections.into_iter().collect(), &message)
    }

    /// Sends a message by its name, with its value, to some connections on a channel: see [`send_on`](Self::send_on).
    ///
    /// ```
    /// use syncvar::{prelude::*, untyped::Value};
    ///
    /// #[derive(SyncValue, Clone)]
    /// struct Chat {
    ///     text: String,
    /// }
    ///
    /// let game = || Prefabs::new().message::<Chat>("chat");
    /// let schema = game().schema();
    /// let mut net = MemoryNetwork::new(move || Prefabs::from_schema(&schema).unwrap());
    /// net.connect_client(NetworkClient::new(game()));
    /// net.settle();
    /// let everybody: Vec<_> = net.server.connections().collect();
    /// net.server.send_value_on(everybody, 0, "chat", Value::structure([("text", "hello")]))?;
    /// net.settle();
    /// let received = std::iter::from_fn(|| net.client_mut(0).poll_event());
    /// let mut texts = received.filter_map(|event| match event {
    ///     ClientEvent::Message(message) => message.get::<Chat>().map(|chat| chat.text.clone()),
    ///     _ => None,
    /// });
    /// assert_eq!(texts.next().as_deref(), Some("hello"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When no message has the name, the value does not fit, and as [`send_on`](Self::send_on).
    pub fn send_value_on(
        &mut self,
        connections: impl IntoIterator<Item = ConnectionId>,
        channel: u8,
        message: &str,
        value: impl Into<Value>,
    ) -> Result<(), MessageError> {
        let kind = self.objects.world.prefabs.messages().by_name(message);
        let kind = kind.ok_or_else(|| MessageError::UnknownName(message.into()))?;
        let (kind, value) = (kind.clone(), value.into());
        let received = kind.received(&value)?;
        let message = OutgoingMessage {
            channel,
            number: kind.number,
            write: &|writer| kind.write(&value, writer),
            received: &|| received.clone(),
        };
        self.send_message(connections.into_iter().collect(), &message)
    }

    fn send_message(
        &mut self,
        mut connections: Vec<ConnectionId>,
        message: &OutgoingMessage<'_>,
    ) -> Result<(), MessageError> {
        let channel = message.channel;
        if usize::from(channel) >= self.context.config.channels.len() {
            return Err(MessageError::UnknownChannel(channel));
        }
        connections.retain(|connection| self.sessions.takes_messages(*connection));
        let mut encoded: [Option<Bytes>; 2] = [None, None];
        for connection in &connections {
            let Some(framing) = self.sessions.framing(*connection) else {
                continue;
            };
            let bytes = &mut encoded[usize::from(framing.number())];
            if bytes.is_none() {
                *bytes = Some(message.encode(&self.context.config, framing)?);
            }
        }
        self.deliver();
        for connection in connections {
            if self.is_local(connection) {
                if let Some(host) = &mut self.host {
                    host.push_event(ClientEvent::Message((message.received)()));
                }
                continue;
            }
            let known = self.sessions.connections.get(connection.0);
            let bytes = known.and_then(|it| encoded[usize::from(it.framing.number())].as_ref());
            if let Some(bytes) = bytes {
                self.context.stats.program_sent.add(bytes.len());
                self.rooms()
                    .ground
                    .send_chunks(channel, connection, std::slice::from_ref(bytes));
            }
        }
        Ok(())
    }

    /// Sends a message of the local client of a [host](Self::connect_local) to this server.
    ///
    /// # Errors
    ///
    /// When the type is not registered, or the server has no local client.
    pub fn local_send<M: SyncValue>(&mut self, message: &M) -> Result<(), MessageError> {
        let name = self
            .objects
            .world
            .prefabs
            .messages()
            .find::<M>()?
            .name
            .clone();
        let local = self.local_client().map(LocalClient::connection);
        let connection = local.ok_or(MessageError::NotConnected(ConnectionId::SERVER))?;
        let message = ReceivedMessage::new(name, message.clone());
        self.context.events.push(ServerEvent::Message {
            connection,
            message,
        });
        Ok(())
    }
}
