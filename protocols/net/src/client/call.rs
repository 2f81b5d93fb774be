//! Calls: commands to the server, and remote calls from it.

use super::objects::Fact;
use super::{ClientEvent, NetworkClient};
use crate::link::header_bytes::MAX_HEADER;
use crate::message::{FRAME, Incoming, LONGEST_VIEW, Name, frame, named, write_header};
use crate::{Framing, MessageType};
use syncvar_runtime::call::{CallPlace, CallRequest, CallRouter, Class, Failure, RoutedCall};
use syncvar_runtime::packet::Room;
use syncvar_runtime::world::CheckOut;
use syncvar_runtime::{
    CallError, CallFailure, Channel, CommandSender, MAX_BYTES, NetId, NetworkCalls, NetworkReader,
    NetworkWriter, ReadError, ReceivedEvent, Target, WriteError,
};

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
        const { syncvar_runtime::assert_calls_known::<B>() }
        B::commands(CommandSender::through(self, object, Class::of::<B>(at)))
    }

    fn plan_command(
        &self,
        object: NetId,
        class: Class,
        number: u32,
    ) -> Result<CallPlace, CallError> {
        if !self.is_connected() || !self.session.is_heard() {
            return Err(CallError::NotConnected);
        }
        let replica = self.objects.world.objects.get(object.0);
        let replica = replica.filter(|replica| replica.is_visible());
        let replica = replica.ok_or(CallError::UnknownObject(object))?;
        let prefab = self.objects.world.pools.prefab(replica.at.pool);
        let prefabs = &self.objects.world.prefabs;
        let place = prefabs.declared_call(prefab, object, class, number)?;
        if place.schema.requires_ownership && !replica.is(Fact::Owned) {
            return Err(CallError::NotOwner(object));
        }
        if usize::from(place.schema.channel) >= self.context.config.channels.len() {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let calls = prefabs.get(prefab).map(|prefab| &prefab.calls);
        let named = calls.and_then(|calls| named(calls, Name::Hash(place.schema.hash)));
        let is_first = named.is_some_and(|named| named.is(&place));
        if self.framing() == Framing::Unet && !is_first {
            return Err(CallError::Ambiguous);
        }
        Ok(place)
    }

    /// Returns the size limit of a command on a channel.
    pub(super) fn command_room(&self, channel: u8) -> Room {
        match self.context.config.channels.get(usize::from(channel)) {
            Some(Channel::Unreliable) => {
                let packet_size = self.packet_size().min(FRAME + MAX_BYTES);
                let has_header = self.framing() == Framing::Compact;
                let header = if has_header { MAX_HEADER } else { 0 };
                let view = self.view_message().map_or(0, |_| LONGEST_VIEW);
                Room::unreliable(packet_size.saturating_sub(header + view))
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
        call.arguments = call.arguments.with_budget(self.inbound.budget);
        if self.defer_call_until_spawned(call.object, channel, message_type, payload) {
            return Ok(());
        }
        let prefab = self.objects.world.prefab(call.object);
        let place = prefab.and_then(|prefab| named(&prefab.calls, call.name));
        let fits = |place: &CallPlace| match message_type {
            MessageType::SyncEvent => place.is_event(),
            MessageType::Rpc => !place.is_event() && !place.is_command(),
            _ => !place.is_command(),
        };
        if place.is_some_and(|place| place.schema.after_state)
            && self.defer_until_state(channel, message_type, payload)
        {
            return Ok(());
        }
        let Some(place) = place.filter(fits) else {
            let number = match call.name {
                Name::Hash(hash) => hash,
                Name::Number(number) => u32::try_from(number).unwrap_or(u32::MAX),
            };
            return Err(call.arguments.unknown_call(number));
        };
        let ran = self.run_remote_call(call.object, &place, &mut call.arguments);
        self.inbound.budget = call.arguments.budget();
        ran
    }

    fn run_remote_call(
        &mut self,
        object: NetId,
        place: &CallPlace,
        arguments: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let (encoding, bytes) = (arguments.encoding(), arguments.rest());
        let ran = CheckOut::run_call(self, object, place, None, arguments);
        let (message, result) = match ran {
            Some(Ok(())) => {
                if place.is_event() {
                    let event = ReceivedEvent::new(object, place, encoding, bytes);
                    self.context.events.push(ClientEvent::SyncEvent(event));
                }
                return Ok(());
            }
            None => {
                self.context.stats.unknown_objects += 1;
                return Ok(());
            }
            Some(Err(Failure::Panicked(message))) => (message, Ok(())),
            Some(Err(Failure::Malformed(error))) => (error.to_string(), Err(error)),
        };
        tracing::error!(%object, call = place.schema.name, message, "a call has failed");
        self.context
            .events
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
        let prefab = self.objects.world.prefab(object);
        let prefab = prefab.ok_or(CallError::UnknownObject(object))?;
        let mut writer = NetworkWriter::with_encoding(self.framing().encoding());
        write_header((self.framing(), &mut writer), object, &place, &prefab.calls);
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
        let message_type = match self.framing() {
            Framing::Unet => MessageType::Command,
            Framing::Compact => MessageType::Call,
        };
        for payload in &call.writers {
            if let Some(kind) = room.refusal(self.framing().form(), payload.len()) {
                return Err(WriteError::new(kind, 0, Some(place.name), None).into());
            }
            let length = self.send_with_view(channel, |writer| {
                frame(writer, message_type, payload.as_bytes());
            });
            self.context.stats.count_encoded(message_type, length);
        }
        Ok(())
    }
}
