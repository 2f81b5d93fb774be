//! Calls of a host: what the server calls on the local client runs with the next update, and what the
//! local client calls on the server at once. Both are the same object, and nothing is sent.

use bytes::Bytes;

use crate::ConnectionId;
use crate::call::{CallPlace, Class, Failure};
use crate::server::NetworkServer;
use crate::server::call::{Local, read_own};
use crate::{
    CallError, ClientEvent, CommandRefusal, Encoding, NetId, NetworkCalls, ReceivedEvent, Target,
};
use crate::{CallFailure, CommandSender};

/// A call of the server on the local client.
#[derive(Debug)]
pub(super) struct LocalRpc {
    pub(super) object: NetId,
    /// Who is called, where that is to be found out when the object has been shown.
    target: Option<Target>,
    place: CallPlace,
    arguments: Bytes,
}

impl NetworkServer {
    /// Calls the server as the local client does: what is returned has a method for every `#[command]` of
    /// `B`, as [`NetworkClient::calls`](crate::NetworkClient::calls) has on another client.
    ///
    /// The command runs at once, on the server's own object, with the connection of the local client as
    /// [`sender`](crate::CallContext::sender). That must see the object, and own it where the command
    /// says so; it may call as often as it likes. A command on an object that is being called at that
    /// moment runs after that. If it panics, that is
    /// [`ServerEvent::CallFailed`](crate::ServerEvent::CallFailed).
    pub fn local_calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Commands<'_> {
        self.local_calls_of::<B>(id, None)
    }

    /// The same on the behaviour at a position, for objects with two behaviours of one type.
    pub fn local_calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Commands<'_> {
        self.local_calls_of::<B>(id, Some(index))
    }

    fn local_calls_of<B: NetworkCalls>(
        &mut self,
        object: NetId,
        at: Option<usize>,
    ) -> B::Commands<'_> {
        const { crate::assert_calls_known::<B>() }
        B::commands(CommandSender::through(self, object, Class::of::<B>(at)))
    }

    /// Which command is meant, and whether the local client may call it.
    pub(crate) fn plan_local_command(
        &self,
        object: NetId,
        class: Class,
        number: u32,
    ) -> Result<CallPlace, CallError> {
        let host = self.host.as_ref().ok_or(CallError::NotConnected)?;
        let spawned = self.objects.get(object.0);
        let spawned = spawned.filter(|_| host.known.contains(&object));
        let spawned = spawned.ok_or(CallError::UnknownObject(object))?;
        let prefab = self.pools.prefab(spawned.at.pool);
        let place = self.prefabs.declared_call(prefab, object, class, number)?;
        if place.schema.requires_ownership && spawned.owner != Some(host.connection) {
            return Err(CallError::NotOwner(object));
        }
        Ok(place)
    }

    /// Runs a command of the local client, and what it calls on the server in turn.
    pub(crate) fn call_locally(&mut self, object: NetId, place: CallPlace, arguments: Bytes) {
        let sender = self.host.as_ref().map(|host| host.connection);
        self.run_local_command(Local {
            object,
            place,
            sender,
            arguments,
        });
        self.run_local_calls();
    }

    /// Runs a command of the local client, unless it has left or may not call it any more.
    pub(in crate::server) fn run_local_command(&mut self, command: Local) {
        let (object, place) = (command.object, command.place);
        let Some(from) = command.sender.filter(|sender| self.is_local(*sender)) else {
            return;
        };
        let refusal = if place.schema.requires_ownership && self.owner(object) != Some(from) {
            CommandRefusal::NotOwner
        } else {
            let mut arguments = read_own(&command.arguments);
            match self.run_call(object, &place, Some(from), &mut arguments) {
                None if self.objects.get(object.0).is_some() => {
                    return self.calls.local.push_back(command);
                }
                None => CommandRefusal::UnknownObject,
                Some(Err(Failure::Malformed(error))) => CommandRefusal::Malformed(error),
                Some(Ok(()) | Err(Failure::Panicked(_))) => return,
            }
        };
        self.refuse_command(from, object, Some(&place), refusal);
    }

    /// Whether a call goes to the local client, as far as it sees the object.
    pub(in crate::server) fn includes_local(
        &self,
        owner: Option<ConnectionId>,
        target: &Target,
    ) -> bool {
        let Some(host) = &self.host else {
            return false;
        };
        target.includes(host.connection, owner)
    }

    /// Has something called on the local client, with the next update.
    pub(in crate::server) fn queue_for_local(
        &mut self,
        object: NetId,
        target: Option<Target>,
        place: CallPlace,
        arguments: Bytes,
    ) {
        if let Some(host) = &mut self.host {
            host.calls.push_back(LocalRpc {
                object,
                target,
                place,
                arguments,
            });
        }
    }

    /// Runs what the server has called on the local client. What that calls on it in turn runs with the
    /// next update; it may also end the local client.
    pub(super) fn run_calls_for_local(&mut self) {
        let waiting = self.host.as_ref().map_or(0, |host| host.calls.len());
        for _ in 0..waiting {
            let call = self.host.as_mut().and_then(|host| host.calls.pop_front());
            if let Some(call) = call {
                self.run_call_for_local(call);
            }
        }
        self.run_local_calls();
    }

    fn run_call_for_local(&mut self, call: LocalRpc) {
        let (object, place) = (call.object, call.place);
        let is_meant = |target: &Target| self.includes_local(self.owner(object), target);
        if !self.is_seen_locally(object) || !call.target.as_ref().is_none_or(is_meant) {
            return;
        }
        let mut arguments = read_own(&call.arguments);
        let ran = self.run_unreported(object, &place, None, &mut arguments);
        let Some(host) = &mut self.host else {
            return;
        };
        let message = match ran {
            // It is being called this very moment.
            None => return host.calls.push_back(call),
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
