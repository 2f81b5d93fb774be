//! Calls: commands to the server, and what the server calls here.

use super::{ClientEvent, ClientState, NetworkClient};
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

/// A call of the server that did not come to its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallFailure {
    /// The object.
    pub object: NetId,
    /// The name of the behaviour.
    pub behaviour: &'static str,
    /// The name of the call.
    pub call: &'static str,
    /// What was wrong: what the panic said, or why the arguments could not be read.
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

/// What [`NetworkClient::calls`] makes the methods on; the macro writes a type around it.
#[doc(hidden)]
#[derive(Debug)]
pub struct CommandSender<'call> {
    caller: Caller<'call>,
    object: NetId,
    class: Class,
}

/// A command that is being written.
#[doc(hidden)]
#[derive(Debug)]
pub struct OutgoingCommand<'call> {
    way: Result<Way<'call>, CallError>,
    /// Of a way that has no writer of its own.
    payload: NetworkWriter,
}

/// Who calls.
#[derive(Debug)]
enum Caller<'call> {
    Client(&'call mut NetworkClient),
    /// The local client of this server.
    Local(&'call mut NetworkServer),
    /// A client of another protocol.
    Other(&'call mut dyn CallRouter),
}

/// How a command gets to its server.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "of the stack, for one call")]
enum Way<'call> {
    Sent(&'call mut NetworkClient, CallPlace, MessageType),
    /// It is there already.
    Run(&'call mut NetworkServer, CallPlace, NetId),
    Routed(Routed<'call>),
}

impl NetworkClient {
    /// Calls the server: what is returned has a method for every `#[command]` of `B`, on the first
    /// behaviour of the object that is a `B` or has it as its base.
    ///
    /// The server runs the command if it finds that this client may call it. Here it is checked first
    /// as far as a client can: a command that requires ownership is an error on an object that this
    /// client does not own.
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Commands<'_> {
        self.calls_of::<B>(id, None)
    }

    /// The same on the behaviour at a position, for objects with two behaviours of one type.
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

    /// Which command is meant, and how it begins in its message.
    fn begin_command(
        &self,
        object: NetId,
        class: Class,
        number: u32,
        payload: &mut NetworkWriter,
    ) -> Result<(CallPlace, MessageType), CallError> {
        let place = self.plan_command(object, class, number)?;
        let replica = self.objects.get(object.0);
        let prefab = replica.map(|replica| self.pools.prefab(replica.at.pool));
        let prefab = prefab.and_then(|prefab| self.prefabs.get(prefab));
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
        if self.state != ClientState::Connected {
            return Err(CallError::NotConnected);
        }
        let replica = self.objects.get(object.0);
        let replica = replica.filter(|replica| replica.announced);
        let replica = replica.ok_or(CallError::UnknownObject(object))?;
        let prefab = self.pools.prefab(replica.at.pool);
        let place = self.prefabs.declared_call(prefab, object, class, number)?;
        if place.schema.requires_ownership && !replica.owned {
            return Err(CallError::NotOwner(object));
        }
        if usize::from(place.schema.channel) >= self.config.channels.len() {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let prefab = self.prefabs.get(prefab);
        let named = prefab.and_then(|prefab| prefab.calls.named(Name::Hash(place.schema.hash)));
        let is_first = named.is_some_and(|named| named.is(&place));
        if self.dialect == Dialect::Unet && !is_first {
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
        let outgoing = self.outgoing_on(channel);
        frame(outgoing.begin(), message_type, payload.as_bytes());
        let length = outgoing.commit();
        self.stats.count_encoded(message_type, length);
        Ok(())
    }

    /// How long a command on a channel may be.
    fn command_room(&self, channel: u8) -> Room {
        match self.config.channels.get(usize::from(channel)) {
            Some(Channel::Unreliable) => {
                Room::unreliable(self.config.packet_size.min(FRAME + MAX_BYTES))
            }
            // The server takes no long message.
            _ => Room::reliable(MAX_BYTES),
        }
    }

    /// Runs a call of the server, when its object has been announced.
    pub(super) fn handle_call(
        &mut self,
        channel: u8,
        message_type: MessageType,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let mut call = Incoming::decode(message_type, payload)?;
        call.arguments = call.arguments.with_max_elements(self.config.max_elements);
        if self.put_off_call(call.object, channel, message_type, payload) {
            return Ok(());
        }
        let Some(replica) = self.objects.get(call.object.0) else {
            return Ok(());
        };
        let prefab = self.prefabs.get(self.pools.prefab(replica.at.pool));
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
        tracing::error!(%object, call = place.schema.name, message, "a call failed");
        self.events
            .push(ClientEvent::CallFailed(Box::new(CallFailure::new(
                object, place, message,
            ))));
        result
    }
}

impl<'call> CommandSender<'call> {
    /// For the local client of a server.
    pub(crate) fn of_local(server: &'call mut NetworkServer, object: NetId, class: Class) -> Self {
        Self {
            caller: Caller::Local(server),
            object,
            class,
        }
    }

    /// For a client of another protocol.
    pub fn through(router: &'call mut dyn CallRouter, object: NetId, class: Class) -> Self {
        Self {
            caller: Caller::Other(router),
            object,
            class,
        }
    }

    /// Begins the call of this number among those that the class declares.
    pub fn begin(self, number: u32) -> OutgoingCommand<'call> {
        let (object, class) = (self.object, self.class);
        match self.caller {
            Caller::Client(client) => {
                let mut payload = NetworkWriter::with_dialect(client.dialect);
                let begun = client.begin_command(object, class, number, &mut payload);
                let way = begun.map(|(place, message)| Way::Sent(client, place, message));
                OutgoingCommand { way, payload }
            }
            Caller::Local(server) => {
                let mut payload = NetworkWriter::with_dialect(Dialect::Compact);
                let planned = server.plan_local_command(object, class, number);
                payload.at_behaviour(planned.as_ref().ok().map(|place| place.name));
                let way = planned.map(|place| Way::Run(server, place, object));
                OutgoingCommand { way, payload }
            }
            Caller::Other(router) => {
                let request = CallRequest {
                    object,
                    class,
                    number,
                    target: None,
                };
                OutgoingCommand {
                    way: Ok(Way::Routed(Routed::begin(router, request))),
                    payload: NetworkWriter::new(),
                }
            }
        }
    }
}

impl OutgoingCommand<'_> {
    /// Where to write the arguments.
    pub fn writer(&mut self) -> &mut NetworkWriter {
        if let Ok(Way::Routed(routed)) = &mut self.way
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
    /// Those of the call; nothing is sent then.
    pub fn send(mut self) -> Result<(), CallError> {
        let way = self.way?;
        if let Some(error) = self.payload.take_error() {
            return Err(error.into());
        }
        match way {
            Way::Sent(client, place, message_type) => {
                client.send_command(&place, message_type, &self.payload)
            }
            Way::Run(server, place, object) => {
                server.call_locally(object, place, self.payload.take_bytes());
                Ok(())
            }
            Way::Routed(routed) => routed.send(),
        }
    }
}
