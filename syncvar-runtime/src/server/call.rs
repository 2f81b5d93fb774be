//! Calls of clients: whom one goes to, and when it is written.
//!
//! A call on an object that its observers have is written at once, behind whatever was written before;
//! one on an object that is about to be shown to somebody, or hidden, waits until that has been said.

use std::collections::VecDeque;

use bytes::Bytes;
use rustc_hash::FxHashSet;

use super::audience::{AudienceId, Audiences};
use super::connection::ConnectionState;
use super::spawned::Spawned;
use super::{ConnectionId, NetworkServer, ServerEvent};
use crate::call::{CallPlace, Class, Failure, frame, run, write_header};
use crate::context::Side;
use crate::{
    CallError, Dialect, MessageType, NetId, NetworkCalls, NetworkReader, NetworkWriter,
    ReceivedEvent, Target, WriteError,
};

/// Calls that wait, and memory for those that are being written.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls on objects that are about to be shown or hidden, oldest first.
    kept: Vec<Kept>,
    /// The objects that these are on.
    kept_objects: FxHashSet<NetId>,
    /// Calls of the server on itself that wait for the one under way to end.
    local: VecDeque<Local>,
    /// Whether one is under way.
    busy: bool,
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

/// A call of the server on itself.
#[derive(Debug)]
struct Local {
    object: NetId,
    place: CallPlace,
    arguments: Bytes,
}

/// A call as whole messages, in the dialects that are spoken by those it is for.
#[derive(Clone, Debug)]
struct Written {
    channel: u8,
    unet: Option<(MessageType, Bytes)>,
    compact: Option<(MessageType, Bytes)>,
}

/// Whom a call goes to.
enum Receivers {
    /// Those who observe the object when it has been shown or hidden.
    Later,
    /// All who observe it.
    Audience(AudienceId),
    /// Some of them.
    Some(Vec<ConnectionId>),
}

/// What [`NetworkServer::calls`] makes the methods on; the macro writes a type around it.
#[doc(hidden)]
#[derive(Debug)]
pub struct RpcSender<'call> {
    server: &'call mut NetworkServer,
    object: NetId,
    class: Class,
    target: Option<Target>,
}

/// A call that is being written.
#[doc(hidden)]
pub struct OutgoingRpc<'call> {
    server: &'call mut NetworkServer,
    object: NetId,
    plan: Result<Plan, CallError>,
    /// In `Unet` and in `Compact`, where that is spoken; the second one after a header of so many
    /// bytes.
    payloads: [Option<(MessageType, NetworkWriter)>; 2],
    header: usize,
    given: usize,
}

struct Plan {
    place: CallPlace,
    target: Target,
    receivers: Receivers,
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
    /// know is a field.
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Rpcs<'_> {
        self.calls_of::<B>(id, None)
    }

    /// The same on the behaviour at a position, for objects with two behaviours of one type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Rpcs<'_> {
        self.calls_of::<B>(id, Some(index))
    }

    fn calls_of<B: NetworkCalls>(&mut self, object: NetId, at: Option<usize>) -> B::Rpcs<'_> {
        const { crate::assert_calls_known::<B>() }
        B::rpcs(RpcSender {
            server: self,
            object,
            class: Class::of::<B>(at),
            target: None,
        })
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
            if let Some(local) = self.calls.local.pop_front() {
                self.run_local_call(local);
            }
        }
    }

    fn run_local_call(&mut self, local: Local) {
        let Local {
            object,
            place,
            arguments,
        } = &local;
        let mut reader = NetworkReader::with_dialect(arguments, Dialect::Compact);
        let ran = self.run_call(*object, place, None, &mut reader);
        match ran {
            // It is being called by somebody else.
            None if self.objects.get(object.0).is_some() => self.calls.local.push_back(local),
            Some(Ok(())) if place.is_event() => {
                let event = ReceivedEvent::new(*object, place, Dialect::Compact, arguments);
                self.events.push(ServerEvent::SyncEvent(event));
            }
            Some(Err(Failure::Malformed(error))) => {
                tracing::error!(%object, %error, "a value does not read as it was written");
            }
            _ => {}
        }
    }

    /// Runs a call on an object of the server's; a panic is reported. None if the object is not there,
    /// or in somebody else's hands.
    pub(super) fn run_call(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let before = std::mem::replace(&mut self.calls.busy, true);
        let ran = self.lend(object, |slots, server| {
            run(
                slots,
                (object, place),
                Side::Server(server),
                sender,
                arguments,
            )
        });
        self.calls.busy = before;
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

    fn plan_call(
        &self,
        object: NetId,
        class: Class,
        number: u32,
        target: Option<Target>,
    ) -> Result<Plan, CallError> {
        let spawned = self.objects.get(object.0);
        let spawned = spawned.ok_or(CallError::UnknownObject(object))?;
        let prefab = self.prefabs.get(self.pools.prefab(spawned.at.pool));
        let place = prefab.and_then(|prefab| prefab.calls.declared(class, number));
        let place = place.ok_or(CallError::NoSuchBehaviour {
            object,
            behaviour: class.name,
        })?;
        if usize::from(place.schema.channel) >= self.config.channels.len() {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let target = target.unwrap_or_else(|| place.schema.target());
        let waits = !spawned.announced
            || spawned.moved
            || !self.calls.kept.is_empty() && self.calls.kept_objects.contains(&object);
        self.check_target(object, spawned, &target, waits)?;
        let receivers = if waits {
            Receivers::Later
        } else {
            self.receivers(spawned, &target)
        };
        Ok(Plan {
            place,
            target,
            receivers,
        })
    }

    /// Whether those who are named observe the object, or will as far as is known.
    fn check_target(
        &self,
        object: NetId,
        spawned: &Spawned,
        target: &Target,
        waits: bool,
    ) -> Result<(), CallError> {
        let sees = |connection: ConnectionId| {
            if !waits {
                return self.audiences.get(spawned.audience).observes(connection);
            }
            let state = self.connections.get(connection.0).map(|known| known.state);
            let ready = matches!(
                state,
                Some(ConnectionState::Joining | ConnectionState::Ready)
            );
            ready && self.audiences.admits(spawned.wanted, connection)
        };
        let named: &[ConnectionId] = match target {
            Target::Observers | Target::NotOwner | Target::Everyone | Target::AllBut(_) => &[],
            Target::Owner => spawned.owner.as_slice(),
            Target::One(connection) => std::slice::from_ref(connection),
            Target::Set(connections) => connections,
        };
        if *target == Target::Owner && named.is_empty() {
            return Err(CallError::NoOwner(object));
        }
        match named.iter().find(|connection| !sees(**connection)) {
            Some(connection) => Err(CallError::NotObserved {
                object,
                connection: *connection,
            }),
            None => Ok(()),
        }
    }

    /// Those of a target who observe the object now.
    fn receivers(&self, spawned: &Spawned, target: &Target) -> Receivers {
        let audience = self.audiences.get(spawned.audience);
        let but = |left_out: Option<ConnectionId>| match left_out {
            Some(left_out) if audience.observes(left_out) => {
                Receivers::Some(audience.ready().filter(|c| *c != left_out).collect())
            }
            _ => Receivers::Audience(spawned.audience),
        };
        let only = |mut named: Vec<ConnectionId>| {
            named.sort_unstable();
            named.dedup();
            named.retain(|connection| audience.observes(*connection));
            Receivers::Some(named)
        };
        match target {
            Target::Observers | Target::Everyone => Receivers::Audience(spawned.audience),
            Target::NotOwner => but(spawned.owner),
            Target::AllBut(connection) => but(Some(*connection)),
            Target::Owner => only(spawned.owner.into_iter().collect()),
            Target::One(connection) => only(vec![*connection]),
            Target::Set(connections) => only(connections.clone()),
        }
    }

    /// Whether `Unet` and `Compact` are spoken by those whom a call goes to.
    fn spoken(&self, receivers: &Receivers) -> [bool; 2] {
        let speaks = |connections: &[ConnectionId], dialect| {
            let connections = connections.iter().filter_map(|c| self.connections.get(c.0));
            let mut dialects = connections.map(|connection| connection.dialect);
            dialects.any(|spoken| spoken == dialect)
        };
        [Dialect::Unet, Dialect::Compact].map(|dialect| match receivers {
            Receivers::Later => {
                let everyone = self.audiences.get(Audiences::EVERYONE);
                everyone.speaks(dialect) || speaks(&self.joining, dialect)
            }
            Receivers::Audience(audience) => self.audiences.get(*audience).speaks(dialect),
            Receivers::Some(connections) => speaks(connections, dialect),
        })
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
                    if let Some((message_type, message)) = call.message(segments.dialect()) {
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
                    let message = connection.and_then(|known| call.message(known.dialect));
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

impl Written {
    fn message(&self, dialect: Dialect) -> Option<&(MessageType, Bytes)> {
        match dialect {
            Dialect::Unet => self.unet.as_ref(),
            Dialect::Compact => self.compact.as_ref(),
        }
    }
}

impl<'call> RpcSender<'call> {
    /// The same for others than those whom the call itself names.
    #[must_use]
    pub fn to(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    /// Begins the call of this number among those that the class declares.
    pub fn begin(self, number: u32) -> OutgoingRpc<'call> {
        let Self {
            server,
            object,
            class,
            target,
        } = self;
        let plan = server.plan_call(object, class, number, target);
        OutgoingRpc::new(server, object, plan)
    }

    /// The same for a call that goes to one connection.
    pub fn begin_to(mut self, connection: ConnectionId, number: u32) -> OutgoingRpc<'call> {
        if self.target.is_some() {
            return OutgoingRpc::new(self.server, self.object, Err(CallError::TargetGiven));
        }
        self.target = Some(Target::One(connection));
        self.begin(number)
    }
}

impl<'call> OutgoingRpc<'call> {
    fn new(server: &'call mut NetworkServer, object: NetId, plan: Result<Plan, CallError>) -> Self {
        let mut outgoing = Self {
            server,
            object,
            plan,
            payloads: [None, None],
            header: 0,
            given: 0,
        };
        if let Ok(plan) = &outgoing.plan
            && let Err(error) = outgoing
                .server
                .begin_call(object, plan, &mut outgoing.payloads)
        {
            outgoing.plan = Err(error);
        }
        let [_, compact] = &outgoing.payloads;
        outgoing.header = compact.as_ref().map_or(0, |(_, writer)| writer.len());
        outgoing
    }

    /// Where to write the arguments, once for each dialect that is spoken by those whom the call goes
    /// to.
    pub fn next_writer(&mut self) -> Option<&mut NetworkWriter> {
        let rest = self.payloads.get(self.given..)?;
        self.given += rest.iter().position(Option::is_some)? + 1;
        let payload = self.payloads.get_mut(self.given - 1)?.as_mut();
        payload.map(|(_, writer)| writer)
    }

    /// Sends the call.
    ///
    /// # Errors
    ///
    /// Those of the call; nothing is sent then.
    pub fn send(self) -> Result<(), CallError> {
        let Self {
            server,
            object,
            plan,
            payloads,
            header,
            ..
        } = self;
        let plan = plan?;
        let sent = server.finish_call(object, plan, &payloads, header);
        for (place, payload) in server.calls.writers.iter_mut().zip(payloads) {
            if let Some((_, mut writer)) = payload {
                writer.truncate(0);
                writer.take_error();
                *place = writer;
            }
        }
        server.run_local_calls();
        sent
    }
}

impl NetworkServer {
    /// Writes what stands before the arguments.
    fn begin_call(
        &mut self,
        object: NetId,
        plan: &Plan,
        payloads: &mut [Option<(MessageType, NetworkWriter)>; 2],
    ) -> Result<(), CallError> {
        let [unet, mut compact] = self.spoken(&plan.receivers);
        compact |= plan.target == Target::Everyone;
        let at = self.objects.get(object.0).map(|spawned| spawned.at.pool);
        let prefab = at.and_then(|pool| self.prefabs.get(self.pools.prefab(pool)));
        let calls = &prefab.ok_or(CallError::UnknownObject(object))?.calls;
        let hash = crate::call::Name::Hash(plan.place.schema.hash);
        if unet && !calls.named(hash).is_some_and(|place| place.is(&plan.place)) {
            return Err(CallError::Ambiguous);
        }
        let dialects = [Dialect::Unet, Dialect::Compact];
        for ((dialect, wanted), place) in dialects.into_iter().zip([unet, compact]).zip(0..) {
            if wanted {
                let spare = std::mem::take(&mut self.calls.writers[place]);
                let mut writer = spare;
                if writer.dialect() != dialect {
                    writer = NetworkWriter::with_dialect(dialect);
                }
                writer.at_behaviour(Some(plan.place.name));
                let message_type = write_header(&mut writer, object, &plan.place, calls);
                payloads[place] = Some((message_type, writer));
            }
        }
        Ok(())
    }

    fn finish_call(
        &mut self,
        object: NetId,
        plan: Plan,
        payloads: &[Option<(MessageType, NetworkWriter)>; 2],
        header: usize,
    ) -> Result<(), CallError> {
        let channel = plan.place.schema.channel;
        let kind = self.config.channels.get(usize::from(channel)).copied();
        let room = self.config.room(kind.unwrap_or(crate::Channel::Reliable));
        for (_, writer) in payloads.iter().flatten() {
            if let Some(error) = writer.error() {
                return Err(error.into());
            }
            if let Some(kind) = room.refusal(writer.dialect(), writer.len()) {
                return Err(WriteError::new(kind, 0, Some(plan.place.name), None).into());
            }
        }
        let [unet, compact] = payloads;
        let arguments = compact.as_ref().map(|(_, writer)| writer.as_bytes());
        let arguments = arguments.and_then(|payload| payload.get(header..));
        let arguments = arguments.map(Bytes::copy_from_slice);
        let call = Written {
            channel,
            unet: self.write_call(unet.as_ref()),
            compact: self.write_call(compact.as_ref()),
        };
        if let Receivers::Later = plan.receivers {
            self.calls.kept_objects.insert(object);
            self.calls.kept.push(Kept {
                object,
                target: plan.target.clone(),
                call,
            });
        } else {
            self.transmit_call(plan.receivers, &call);
        }
        if let (Target::Everyone, Some(arguments)) = (plan.target, arguments) {
            self.calls.local.push_back(Local {
                object,
                place: plan.place,
                arguments,
            });
        }
        Ok(())
    }

    /// A payload as a whole message.
    fn write_call(
        &mut self,
        payload: Option<&(MessageType, NetworkWriter)>,
    ) -> Option<(MessageType, Bytes)> {
        let (message_type, payload) = payload?;
        frame(&mut self.calls.messages, *message_type, payload.as_bytes());
        Some((*message_type, self.calls.messages.take_bytes()))
    }
}
