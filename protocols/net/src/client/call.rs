//! Calls: commands to the server, and what the server calls here.

use super::{ClientEvent, ClientState, NetworkClient};
use crate::call::{CallPlace, CallRequest, CallRouter, Class, Failure, RoutedCall, run};
use crate::lend::Lends;
use crate::message::{FRAME, Incoming, Name, frame, named, write_header};
use crate::packet::Room;
use crate::{
    CallError, CallFailure, Channel, CommandSender, Framing, MAX_BYTES, MessageType, NetId,
    NetworkCalls, NetworkReader, NetworkWriter, ReadError, ReceivedEvent, Target, WriteError,
};

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
        B::commands(CommandSender::through(self, object, Class::of::<B>(at)))
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
        let named = prefab.and_then(|prefab| named(&prefab.calls, Name::Hash(place.schema.hash)));
        let is_first = named.is_some_and(|named| named.is(&place));
        if self.framing == Framing::Unet && !is_first {
            return Err(CallError::Ambiguous);
        }
        Ok(place)
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
        let place = prefab.and_then(|prefab| named(&prefab.calls, call.name));
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
        let (encoding, bytes) = (arguments.encoding(), arguments.rest());
        let ran = self.lend(object, |slots, client| {
            run(slots, (object, place), client, None, arguments)
        });
        let (message, result) = match ran {
            Some(Ok(())) => {
                if place.is_event() {
                    let event = ReceivedEvent::new(object, place, encoding, bytes);
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

impl CallRouter for NetworkClient {
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError> {
        let CallRequest { object, class, .. } = request;
        let place = self.plan_command(object, class, request.number)?;
        let replica = self.objects.get(object.0);
        let prefab = replica.map(|replica| self.pools.prefab(replica.at.pool));
        let prefab = prefab.and_then(|prefab| self.prefabs.get(prefab));
        let prefab = prefab.ok_or(CallError::UnknownObject(object))?;
        let mut writer = NetworkWriter::with_encoding(self.framing.encoding());
        write_header((self.framing, &mut writer), object, &place, &prefab.calls);
        Ok(RoutedCall {
            object,
            place,
            target: Target::Observers,
            writers: [writer].into_iter().collect(),
        })
    }

    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError> {
        let place = call.place;
        let channel = place.schema.channel;
        let room = self.command_room(channel);
        let message_type = match self.framing {
            Framing::Unet => MessageType::Command,
            Framing::Compact => MessageType::Call,
        };
        for payload in &call.writers {
            if let Some(kind) = room.refusal(self.framing.form(), payload.len()) {
                return Err(WriteError::new(kind, 0, Some(place.name), None).into());
            }
            let outgoing = self.outgoing_on(channel);
            frame(outgoing.begin(), message_type, payload.as_bytes());
            let length = outgoing.commit();
            self.stats.count_encoded(message_type, length);
        }
        Ok(())
    }
}
