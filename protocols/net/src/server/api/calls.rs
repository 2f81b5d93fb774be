//! Calls of methods: of the server on clients and on itself, and of clients on the server.
//!
//! ```text
//! calls(id).method()  begin_call: plan, writers     send_call: encode, then
//!                       -> deferred                 with the next update
//!                       -> receivers                at once, behind all earlier bytes
//!                       -> local client             with the next update, on the object of the server
//!                       -> this server              at once, after the running call
//! ```

use arrayvec::ArrayVec;
use syncvar_runtime::unstable::call::{
    CallDirection, CallPlace, CallRequest, CallRouter, Class, Failure, RoutedCall,
};
use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::untyped::Value;
use syncvar_runtime::{
    CallError, CallFailure, Called, CommandRefusal, ConnectionId, Encoding, NetId,
    NetworkBehaviour, NetworkCalls, NetworkReader, NetworkWriter, ReadError, ReceivedEvent,
    RpcSender, Target,
};

use crate::message::{CallName, Incoming};
use crate::server::calls::commands::{find_command, permit_command, refuse_command};
use crate::server::calls::outgoing::{CallPayload, OutgoingCall};
use crate::server::calls::target::Receivers;
use crate::server::calls::{LocalCall, read_arguments, report_panic};
use crate::server::{NetworkServer, ServerEvent};
use crate::{Framing, MessageType};

impl NetworkServer {
    /// Returns the `#[client_rpc]`, `#[target_rpc]` and `#[sync_event]` methods of `B`, for calls
    /// on clients. They call the first behaviour of the object that is a `B` or has `B` as its
    /// base.
    ///
    /// A call on an announced object is sent at once, before pending changes of fields and without
    /// waiting for [`update`](Self::update). On a new object, or with a pending view change, it is
    /// sent with the next update, to the observers of that time. So is a call with `after_state`, in the next tick.
    /// Later observers receive no past calls: use a field for state. On a [host](Self::connect_local), the local client is an
    /// observer too.
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Rpcs<'_> {
        const { syncvar_runtime::assert_calls_known::<B>() }
        B::rpcs(RpcSender::through(self, id, Class::of::<B>(None)))
    }

    /// Like [`calls`](Self::calls), for the behaviour at an index of an object with two behaviours
    /// of one type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Rpcs<'_> {
        const { syncvar_runtime::assert_calls_known::<B>() }
        B::rpcs(RpcSender::through(self, id, Class::of::<B>(Some(index))))
    }

    /// Calls clients by the names of a behaviour and a method, with the arguments as values. `target` replaces the
    /// method's own receivers, and names the connection of a `#[target_rpc]`.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     knocks: u32,
    /// }
    ///
    /// #[network_calls]
    /// impl Door {
    ///     #[client_rpc]
    ///     fn knock(&mut self, times: u32) {
    ///         self.knocks += times;
    ///     }
    /// }
    ///
    /// let game = || Prefabs::new().register::<Door>("door");
    /// let schema = game().schema();
    /// let mut net = MemoryNetwork::new(move || Prefabs::from_schema(&schema).unwrap());
    /// net.connect_client(NetworkClient::new(game()));
    /// let id = net.server.spawn_prefab("door", SpawnOptions::default())?;
    /// net.settle();
    /// net.server.call(id, "Door", "knock", None, &[3.into()])?;
    /// net.settle();
    /// assert_eq!(net.client(0).get::<Door>(id).unwrap().knocks, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the object has no such call of clients, an argument does not fit, and as a call of a compiled method.
    pub fn call(
        &mut self,
        id: NetId,
        behaviour: &str,
        call: &str,
        target: Option<Target>,
        arguments: &[Value],
    ) -> Result<(), CallError> {
        let place = self.objects.world.named_call(id, behaviour, call, false)?;
        let mut call = self.begin_rpc(id, place, target)?;
        call.write_values(arguments)?;
        self.send_call(call)
    }

    /// Runs a received command on a value of the behaviour that the application owns. Ownership and rate
    /// have been checked. The context has the object's id, its owner, the sender and this server, and no
    /// siblings.
    ///
    /// # Errors
    ///
    /// When `B` has no such call, the arguments are malformed, or the call panics.
    pub fn run_call<B: NetworkBehaviour>(
        &mut self,
        on: &mut B,
        called: &Called,
    ) -> Result<(), CallFailure> {
        called.run(on, self)
    }

    /// Runs or refuses a command. Only a command without a readable header is an error.
    pub(super) fn handle_command(
        &mut self,
        from: ConnectionId,
        message_type: MessageType,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let mut call = Incoming::decode(message_type, payload)?;
        call.arguments = call.arguments.with_budget(self.sessions.intake.budget);
        let (object, name) = (call.object, call.name);
        let place = find_command(&self.objects, &self.visibility, from, &call);
        let place = place.map_err(|reason| (None, reason));
        let permitted = place.and_then(|place| {
            let sessions = &mut self.sessions;
            let permitted =
                permit_command(&self.context, &self.objects, sessions, from, object, &place);
            permitted
                .map(|()| place)
                .map_err(|reason| (Some(place), reason))
        });
        let result = permitted.and_then(|place| {
            tracing::trace!(connection = from.0, %object, command = place.schema.name, "runs a command");
            let ran = self.run_object_call(object, &place, Some(from), &mut call.arguments);
            report_panic(&mut self.context, object, &place, Some(from), ran.as_ref());
            match ran {
                None => Err((Some(place), CommandRefusal::UnknownObject)),
                Some(Err(Failure::Malformed(error))) => {
                    Err((Some(place), CommandRefusal::Malformed(error)))
                }
                Some(Ok(()) | Err(Failure::Panicked(_))) => Ok(()),
            }
        });
        self.sessions.intake.budget = call.arguments.budget();
        if let Err((place, reason)) = result {
            if let CommandRefusal::Malformed(error) = &reason {
                self.context.stats.refused.count_read(error.kind());
            }
            self.sessions.intake.count((&reason).into());
            if let CallName::Number(number) = name {
                let refusals = &mut self.calls.refusals;
                refusals.note(from, object, number, (&reason).into());
            }
            refuse_command(&mut self.context, from, object, place.as_ref(), reason);
        }
        self.run_local_calls();
        Ok(())
    }

    /// Runs a call on an object. `None` if the object does not exist or is checked out.
    pub(super) fn run_object_call(
        &mut self,
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &mut NetworkReader<'_>,
    ) -> Option<Result<(), Failure>> {
        let before = std::mem::replace(&mut self.calls.is_running, true);
        let ran = CheckOut::run_call(self, object, place, sender, arguments);
        self.calls.is_running = before;
        ran
    }

    /// Runs the calls of the server on itself, and the commands of the local client. Calls that they queue run
    /// the next time.
    pub(crate) fn run_local_calls(&mut self) {
        if self.calls.is_running || self.calls.local.is_empty() {
            return;
        }
        for _ in 0..self.calls.local.len() {
            if let Some(local) = self.calls.local.pop_front() {
                self.run_local_call(local);
            }
        }
    }

    /// Runs a call of the server on itself, or a command of the local client unless it left or lost permission.
    fn run_local_call(&mut self, local: LocalCall) {
        let LocalCall {
            object,
            place,
            sender,
            ref arguments,
        } = local;
        if sender.is_some_and(|sender| !self.is_local(sender)) {
            return;
        }
        let is_owner = sender.is_none() || self.owner(object) == sender;
        if place.schema.requires_ownership && !is_owner {
            if let Some(sender) = sender {
                let reason = CommandRefusal::NotOwner;
                refuse_command(&mut self.context, sender, object, Some(&place), reason);
            }
            return;
        }
        let mut reader = read_arguments(arguments);
        let ran = self.run_object_call(object, &place, sender, &mut reader);
        report_panic(&mut self.context, object, &place, sender, ran.as_ref());
        let refusal = match ran {
            // The object is checked out.
            None if self.objects.world.contains(object) => {
                return self.calls.local.push_back(local);
            }
            None => CommandRefusal::UnknownObject,
            Some(Ok(())) => {
                if place.is_event() && sender.is_none() {
                    let event = ReceivedEvent::new(object, &place, Encoding::Compact, arguments);
                    self.context.events.push(ServerEvent::SyncEvent(event));
                }
                return;
            }
            Some(Err(Failure::Panicked(_))) => return,
            Some(Err(Failure::Malformed(error))) => {
                if sender.is_none() {
                    tracing::error!(%object, %error, "a value does not read as it was written");
                }
                CommandRefusal::Malformed(error)
            }
        };
        if let Some(sender) = sender {
            refuse_command(&mut self.context, sender, object, Some(&place), refusal);
        }
    }
}

impl CallRouter for NetworkServer {
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError> {
        let CallRequest {
            object,
            class,
            number,
            direction,
        } = request;
        let CallDirection::ToClients(target) = direction else {
            // A command of the local client, with arguments in `Compact`.
            let host = self.host.as_ref().ok_or(CallError::NotConnected)?;
            let place = host.find_command(&self.objects, object, class, number)?;
            let writer = NetworkWriter::with_encoding(Encoding::Compact);
            return Ok(RoutedCall {
                object,
                place,
                target: Target::Observers,
                writers: [writer].into_iter().collect(),
            });
        };
        let place = self.objects.world.declared_call(object, class, number)?;
        self.begin_rpc(object, place, target)
    }

    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError> {
        let RoutedCall {
            object,
            place,
            writers,
            ..
        } = call;
        if place.is_command() {
            let arguments = writers.into_iter().next().unwrap_or_default().take_bytes();
            let sender = self.host.as_ref().map(|host| host.connection);
            if sender.is_some() {
                self.run_local_call(LocalCall {
                    object,
                    place,
                    sender,
                    arguments,
                });
            }
            self.run_local_calls();
            return Ok(());
        }
        let Some(outgoing) = self.calls.outgoing.take() else {
            return Err(CallError::UnknownObject(object));
        };
        let types = outgoing.types.iter().copied();
        let payloads: ArrayVec<CallPayload, 2> = types
            .zip(writers)
            .map(|((framing, kind), writer)| (framing, kind, writer))
            .collect();
        tracing::trace!(%object, call = place.schema.name, "calls clients");
        let encoded = self
            .calls
            .encode(&self.context.config, &outgoing, &payloads);
        self.calls.reuse(payloads);
        let sent = encoded.map(|(call, arguments)| {
            let plan = outgoing.plan;
            let is_deferred = matches!(plan.receivers, Receivers::Deferred);
            if let (true, Some(arguments), Some(host)) = (plan.local, &arguments, &mut self.host) {
                let target = is_deferred.then(|| plan.target.clone());
                host.queue_rpc(object, target, plan.place, arguments.clone());
            }
            if is_deferred {
                let config = &self.context.config;
                self.calls.defer(config, object, &plan, call);
            } else {
                let rooms = &mut self.rooms();
                call.transmit(&mut rooms.ground, rooms.visibility, plan.receivers);
            }
            if let (Target::Everyone, Some(arguments)) = (plan.target, arguments) {
                self.calls.local.push_back(LocalCall {
                    object,
                    place: plan.place,
                    sender: None,
                    arguments,
                });
            }
        });
        self.run_local_calls();
        sent
    }
}

impl NetworkServer {
    /// Begins a call of clients, with a writer for each framing of the receivers.
    fn begin_rpc(
        &mut self,
        object: NetId,
        place: CallPlace,
        target: Option<Target>,
    ) -> Result<RoutedCall, CallError> {
        let plan = self.rooms().call_scope().plan(object, place, target)?;
        let (objects, sessions) = (&self.objects, &self.sessions);
        let payloads = self
            .calls
            .begin_payloads(objects, sessions, object, &plan)?;
        let (place, target) = (plan.place, plan.target.clone());
        let mut headers = payloads.iter();
        let compact = headers.find(|(framing, ..)| *framing == Framing::Compact);
        self.calls.outgoing = Some(OutgoingCall {
            plan,
            types: payloads
                .iter()
                .map(|(framing, kind, _)| (*framing, *kind))
                .collect(),
            header: compact.map_or(0, |(.., writer)| writer.len()),
        });
        Ok(RoutedCall {
            object,
            place,
            target,
            writers: payloads.into_iter().map(|(.., writer)| writer).collect(),
        })
    }
}
