//! Calls: commands to the server, and remote calls from it.

use super::{ClientEvent, NetworkClient};
use crate::call::{
    CallPlace, CallRequest, CallRouter, Class, Failure, Incoming, Name, Routed, frame, run,
    write_header,
};
use crate::context::Side;
use crate::lifecycle::Lends;
use crate::message::FRAME;
use crate::segments::Room;
use crate::{
    CallError, Channel, Dialect, MAX_BYTES, MessageType, NetId, NetworkCalls, NetworkReader,
    NetworkServer, NetworkWriter, ReadError, ReceivedEvent, WriteError,
};

/// Remote call of the server that has panicked or could not be read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallFailure {
    /// The object.
    pub object: NetId,
    /// Name of the behaviour.
    pub behaviour: &'static str,
    /// Name of the call.
    pub call: &'static str,
    /// Message of the panic, or of the error in the arguments.
    pub message: String,
}

impl CallFailure {
    #[doc(hidden)]
    pub fn new(object: NetId, place: &CallPlace, message: String) -> Self {
        Self {
            object,
            behaviour: place.name,
            call: place.schema.name,
            message,
        }
    }
}

/// Inner part of the generated type that [`NetworkClient::calls`] returns.
#[doc(hidden)]
#[derive(Debug)]
pub struct CommandSender<'call> {
    caller: Caller<'call>,
    object: NetId,
    class: Class,
}

/// Command in preparation.
#[doc(hidden)]
#[derive(Debug)]
pub struct OutgoingCommand<'call> {
    route: Result<Route<'call>, CallError>,
    /// Arguments, except on a route with a writer.
    payload: NetworkWriter,
}

/// Origin of a command.
#[derive(Debug)]
enum Caller<'call> {
    Client(&'call mut NetworkClient),
    /// Local client of this server.
    Local(&'call mut NetworkServer),
    /// Client of another protocol.
    Other(&'call mut dyn CallRouter),
}

/// Route of a command to its server.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "lives on the stack for one call")]
enum Route<'call> {
    /// In a message.
    Message(&'call mut NetworkClient, CallPlace, MessageType),
    /// Directly: the caller is the server's local client.
    Direct(&'call mut NetworkServer, CallPlace, NetId),
    /// Through another protocol.
    Routed(Routed<'call>),
}

impl NetworkClient {
    /// Returns the commands of `B` on an object: a value with one method per `#[command]`. They run on
    /// the object's first behaviour of type `B` or with the base `B`.
    ///
    /// The server decides whether this client may call. The client checks beforehand as far as it can: a
    /// command that requires ownership is an error on an object of another owner.
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Commands<'_> {
        self.calls_of::<B>(id, None)
    }

    /// Returns the commands of the behaviour at a position, for objects with two behaviours of one type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Commands<'_> {
        self.calls_of::<B>(id, Some(index))
    }

    fn calls_of<B: NetworkCalls>(&mut self, object: NetId, at: Option<usize>) -> B::Commands<'_> {
        const { crate::assert_calls_known::<B>() }
        B::commands(CommandSender {
            caller: Caller::Client(self),
            object,
            class: Class::of::<B>(at),
        })
    }

    /// Finds a command and writes its header. Returns its place and the type of its message.
    fn begin_command(
        &self,
        object: NetId,
        class: Class,
        number: u32,
        payload: &mut NetworkWriter,
    ) -> Result<(CallPlace, MessageType), CallError> {
        let place = self.plan_command(object, class, number)?;
        let prefab = self.world.prefab_of(object);
        let prefab = prefab.ok_or(CallError::UnknownObject(object))?;
        payload.at_behaviour(Some(place.name));
        let message_type = write_header(payload, object, &place, &prefab.calls);
        Ok((place, message_type))
    }

    fn plan_command(
        &self,
        object: NetId,
        class: Class,
        number: u32,
    ) -> Result<CallPlace, CallError> {
        if !self.is_connected() {
            return Err(CallError::NotConnected);
        }
        let replica = self.world.objects.get(object.0);
        let replica = replica.filter(|replica| replica.is_visible());
        let replica = replica.ok_or(CallError::UnknownObject(object))?;
        let prefab = self.world.pools.prefab(replica.at.pool);
        let prefabs = &self.world.prefabs;
        let place = prefabs.declared_call(prefab, object, class, number)?;
        if place.schema.requires_ownership && !replica.owned {
            return Err(CallError::NotOwner(object));
        }
        if usize::from(place.schema.channel) >= self.config.channels.len() {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let calls = prefabs.get(prefab).map(|prefab| &prefab.calls);
        let named = calls.and_then(|calls| calls.named(Name::Hash(place.schema.hash)));
        let is_first = named.is_some_and(|named| named.is(&place));
        if self.dialect() == Dialect::Unet && !is_first {
            return Err(CallError::Ambiguous);
        }
        Ok(place)
    }

    fn send_command(
        &mut self,
        place: &CallPlace,
        message_type: MessageType,
        payload: &NetworkWriter,
    ) -> Result<(), CallError> {
        let channel = place.schema.channel;
        let room = self.command_room(channel);
        if let Some(kind) = room.refusal(payload.dialect(), payload.len()) {
            return Err(WriteError::new(kind, 0, Some(place.name), None).into());
        }
        let buffer = self.outbound.on_channel(channel);
        frame(buffer.begin(), message_type, payload.as_bytes());
        let length = buffer.commit();
        self.stats.count_encoded(message_type, length);
        Ok(())
    }

    /// Returns the size limit of a command on a channel.
    fn command_room(&self, channel: u8) -> Room {
        match self.config.channels.get(usize::from(channel)) {
            Some(Channel::Unreliable) => {
                Room::unreliable(self.config.packet_size.min(FRAME + MAX_BYTES))
            }
            // The server accepts no message in the long form.
            _ => Room::reliable(MAX_BYTES),
        }
    }

    /// Runs a call of the server, now or after its object's announcement.
    pub(super) fn handle_call(
        &mut self,
        channel: u8,
        message_type: MessageType,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let mut call = Incoming::decode(message_type, payload)?;
        call.arguments = call.arguments.with_max_elements(self.config.max_elements);
        if self.defer_call_until_spawned(call.object, channel, message_type, payload) {
            return Ok(());
        }
        let prefab = self.world.prefab_of(call.object);
        let place = prefab.and_then(|prefab| prefab.calls.named(call.name));
        let fits = |place: &CallPlace| match message_type {
            MessageType::SyncEvent => place.is_event(),
            MessageType::Rpc => !place.is_event() && !place.is_command(),
            _ => !place.is_command(),
        };
        let Some(place) = place.filter(fits) else {
            let number = match call.name {
                Name::Hash(hash) => hash,
                Name::Number(number) => u32::try_from(number).unwrap_or(u32::MAX),
            };
            return Err(call.arguments.unknown_call(number));
        };
        self.run_call(call.object, &place, &mut call.arguments)
    }

    fn run_call(
        &mut self,
        object: NetId,
        place: &CallPlace,
        arguments: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let (dialect, bytes) = (arguments.dialect(), arguments.rest());
        let ran = self.lend(object, |slots, client| {
            run(
                slots,
                (object, place),
                Side::Client(client),
                None,
                arguments,
            )
        });
        let (message, result) = match ran {
            Some(Ok(())) => {
                if place.is_event() {
                    let event = ReceivedEvent::new(object, place, dialect, bytes);
                    self.events.push(ClientEvent::SyncEvent(event));
                }
                return Ok(());
            }
            None => {
                self.stats.unknown_objects += 1;
                return Ok(());
            }
            Some(Err(Failure::Panicked(message))) => (message, Ok(())),
            Some(Err(Failure::Malformed(error))) => (error.to_string(), Err(error)),
        };
        tracing::error!(%object, call = place.schema.name, message, "a call has failed");
        self.events
            .push(ClientEvent::CallFailed(Box::new(CallFailure::new(
                object, place, message,
            ))));
        result
    }
}

impl<'call> CommandSender<'call> {
    /// Creates a sender for the local client of a server.
    pub(crate) fn of_local(server: &'call mut NetworkServer, object: NetId, class: Class) -> Self {
        Self {
            caller: Caller::Local(server),
            object,
            class,
        }
    }

    /// Creates a sender for a client of another protocol.
    pub fn through(router: &'call mut dyn CallRouter, object: NetId, class: Class) -> Self {
        Self {
            caller: Caller::Other(router),
            object,
            class,
        }
    }

    /// Begins the call with this number among the class's declarations.
    pub fn begin(self, number: u32) -> OutgoingCommand<'call> {
        let (object, class) = (self.object, self.class);
        match self.caller {
            Caller::Client(client) => {
                let mut payload = NetworkWriter::with_dialect(client.dialect());
                let begun = client.begin_command(object, class, number, &mut payload);
                let route = begun.map(|(place, message)| Route::Message(client, place, message));
                OutgoingCommand { route, payload }
            }
            Caller::Local(server) => {
                let mut payload = NetworkWriter::with_dialect(Dialect::Compact);
                let planned = server.plan_local_command(object, class, number);
                payload.at_behaviour(planned.as_ref().ok().map(|place| place.name));
                let route = planned.map(|place| Route::Direct(server, place, object));
                OutgoingCommand { route, payload }
            }
            Caller::Other(router) => {
                let request = CallRequest {
                    object,
                    class,
                    number,
                    target: None,
                };
                OutgoingCommand {
                    route: Ok(Route::Routed(Routed::begin(router, request))),
                    payload: NetworkWriter::new(),
                }
            }
        }
    }
}

impl OutgoingCommand<'_> {
    /// Returns the writer of the arguments.
    pub fn writer(&mut self) -> &mut NetworkWriter {
        if let Ok(Route::Routed(routed)) = &mut self.route
            && let Some(writer) = routed.writer()
        {
            return writer;
        }
        &mut self.payload
    }

    /// Sends the command.
    ///
    /// # Errors
    ///
    /// When the call is invalid, or its arguments cannot be written.
    pub fn send(mut self) -> Result<(), CallError> {
        let route = self.route?;
        if let Some(error) = self.payload.take_error() {
            return Err(error.into());
        }
        match route {
            Route::Message(client, place, message_type) => {
                client.send_command(&place, message_type, &self.payload)
            }
            Route::Direct(server, place, object) => {
                server.call_locally(object, place, self.payload.take_bytes());
                Ok(())
            }
            Route::Routed(routed) => routed.send(),
        }
    }
}
