//! Calls of the server on clients: receivers, encoding and order.
//!
//! A call on an announced object is written at once, behind all earlier bytes. A call on an object
//! with a pending view change is deferred until that change is sent.

pub(super) mod outgoing;
pub(super) mod target;

use std::collections::VecDeque;

use bytes::Bytes;
use outgoing::Outgoing;
use rustc_hash::FxHashSet;
use syncvar_runtime::call::{CallPlace, Failure};
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::world::CheckOut;
use syncvar_runtime::{
    ConnectionId, Encoding, NetId, NetworkReader, NetworkWriter, ReceivedEvent, Target,
};
use target::Receivers;

use crate::server::objects::replicated::State;
use crate::server::{NetworkServer, ServerEvent};
use crate::{Framing, MessageType};

/// Deferred calls, and reused buffers.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Calls on objects with a pending view change.
    pub(crate) deferred: CallList,
    /// Calls behind the state of a frame, until the next one.
    pub(crate) behind_state: CallList,
    /// Calls of the server on itself and commands of the local client, deferred by the call under
    /// way.
    pub(crate) local: VecDeque<LocalCall>,
    /// The call whose arguments are being written.
    pub(crate) outgoing: Option<Outgoing>,
    /// Whether a call is under way.
    pub(crate) busy: bool,
    /// Writers for payloads, in `Unet` and in `Compact`.
    pub(crate) writers: [NetworkWriter; 2],
    /// Writer for whole messages.
    pub(crate) messages: NetworkWriter,
}

/// Deferred calls, oldest first.
#[derive(Debug, Default)]
pub(crate) struct CallList {
    pub(crate) calls: Vec<DeferredCall>,
    /// Their objects.
    pub(crate) objects: FxHashSet<NetId>,
}

impl CallList {
    fn push(&mut self, call: DeferredCall) {
        self.objects.insert(call.object);
        self.calls.push(call);
    }

    /// Returns whether a call on an object is deferred.
    fn contains(&self, object: NetId) -> bool {
        !self.calls.is_empty() && self.objects.contains(&object)
    }

    fn remove_object(&mut self, object: NetId) {
        if self.objects.remove(&object) {
            self.calls.retain(|call| call.object != object);
        }
    }

    fn take(&mut self) -> Vec<DeferredCall> {
        self.objects.clear();
        std::mem::take(&mut self.calls)
    }
}

/// A call deferred until its object is shown, or until a frame.
#[derive(Debug)]
pub(crate) struct DeferredCall {
    pub(crate) object: NetId,
    pub(crate) target: Target,
    pub(crate) call: EncodedCall,
}

/// A call within this process.
#[derive(Debug)]
pub(crate) struct LocalCall {
    pub(crate) object: NetId,
    pub(crate) place: CallPlace,
    /// The local client for a command. None for a call of the server on itself.
    pub(crate) sender: Option<ConnectionId>,
    pub(crate) arguments: Bytes,
}

/// A call as whole messages, in the framings of its receivers.
#[derive(Clone, Debug)]
pub(crate) struct EncodedCall {
    pub(crate) channel: u8,
    pub(crate) unet: Option<(MessageType, Bytes)>,
    pub(crate) compact: Option<(MessageType, Bytes)>,
}

impl Calls {
    /// Removes the waiting calls of an object.
    pub(crate) fn remove_object(&mut self, id: NetId) {
        self.deferred.remove_object(id);
        self.behind_state.remove_object(id);
        self.local.retain(|call| call.object != id);
    }

    /// Returns whether no call waits.
    pub(crate) fn is_idle(&self) -> bool {
        let calls = [&self.deferred, &self.behind_state];
        calls.iter().all(|list| list.calls.is_empty()) && self.local.is_empty()
    }
}

impl NetworkServer {
    /// Sends the deferred calls. Those behind the state wait for an update with a frame: before it, the changes that
    /// precede them are not sent.
    pub(crate) fn send_deferred_calls(&mut self, has_frame: bool) {
        let mut calls = self.calls.deferred.take();
        if has_frame {
            calls.append(&mut self.calls.behind_state.take());
        }
        if calls.is_empty() {
            return;
        }
        for DeferredCall {
            object,
            target,
            call,
        } in calls
        {
            // An object whose snapshot failed does not exist on the clients.
            let shown = self
                .objects
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
    pub(crate) fn run_local_calls(&mut self) {
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

    pub(crate) fn run_local_call(&mut self, local: LocalCall) {
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
            None if self.objects.world.objects.get(object.0).is_some() => {
                self.calls.local.push_back(local);
            }
            Some(Ok(())) if place.is_event() => {
                let event = ReceivedEvent::new(*object, place, Encoding::Compact, arguments);
                self.context.events.push(ServerEvent::SyncEvent(event));
            }
            Some(Err(Failure::Malformed(error))) => {
                tracing::error!(%object, %error, "a value does not read as it was written");
            }
            _ => {}
        }
    }

    /// Runs a call, and reports a panic.
    pub(crate) fn run_reported(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let ran = self.run_unreported(object, place, sender, arguments);
        if let Some(Err(Failure::Panicked(message))) = &ran {
            tracing::error!(%object, call = place.schema.name, message, "a call panicked");
            self.context.events.push(ServerEvent::CallFailed {
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
    pub(crate) fn run_unreported(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let before = std::mem::replace(&mut self.calls.busy, true);
        let ran = CheckOut::run_call(self, object, place, sender, arguments);
        self.calls.busy = before;
        ran
    }

    /// Sends a call to its receivers, behind all earlier bytes.
    pub(crate) fn transmit_call(&mut self, receivers: Receivers, call: &EncodedCall) {
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
                        self.context.stats.count_encoded(*message_type, length);
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
                    self.context
                        .stats
                        .count_encoded(*message_type, message.len());
                }
            }
        }
    }
}

/// Reads arguments written in this process, without limits.
pub(crate) fn read_own(arguments: &[u8]) -> NetworkReader<'_> {
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
