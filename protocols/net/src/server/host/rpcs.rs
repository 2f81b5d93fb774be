//! Calls on the local client, and its commands.

use bytes::Bytes;
use syncvar_runtime::unstable::call::{CallPlace, Class, Failure};
use syncvar_runtime::{CallError, CallFailure, Encoding, NetId, ReceivedEvent, Target};

use crate::ClientEvent;
use crate::server::host::Host;
use crate::server::objects::Objects;

/// A call of the server on the local client.
#[derive(Debug)]
pub(crate) struct LocalRpc {
    pub(crate) object: NetId,
    /// Target to check after the object is shown.
    pub(crate) target: Option<Target>,
    pub(crate) place: CallPlace,
    pub(crate) arguments: Bytes,
}

impl Host {
    /// Finds a command, and checks that the local client may call it.
    pub(crate) fn find_command(
        &self,
        objects: &Objects,
        object: NetId,
        class: Class,
        number: u32,
    ) -> Result<CallPlace, CallError> {
        let replicated = objects.world.objects.get(object.0);
        let replicated = replicated.filter(|_| self.known.contains(object));
        let replicated = replicated.ok_or(CallError::UnknownObject(object))?;
        let place = objects.world.declared_call(object, class, number)?;
        if place.schema.requires_ownership && replicated.owner != Some(self.connection) {
            return Err(CallError::NotOwner(object));
        }
        Ok(place)
    }

    /// Queues a call for the next update.
    pub(crate) fn queue_rpc(
        &mut self,
        object: NetId,
        target: Option<Target>,
        place: CallPlace,
        arguments: Bytes,
    ) {
        self.rpcs.push_back(LocalRpc {
            object,
            target,
            place,
            arguments,
        });
    }

    /// Takes the next call that the local client still receives. `left` is the number of calls to look at.
    pub(crate) fn next_rpc(&mut self, objects: &Objects, left: &mut usize) -> Option<LocalRpc> {
        while *left > 0 {
            *left -= 1;
            let call = self.rpcs.pop_front()?;
            let owner = objects.owner(call.object);
            let is_meant = |target: &Target| target.includes(self.connection, owner);
            if self.known.contains(call.object) && call.target.as_ref().is_none_or(is_meant) {
                return Some(call);
            }
        }
        None
    }

    /// Reports the result of a call. A call on an object that is checked out runs later.
    pub(crate) fn report_rpc(&mut self, call: LocalRpc, ran: Option<Result<(), Failure>>) {
        let (object, place) = (call.object, call.place);
        let message = match ran {
            // The object is checked out.
            None => return self.rpcs.push_back(call),
            Some(Ok(())) => {
                if place.is_event() {
                    let encoding = Encoding::Compact;
                    let event = ReceivedEvent::new(object, &place, encoding, &call.arguments);
                    self.push_event(ClientEvent::SyncEvent(event));
                }
                return;
            }
            Some(Err(Failure::Panicked(message))) => message,
            Some(Err(Failure::Malformed(error))) => error.to_string(),
        };
        tracing::error!(%object, call = place.schema.name, message, "a call failed");
        let failure = CallFailure::new(object, &place, message);
        self.push_event(ClientEvent::CallFailed(Box::new(failure)));
    }
}
