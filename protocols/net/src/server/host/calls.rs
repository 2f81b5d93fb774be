//! Calls of a host. Calls on the local client run with the next update, calls on the server at
//! once. Both run on the same object, without bytes.

use bytes::Bytes;
use syncvar_runtime::call::{CallPlace, Class, Failure};
use syncvar_runtime::{
    CallError, CallFailure, Callbacks, Called, CommandRefusal, ConnectionId, Encoding, NetId,
    ReceivedEvent, Target,
};

use crate::ClientEvent;
use crate::server::NetworkServer;
use crate::server::calls::{LocalCall, read_own};

/// A call of the server on the local client.
#[derive(Debug)]
pub(crate) struct LocalRpc {
    pub(crate) object: NetId,
    /// Target to check after the object is shown.
    pub(crate) target: Option<Target>,
    pub(crate) place: CallPlace,
    pub(crate) arguments: Bytes,
}

impl NetworkServer {
    /// Finds a command, and checks that the local client may call it.
    pub(crate) fn plan_local_command(
        &self,
        object: NetId,
        class: Class,
        number: u32,
    ) -> Result<CallPlace, CallError> {
        let host = self.host.as_ref().ok_or(CallError::NotConnected)?;
        let replicated = self.objects.world.objects.get(object.0);
        let replicated = replicated.filter(|_| host.known.contains(object));
        let replicated = replicated.ok_or(CallError::UnknownObject(object))?;
        let prefab = self.objects.world.pools.prefab(replicated.at.pool);
        let place = self
            .objects
            .world
            .prefabs
            .declared_call(prefab, object, class, number)?;
        if place.schema.requires_ownership && replicated.owner != Some(host.connection) {
            return Err(CallError::NotOwner(object));
        }
        Ok(place)
    }

    /// Runs a command of the local client, then the calls that it queued on the server.
    pub(crate) fn call_locally(&mut self, object: NetId, place: CallPlace, arguments: Bytes) {
        let sender = self.host.as_ref().map(|host| host.connection);
        self.run_local_command(LocalCall {
            object,
            place,
            sender,
            arguments,
        });
        self.run_local_calls();
    }

    /// Runs a command of the local client, unless it left or lost permission.
    pub(crate) fn run_local_command(&mut self, command: LocalCall) {
        let (object, place) = (command.object, command.place);
        let Some(from) = command.sender.filter(|sender| self.is_local(*sender)) else {
            return;
        };
        let refusal = if place.schema.requires_ownership && self.owner(object) != Some(from) {
            CommandRefusal::NotOwner
        } else {
            let mut arguments = read_own(&command.arguments);
            match self.run_reported(object, &place, Some(from), &mut arguments) {
                None if self.objects.world.objects.get(object.0).is_some() => {
                    return self.calls.local.push_back(command);
                }
                None => CommandRefusal::UnknownObject,
                Some(Err(Failure::Malformed(error))) => CommandRefusal::Malformed(error),
                Some(Ok(()) | Err(Failure::Panicked(_))) => return,
            }
        };
        self.refuse_command(from, object, Some(&place), refusal);
    }

    /// Returns whether a target includes the local client.
    pub(crate) fn includes_local(&self, owner: Option<ConnectionId>, target: &Target) -> bool {
        let Some(host) = &self.host else {
            return false;
        };
        target.includes(host.connection, owner)
    }

    /// Queues a call on the local client for the next update.
    pub(crate) fn queue_local_rpc(
        &mut self,
        object: NetId,
        target: Option<Target>,
        place: CallPlace,
        arguments: Bytes,
    ) {
        if let Some(host) = &mut self.host {
            host.rpcs.push_back(LocalRpc {
                object,
                target,
                place,
                arguments,
            });
        }
    }

    /// Runs the queued calls on the local client. Calls that they queue run with the next update. A
    /// call may disconnect the local client.
    pub(crate) fn run_local_rpcs(&mut self) {
        let waiting = self.host.as_ref().map_or(0, |host| host.rpcs.len());
        for _ in 0..waiting {
            let call = self.host.as_mut().and_then(|host| host.rpcs.pop_front());
            if let Some(call) = call {
                self.run_local_rpc(call);
            }
        }
        self.run_local_calls();
    }

    pub(crate) fn run_local_rpc(&mut self, call: LocalRpc) {
        let (object, place) = (call.object, call.place);
        let is_meant = |target: &Target| self.includes_local(self.owner(object), target);
        if !self.is_seen_locally(object) || !call.target.as_ref().is_none_or(is_meant) {
            return;
        }
        let mut arguments = read_own(&call.arguments);
        if self.objects.world.callbacks == Callbacks::Events && !place.is_event() {
            let called = Called::new(object, &place, None, &arguments);
            if let Some(host) = &mut self.host {
                host.events.push(ClientEvent::Called(called));
            }
            return;
        }
        let ran = self.run_unreported(object, &place, None, &mut arguments);
        let Some(host) = &mut self.host else {
            return;
        };
        let message = match ran {
            // The object is checked out.
            None => return host.rpcs.push_back(call),
            Some(Ok(())) => {
                if place.is_event() {
                    let encoding = Encoding::Compact;
                    let event = ReceivedEvent::new(object, &place, encoding, &call.arguments);
                    host.events.push(ClientEvent::SyncEvent(event));
                }
                return;
            }
            Some(Err(Failure::Panicked(message))) => message,
            Some(Err(Failure::Malformed(error))) => error.to_string(),
        };
        tracing::error!(%object, call = place.schema.name, message, "a call failed");
        let failure = CallFailure::new(object, &place, message);
        host.events.push(ClientEvent::CallFailed(Box::new(failure)));
    }
}
