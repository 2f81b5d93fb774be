//! Remote calls: commands to the server, and calls from it.

use syncvar_runtime::unstable::call::{CallRequest, CallRouter, Class, Failure, RoutedCall};
use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::{
    CallError, CallFailure, Channel, CommandSender, Encoding, NetId, NetworkCalls, NetworkWriter,
    Target, WriteError, WriteErrorKind, assert_calls_known,
};

use crate::MirrorError;
use crate::client::objects::entry::SpawnStage;
use crate::client::{MirrorClient, MirrorClientEvent};
use crate::message::{CommandMessage, NetworkMessage, RpcMessage};

impl MirrorClient {
    /// Calls the server: the result has a method for every `#[command]` of `B`, on the first
    /// behaviour of the object that is or derives from `B`.
    ///
    /// A command that requires ownership fails on objects that the client does not own, and each command fails while
    /// the client is not [ready](Self::is_ready). Channel 0 is reliable, channel 1 unreliable;
    /// further channels fail.
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Commands<'_> {
        const { assert_calls_known::<B>() }
        B::commands(CommandSender::through(self, id, Class::of::<B>(None)))
    }

    /// Like [`calls`](Self::calls) for the behaviour at a position, for objects with two behaviours
    /// of a type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Commands<'_> {
        const { assert_calls_known::<B>() }
        B::commands(CommandSender::through(
            self,
            id,
            Class::of::<B>(Some(index)),
        ))
    }

    /// Runs a call of the server.
    pub(crate) fn handle_rpc(&mut self, message: &RpcMessage<'_>) -> Result<(), MirrorError> {
        let id = message.net_id;
        let object = self.objects.spawned(id, &mut self.context.stats);
        let Some(prefab) = object.map(|object| object.prefab) else {
            return Ok(());
        };
        let (component, hash) = (message.component_index, message.function_hash);
        let prefab = self.objects.prefabs.get(prefab);
        let place = prefab.and_then(|prefab| prefab.call(component, hash));
        let Some(place) = place.filter(|place| !place.is_command()) else {
            tracing::error!(object = %id, component, hash, "no component has this call");
            self.context.stats.unknown_calls = self.context.stats.unknown_calls.wrapping_add(1);
            return Ok(());
        };
        let arguments = message.payload.unwrap_or_default();
        let mut arguments = self.inbound.reader(arguments, &self.context);
        let ran = self.run_call(id, &place, None, &mut arguments);
        self.inbound.budget = arguments.budget();
        match ran {
            None | Some(Ok(())) => Ok(()),
            Some(Err(Failure::Panicked(text))) => {
                tracing::error!(object = %id, call = place.schema.name, text, "a call panicked");
                let failure = CallFailure::new(id, &place, text);
                self.context
                    .events
                    .push(MirrorClientEvent::CallFailed(Box::new(failure)));
                Ok(())
            }
            Some(Err(Failure::Malformed(error))) => Err(MirrorError::Message {
                message: RpcMessage::NAME,
                error,
            }),
        }
    }
}

/// Returns Mirror's channel of a call.
fn channel_of(channel: u8) -> Result<Channel, CallError> {
    match channel {
        0 => Ok(Channel::Reliable),
        1 => Ok(Channel::Unreliable),
        other => Err(CallError::UnknownChannel(other)),
    }
}

impl CallRouter for MirrorClient {
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError> {
        let CallRequest {
            object: id,
            class,
            number,
            ..
        } = request;
        if !self.session.is_connected() {
            return Err(CallError::NotConnected);
        }
        let object = self.objects.get(id);
        let object = object.filter(|object| object.stage != SpawnStage::Pending);
        let object = object.ok_or(CallError::UnknownObject(id))?;
        if !self.session.is_ready() {
            return Err(CallError::NotReady);
        }
        let prefab = self.objects.prefabs.get(object.prefab);
        let place = prefab.and_then(|prefab| prefab.declared_call(class, number));
        let place = place.ok_or(CallError::NoSuchBehaviour {
            object: id,
            behaviour: class.name,
        })?;
        if place.schema.requires_ownership && !object.role.owner && !object.role.player {
            return Err(CallError::NotOwner(id));
        }
        channel_of(place.schema.channel)?;
        Ok(RoutedCall {
            object: id,
            place,
            target: Target::Observers,
            writers: [NetworkWriter::with_encoding(Encoding::Mirror)]
                .into_iter()
                .collect(),
        })
    }

    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError> {
        let prefab = self.objects.entry(call.object);
        let name = prefab.and_then(|prefab| prefab.name_of(&call.place));
        let (component_index, function_hash) = name.ok_or(CallError::UnknownObject(call.object))?;
        let command = CommandMessage {
            net_id: call.object,
            component_index,
            function_hash,
            payload: call.writers.first().map(NetworkWriter::as_bytes),
        };
        let channel = channel_of(call.place.schema.channel)?;
        let sent = self.session.send_message(&command, channel, &self.context);
        sent.map_err(|error| unsendable(&error, call.place.name))
    }
}

/// Returns the error of an unsendable call.
fn unsendable(error: &MirrorError, behaviour: &'static str) -> CallError {
    match *error {
        MirrorError::Unwritable { error, .. } => error.into(),
        MirrorError::TooLong { length, limit } => {
            let kind = WriteErrorKind::MessageTooLarge { length, limit };
            WriteError::new(kind, 0, Some(behaviour), None).into()
        }
        _ => CallError::NotConnected,
    }
}
