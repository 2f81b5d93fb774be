//! Remote calls to clients.

mod shared;

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::call::{CallPlace, CallRequest, CallRouter, Class, Failure, RoutedCall};
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::world::CheckOut;
use syncvar_runtime::{
    CallError, Channel, ConnectionId, Encoding, NetId, NetworkCalls, NetworkReader, NetworkWriter,
    RpcSender, Target, WriteErrorKind,
};

use shared::SharedCalls;

use super::replication::encode::{write_head, write_segment_size};
use super::stats::count;
use super::{MirrorServer, MirrorServerEvent};
use crate::message::{NetworkMessage, RpcMessage};

/// Queued calls, and memory for new ones.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls of the server on itself, oldest first.
    local: VecDeque<LocalCall>,
    /// One of them is running.
    is_running: bool,
    /// Memory for arguments.
    spare: Option<NetworkWriter>,
    shared: SharedCalls,
}

/// A call of the server on itself.
#[derive(Debug)]
struct LocalCall {
    object: NetId,
    place: CallPlace,
    arguments: Bytes,
}

impl Calls {
    /// Drops the calls on a despawned object.
    pub(super) fn remove_object(&mut self, id: NetId) {
        self.local.retain(|local| local.object != id);
    }
}

impl MirrorServer {
    /// Calls clients: the result has a method for every `#[client_rpc]` and `#[target_rpc]` of `B`,
    /// on the first behaviour of the object that is or derives from `B`.
    ///
    /// A call is queued at once for the observers of the object, before unsent field changes. Later
    /// observers do not receive past calls. Mirror has no events: raising one is
    /// [`CallError::NoSuchBehaviour`].
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Rpcs<'_> {
        B::rpcs(RpcSender::through(self, id, Class::of::<B>(None)))
    }

    /// Like [`calls`](Self::calls) for the behaviour at a position, for objects with two behaviours
    /// of one type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Rpcs<'_> {
        B::rpcs(RpcSender::through(self, id, Class::of::<B>(Some(index))))
    }

    /// Checks that the named connections observe the object.
    fn check_target(&self, object: NetId, target: &Target) -> Result<(), CallError> {
        let owner = self.owner(object);
        let named: &[ConnectionId] = match target {
            Target::Owner => owner.as_slice(),
            Target::One(connection) => std::slice::from_ref(connection),
            Target::Set(connections) => connections,
            _ => &[],
        };
        if *target == Target::Owner && named.is_empty() {
            return Err(CallError::NoOwner(object));
        }
        match named.iter().find(|it| !self.is_observer(object, **it)) {
            Some(connection) => Err(CallError::NotObserved {
                object,
                connection: *connection,
            }),
            None => Ok(()),
        }
    }

    /// Returns the observers selected by a target.
    fn receivers(&self, object: NetId, target: &Target) -> Vec<ConnectionId> {
        let observers = || self.observers(object);
        let but = |left_out: Option<ConnectionId>| {
            let others = observers().filter(move |it| Some(*it) != left_out);
            others.collect()
        };
        match target {
            Target::Observers | Target::Everyone => observers().collect(),
            Target::NotOwner => but(self.owner(object)),
            Target::AllBut(connection) => but(Some(*connection)),
            Target::Owner => self.owner(object).into_iter().collect(),
            Target::One(connection) => vec![*connection],
            Target::Set(connections) => {
                let named = |it: &ConnectionId| connections.contains(it);
                observers().filter(named).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Runs the calls of the server on itself.
    pub(super) fn run_local_calls(&mut self) {
        if self.world.checked_out.depth() > 0 || std::mem::replace(&mut self.calls.is_running, true)
        {
            return;
        }
        for _ in 0..self.calls.local.len() {
            let Some(local) = self.calls.local.pop_front() else {
                break;
            };
            let mut arguments = NetworkReader::with_encoding(&local.arguments, Encoding::Mirror)
                .with_budget(ReadBudget::UNLIMITED);
            let ran = self.run_reported_call(local.object, &local.place, None, &mut arguments);
            if let Some(Err(Failure::Malformed(error))) = ran {
                let object = local.object;
                tracing::error!(%object, %error, "an argument reads differently than written");
            }
        }
        self.calls.is_running = false;
    }

    /// Runs a call on an object. `None` if the object is unknown or checked out.
    pub(super) fn run_reported_call(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let ran = CheckOut::run_call(self, object, place, sender, arguments);
        if let Some(Err(Failure::Panicked(message))) = &ran {
            tracing::error!(%object, call = place.schema.name, message, "a call panicked");
            self.events.push(MirrorServerEvent::CallFailed {
                connection: sender,
                object,
                behaviour: place.name,
                call: place.schema.name,
                message: message.clone(),
            });
        }
        ran
    }
}

impl CallRouter for MirrorServer {
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError> {
        let CallRequest {
            object,
            class,
            number,
            direction,
        } = request;
        let found = self.world.objects.get(object.0);
        let found = found.ok_or(CallError::UnknownObject(object))?;
        let no_such = CallError::NoSuchBehaviour {
            object,
            behaviour: class.name,
        };
        let entry = self.prefabs.get(found.prefab);
        let place = entry.and_then(|entry| {
            let place = entry.declared_call(class, number)?;
            entry.name_of(&place).map(|_| place)
        });
        let place = place.ok_or(no_such)?;
        if place.schema.channel > 1 {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let target = direction.target().unwrap_or_else(|| place.schema.target());
        self.check_target(object, &target)?;
        let spare = self.calls.spare.take();
        let writer = spare.unwrap_or_else(|| NetworkWriter::with_encoding(Encoding::Mirror));
        Ok(RoutedCall {
            object,
            place,
            target,
            writers: [writer].into_iter().collect(),
        })
    }

    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError> {
        let RoutedCall {
            object,
            place,
            target,
            writers,
        } = call;
        let mut writer = writers.into_iter().next().unwrap_or_default();
        let name = self.entry(object).and_then(|entry| entry.name_of(&place));
        let (component, hash) = name.ok_or(CallError::UnknownObject(object))?;
        let channel = match place.schema.channel {
            0 => Channel::Reliable,
            _ => Channel::Unreliable,
        };
        let head = &mut self.replication.scratch.head;
        write_head(head, RpcMessage::ID, object);
        head.write_u8(component);
        head.write_u16(hash);
        write_segment_size(head, writer.len());
        if target == Target::Observers && self.share_call(object, channel, writer.as_bytes()) {
            writer.truncate(0);
            self.calls.spare = Some(writer);
            return Ok(());
        }
        self.send_shared_calls();
        let length = self.replication.scratch.head.len() + writer.len();
        let receivers = self.receivers(object, &target);
        let mut longest = usize::MAX;
        for receiver in &receivers {
            if let Some(client) = self.sessions.get(*receiver) {
                longest = longest.min(client.outbox.longest(channel));
            }
        }
        if length > longest {
            writer.fail(WriteErrorKind::Custom(
                "the call is longer than the transport carries",
            ));
            if let Some(error) = writer.take_error() {
                return Err(error.into());
            }
        }
        for receiver in receivers {
            if let Some(client) = self.sessions.get_mut(receiver) {
                let parts = [self.replication.scratch.head.as_bytes(), writer.as_bytes()];
                client.outbox.send(channel, self.clock.now(), &parts);
                count(&mut self.stats.calls, length);
            }
        }
        if target == Target::Everyone {
            let arguments = Bytes::copy_from_slice(writer.as_bytes());
            self.calls.local.push_back(LocalCall {
                object,
                place,
                arguments,
            });
        }
        writer.truncate(0);
        self.calls.spare = Some(writer);
        self.run_local_calls();
        Ok(())
    }
}
