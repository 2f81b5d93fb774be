//! Calls of the server on clients: receivers, encoding and order.
//!
//! A call on an announced object is written at once, behind all earlier bytes. A call on an object
//! with a pending view change is deferred until that change is sent.

mod outgoing;
mod target;

use std::collections::VecDeque;

use bytes::Bytes;
use rustc_hash::FxHashSet;
use syncvar_runtime::call::{CallPlace, Class, Failure};
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::world::Protocol;
use syncvar_runtime::{
    ConnectionId, Encoding, NetId, NetworkCalls, NetworkReader, NetworkWriter, ReceivedEvent,
    RpcSender, Target,
};

use crate::server::objects::replicated::State;
use crate::server::{NetworkServer, ServerEvent};
use crate::{Framing, MessageType};
use outgoing::Outgoing;
use target::Receivers;

/// Deferred calls, and reused buffers.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls on objects with a pending view change, oldest first.
    deferred: Vec<DeferredCall>,
    /// The objects of these calls.
    deferred_objects: FxHashSet<NetId>,
    /// Calls of the server on itself and commands of the local client, deferred by the call under
    /// way.
    pub(super) local: VecDeque<LocalCall>,
    /// The call whose arguments are being written.
    outgoing: Option<Outgoing>,
    /// Whether a call is under way.
    busy: bool,
    /// Writers for payloads, in `Unet` and in `Compact`.
    writers: [NetworkWriter; 2],
    /// Writer for whole messages.
    messages: NetworkWriter,
}

/// A call deferred until its object is shown.
#[derive(Debug)]
struct DeferredCall {
    object: NetId,
    target: Target,
    call: EncodedCall,
}

/// A call within this process.
#[derive(Debug)]
pub(super) struct LocalCall {
    pub(super) object: NetId,
    pub(super) place: CallPlace,
    /// The local client for a command. None for a call of the server on itself.
    pub(super) sender: Option<ConnectionId>,
    pub(super) arguments: Bytes,
}

/// A call as whole messages, in the framings of its receivers.
#[derive(Clone, Debug)]
struct EncodedCall {
    channel: u8,
    unet: Option<(MessageType, Bytes)>,
    compact: Option<(MessageType, Bytes)>,
}

impl Calls {
    /// Removes the waiting calls of an object.
    pub(super) fn remove_object(&mut self, id: NetId) {
        if self.deferred_objects.remove(&id) {
            self.deferred.retain(|call| call.object != id);
        }
        self.local.retain(|call| call.object != id);
    }

    /// Returns whether no call waits.
    pub(super) fn is_idle(&self) -> bool {
        self.deferred.is_empty() && self.local.is_empty()
    }
}

impl NetworkServer {
    /// Returns the `#[client_rpc]`, `#[target_rpc]` and `#[sync_event]` methods of `B`, for calls
    /// on clients. They call the first behaviour of the object that is a `B` or has `B` as its
    /// base.
    ///
    /// A call on an announced object is sent at once, before pending changes of fields and without
    /// waiting for [`update`](Self::update). On a new object, or with a pending view change, it is
    /// sent with the next update, to the observers of that time. Later observers receive no past
    /// calls: use a field for state. On a [host](Self::connect_local), the local client is an
    /// observer too.
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Rpcs<'_> {
        self.calls_of::<B>(id, None)
    }

    /// Like [`calls`](Self::calls), for the behaviour at an index of an object with two behaviours
    /// of one type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Rpcs<'_> {
        self.calls_of::<B>(id, Some(index))
    }

    fn calls_of<B: NetworkCalls>(&mut self, object: NetId, at: Option<usize>) -> B::Rpcs<'_> {
        const { syncvar_runtime::assert_calls_known::<B>() }
        B::rpcs(RpcSender::through(self, object, Class::of::<B>(at)))
    }

    /// Sends the deferred calls.
    pub(super) fn send_deferred_calls(&mut self) {
        if self.calls.deferred.is_empty() {
            return;
        }
        self.calls.deferred_objects.clear();
        for DeferredCall {
            object,
            target,
            call,
        } in std::mem::take(&mut self.calls.deferred)
        {
            // An object whose snapshot failed does not exist on the clients.
            let shown = self
                .world
                .objects
                .get(object.0)
                .filter(|object| object.is(State::Announced));
            if let Some(replicated) = shown {
                let receivers = self.receivers(replicated, &target);
                self.transmit_call(receivers, &call);
            }
        }
        self.deliver();
    }

    /// Runs the calls of the server on itself. Calls that they queue run the next time.
    pub(super) fn run_local_calls(&mut self) {
        if self.calls.busy || self.calls.local.is_empty() {
            return;
        }
        for _ in 0..self.calls.local.len() {
            match self.calls.local.pop_front() {
                Some(local) if local.sender.is_some() => self.run_local_command(local),
                Some(local) => self.run_local_call(local),
                None => {}
            }
        }
    }

    fn run_local_call(&mut self, local: LocalCall) {
        let LocalCall {
            object,
            place,
            arguments,
            ..
        } = &local;
        let mut reader = read_own(arguments);
        let ran = self.run_reported(*object, place, None, &mut reader);
        match ran {
            // The object is checked out.
            None if self.world.objects.get(object.0).is_some() => self.calls.local.push_back(local),
            Some(Ok(())) if place.is_event() => {
                let event = ReceivedEvent::new(*object, place, Encoding::Compact, arguments);
                self.events.push(ServerEvent::SyncEvent(event));
            }
            Some(Err(Failure::Malformed(error))) => {
                tracing::error!(%object, %error, "a value does not read as it was written");
            }
            _ => {}
        }
    }

    /// Runs a call, and reports a panic.
    pub(super) fn run_reported(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let ran = self.run_unreported(object, place, sender, arguments);
        if let Some(Err(Failure::Panicked(message))) = &ran {
            tracing::error!(%object, call = place.schema.name, message, "a call panicked");
            self.events.push(ServerEvent::CallFailed {
                connection: sender,
                object,
                behaviour: place.name,
                call: place.schema.name,
                message: message.clone(),
            });
        }
        ran
    }

    /// Runs a call on an object. None if the object does not exist or is checked out.
    pub(super) fn run_unreported(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let before = std::mem::replace(&mut self.calls.busy, true);
        let ran = Protocol::run_call(self, object, place, sender, arguments);
        self.calls.busy = before;
        ran
    }

    /// Sends a call to its receivers, behind all earlier bytes.
    fn transmit_call(&mut self, receivers: Receivers, call: &EncodedCall) {
        match receivers {
            Receivers::Deferred => {}
            Receivers::Audience(audience) => {
                // Calls on other channels keep the order too.
                let apart = call.channel != 0;
                if apart {
                    self.deliver();
                }
                let mut outputs = self.visibility.audiences.outputs(audience);
                for segments in outputs.channel(usize::from(call.channel)) {
                    if let Some((message_type, message)) = call.message(Framing::of(segments)) {
                        segments.begin().write_bytes(message);
                        let length = segments.commit();
                        self.stats.count_encoded(*message_type, length);
                    }
                }
                if apart {
                    self.deliver();
                }
            }
            Receivers::Connections(connections) => {
                self.deliver();
                for receiver in &connections {
                    let connection = self.sessions.connections.get(receiver.0);
                    let message = connection.and_then(|known| call.message(known.framing));
                    if let Some((_, message)) = message {
                        self.send_chunks(call.channel, *receiver, std::slice::from_ref(message));
                    }
                }
                for (message_type, message) in [&call.unet, &call.compact].into_iter().flatten() {
                    self.stats.count_encoded(*message_type, message.len());
                }
            }
        }
    }
}

/// Reads arguments written in this process, without limits.
pub(super) fn read_own(arguments: &[u8]) -> NetworkReader<'_> {
    NetworkReader::with_encoding(arguments, Encoding::Compact).with_budget(ReadBudget::UNLIMITED)
}

impl EncodedCall {
    fn message(&self, framing: Framing) -> Option<&(MessageType, Bytes)> {
        match framing {
            Framing::Unet => self.unet.as_ref(),
            Framing::Compact => self.compact.as_ref(),
        }
    }
}
