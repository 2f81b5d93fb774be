//! Calls of clients: whom one goes to, and when it is written.
//!
//! A call on an object that its observers have is written at once, behind whatever was written before;
//! one on an object that is about to be shown to somebody, or hidden, waits until that has been said.

mod outgoing;
mod target;

use crate::{Encoding, RpcSender};
use std::collections::VecDeque;

use bytes::Bytes;
use rustc_hash::FxHashSet;

use super::{NetworkServer, ServerEvent};
use crate::ConnectionId;
use crate::call::{CallPlace, Class, Failure, run};
use crate::lend::Lends;
use crate::{
    Framing, MessageType, NetId, NetworkCalls, NetworkReader, NetworkWriter, ReceivedEvent, Target,
};
use outgoing::Outgoing;
use target::Receivers;

/// Calls that wait, and memory for those that are being written.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls on objects that are about to be shown or hidden, oldest first.
    kept: Vec<Kept>,
    /// The objects that these are on.
    kept_objects: FxHashSet<NetId>,
    /// Calls of the server on itself, and of the local client, that wait for the one under way to end.
    pub(super) local: VecDeque<Local>,
    /// Whether one is under way.
    busy: bool,
    /// The call that is being written.
    outgoing: Option<Outgoing>,
    /// For payloads, in `Unet` and in `Compact`.
    writers: [NetworkWriter; 2],
    /// For whole messages.
    messages: NetworkWriter,
}

/// A call that waits until its object has been shown.
#[derive(Debug)]
struct Kept {
    object: NetId,
    target: Target,
    call: Written,
}

/// A call that goes no way at all.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) object: NetId,
    pub(super) place: CallPlace,
    /// The local client, if it is a command of that; otherwise the server calls itself.
    pub(super) sender: Option<ConnectionId>,
    pub(super) arguments: Bytes,
}

/// A call as whole messages, in the dialects that are spoken by those it is for.
#[derive(Clone, Debug)]
struct Written {
    channel: u8,
    unet: Option<(MessageType, Bytes)>,
    compact: Option<(MessageType, Bytes)>,
}

impl NetworkServer {
    /// Calls clients: what is returned has a method for every `#[client_rpc]`, `#[target_rpc]` and
    /// `#[sync_event]` of `B`, on the first behaviour of the object that is a `B` or has it as its
    /// base.
    ///
    /// A call on an object that its observers have is on its way at once: it does not wait for the
    /// next [`update`](Self::update), and comes before the changes of fields that were made before it
    /// and have not been sent. A call on an object that nobody has been told of yet, or that is about
    /// to be shown or hidden, comes after that, with the next update, and to those who observe the
    /// object then. Who begins to observe an object later is not given past calls: what they are to
    /// know is a field. On a [host](Self::connect_local) the local client observes objects, too.
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Rpcs<'_> {
        self.calls_of::<B>(id, None)
    }

    /// The same on the behaviour at a position, for objects with two behaviours of one type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Rpcs<'_> {
        self.calls_of::<B>(id, Some(index))
    }

    fn calls_of<B: NetworkCalls>(&mut self, object: NetId, at: Option<usize>) -> B::Rpcs<'_> {
        const { crate::assert_calls_known::<B>() }
        B::rpcs(RpcSender::through(self, object, Class::of::<B>(at)))
    }

    /// Writes the calls that have waited for their objects to be shown or hidden.
    pub(super) fn send_kept_calls(&mut self) {
        if self.calls.kept.is_empty() {
            return;
        }
        self.calls.kept_objects.clear();
        for Kept {
            object,
            target,
            call,
        } in std::mem::take(&mut self.calls.kept)
        {
            // One that could not be written is not there to be called.
            let shown = self.objects.get(object.0).filter(|object| object.announced);
            if let Some(spawned) = shown {
                let receivers = self.receivers(spawned, &target);
                self.transmit_call(receivers, &call);
            }
        }
        self.deliver();
    }

    /// An object is gone: so are the calls on it that wait.
    pub(super) fn forget_calls(&mut self, id: NetId) {
        if self.calls.kept_objects.remove(&id) {
            self.calls.kept.retain(|kept| kept.object != id);
        }
        self.calls.local.retain(|local| local.object != id);
    }

    /// Whether no call waits.
    pub(super) fn has_no_calls(&self) -> bool {
        self.calls.kept.is_empty() && self.calls.local.is_empty()
    }

    /// Runs the calls of the server on itself. What they call in turn waits for the next time.
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

    fn run_local_call(&mut self, local: Local) {
        let Local {
            object,
            place,
            arguments,
            ..
        } = &local;
        let mut reader = read_own(arguments);
        let ran = self.run_call(*object, place, None, &mut reader);
        match ran {
            // It is being called by somebody else.
            None if self.objects.get(object.0).is_some() => self.calls.local.push_back(local),
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

    /// As [`run_unreported`](Self::run_unreported); a panic is reported.
    pub(super) fn run_call(
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

    /// Runs a call on an object of the server's. None if the object is not there, or in somebody else's
    /// hands.
    pub(super) fn run_unreported(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let before = std::mem::replace(&mut self.calls.busy, true);
        let ran = self.lend(object, |slots, server| {
            run(slots, (object, place), server, sender, arguments)
        });
        self.calls.busy = before;
        ran
    }

    /// Puts a call behind whatever waits for those whom it goes to.
    fn transmit_call(&mut self, receivers: Receivers, call: &Written) {
        match receivers {
            Receivers::Later => {}
            Receivers::Audience(audience) => {
                // What was written before is sent before, whatever the channel.
                let apart = call.channel != 0;
                if apart {
                    self.deliver();
                }
                let mut outputs = self.audiences.outputs(audience);
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
            Receivers::Some(connections) => {
                self.deliver();
                for receiver in &connections {
                    let connection = self.connections.get(receiver.0);
                    let message = connection.and_then(|known| call.message(known.framing));
                    if let Some((_, message)) = message {
                        self.push_on(call.channel, *receiver, std::slice::from_ref(message));
                    }
                }
                for (message_type, message) in [&call.unet, &call.compact].into_iter().flatten() {
                    self.stats.count_encoded(*message_type, message.len());
                }
            }
        }
    }
}

/// Reads what was written in this very process: there is no limit to it.
pub(super) fn read_own(arguments: &[u8]) -> NetworkReader<'_> {
    NetworkReader::with_encoding(arguments, Encoding::Compact).with_max_elements(usize::MAX)
}

impl Written {
    fn message(&self, framing: Framing) -> Option<&(MessageType, Bytes)> {
        match framing {
            Framing::Unet => self.unet.as_ref(),
            Framing::Compact => self.compact.as_ref(),
        }
    }
}
