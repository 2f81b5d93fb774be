//! Calls of the server on clients: receivers, encoding and order.
//!
//! A call on an announced object is written at once, behind all earlier bytes. A call on an object
//! with a pending view change is deferred until that change is sent.

pub(super) mod commands;
pub(super) mod outgoing;
mod refusals;
pub(super) mod target;
mod transmit;

use std::collections::VecDeque;

use bytes::Bytes;
use rustc_hash::FxHashSet;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::unstable::call::{CallPlace, Failure};
use syncvar_runtime::{ConnectionId, Encoding, NetId, NetworkReader, NetworkWriter, Target};

use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::{Framing, MessageType};
use outgoing::OutgoingCall;
use refusals::Refusals;

/// Deferred calls, and reused buffers.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Calls on objects with a pending view change.
    deferred: CallList,
    /// Calls behind the state of a frame, until the next one.
    behind_state: CallList,
    /// Calls of the server on itself and commands of the local client, deferred by the call under
    /// way.
    pub(crate) local: VecDeque<LocalCall>,
    /// The call whose arguments are being written.
    pub(crate) outgoing: Option<OutgoingCall>,
    /// Whether a call is under way.
    pub(crate) is_running: bool,
    pub(crate) refusals: Refusals,
    /// Writers for payloads, in `Unet` and in `Compact`.
    pub(crate) writers: [NetworkWriter; 2],
    /// Writer for whole messages.
    pub(crate) messages: NetworkWriter,
}

/// Deferred calls, oldest first.
#[derive(Debug, Default)]
struct CallList {
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

    /// Defers a call until its object is shown, or until the next frame.
    fn push_deferred(&mut self, call: DeferredCall, behind_state: bool) {
        let list = if behind_state {
            &mut self.behind_state
        } else {
            &mut self.deferred
        };
        list.push(call);
    }

    /// Takes the deferred calls. Those behind the state wait for an update with a frame: before it, the changes
    /// that precede them are not sent.
    pub(crate) fn take_deferred(&mut self, has_frame: bool) -> Vec<DeferredCall> {
        let mut calls = self.deferred.take();
        if has_frame {
            calls.append(&mut self.behind_state.take());
        }
        calls
    }

    /// Returns whether no call waits.
    pub(crate) fn is_idle(&self) -> bool {
        let calls = [&self.deferred, &self.behind_state];
        calls.iter().all(|list| list.calls.is_empty()) && self.local.is_empty()
    }
}

/// Reads arguments written in this process, without limits.
pub(crate) fn read_arguments(arguments: &[u8]) -> NetworkReader<'_> {
    NetworkReader::with_encoding(arguments, Encoding::Compact).with_budget(ReadBudget::UNLIMITED)
}

/// Reports the panic of a call.
pub(crate) fn report_panic(
    context: &mut Context,
    object: NetId,
    place: &CallPlace,
    sender: Option<ConnectionId>,
    ran: Option<&Result<(), Failure>>,
) {
    if let Some(Err(Failure::Panicked(message))) = ran {
        tracing::error!(%object, call = place.schema.name, message, "a call panicked");
        context.events.push(ServerEvent::CallFailed {
            connection: sender,
            object,
            behaviour: place.name,
            call: place.schema.name,
            message: message.clone(),
        });
    }
}

impl EncodedCall {
    pub(crate) fn message(&self, framing: Framing) -> Option<&(MessageType, Bytes)> {
        match framing {
            Framing::Unet => self.unet.as_ref(),
            Framing::Compact => self.compact.as_ref(),
        }
    }
}
