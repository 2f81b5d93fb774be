//! Outgoing calls: arguments in each dialect of the receivers.

use bytes::Bytes;

use super::super::{ConnectionId, NetworkServer};
use super::target::{CallPlan, Receivers};
use super::{DeferredCall, EncodedCall, LocalCall};
use crate::call::{CallRequest, CallRouter, Class, Name, Routed, frame, write_header};
use crate::{CallError, Dialect, MessageType, NetId, NetworkWriter, Target, WriteError};

/// Sender of [`NetworkServer::calls`]; the macro wraps it in a type with the methods.
#[doc(hidden)]
#[derive(Debug)]
pub struct RpcSender<'call> {
    pub(super) caller: Caller<'call>,
    pub(super) object: NetId,
    pub(super) class: Class,
    pub(super) target: Option<Target>,
}

/// Origin of a call.
#[derive(Debug)]
pub(super) enum Caller<'call> {
    Server(&'call mut NetworkServer),
    /// A server of another protocol.
    Other(&'call mut dyn CallRouter),
}

/// A call while its arguments are written.
#[doc(hidden)]
pub struct OutgoingRpc<'call>(Route<'call>);

#[expect(clippy::large_enum_variant, reason = "of the stack, for one call")]
enum Route<'call> {
    Server(Outgoing<'call>),
    Routed(Routed<'call>),
}

/// A call of a `NetworkServer`.
struct Outgoing<'call> {
    server: &'call mut NetworkServer,
    object: NetId,
    plan: Result<CallPlan, CallError>,
    /// Payloads in `Unet` and in `Compact`, if a receiver has the dialect. `header` is the length
    /// before the arguments of the latter.
    payloads: [Option<(MessageType, NetworkWriter)>; 2],
    header: usize,
    given: usize,
}

impl<'call> RpcSender<'call> {
    /// Returns a sender for a server of another protocol.
    pub fn through(router: &'call mut dyn CallRouter, object: NetId, class: Class) -> Self {
        Self {
            caller: Caller::Other(router),
            object,
            class,
            target: None,
        }
    }

    /// Replaces the target of the call.
    #[must_use]
    pub fn to(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    /// Begins a call by its number in the class.
    pub fn begin(self, number: u32) -> OutgoingRpc<'call> {
        let Self {
            caller,
            object,
            class,
            target,
        } = self;
        OutgoingRpc(match caller {
            Caller::Server(server) => {
                let plan = server.plan_call(object, class, number, target);
                Route::Server(Outgoing::new(server, object, plan))
            }
            Caller::Other(router) => {
                let request = CallRequest {
                    object,
                    class,
                    number,
                    target,
                };
                Route::Routed(Routed::begin(router, request))
            }
        })
    }

    /// Begins a call to one connection.
    pub fn begin_to(mut self, connection: ConnectionId, number: u32) -> OutgoingRpc<'call> {
        if self.target.is_some() {
            let error = CallError::TargetGiven;
            return OutgoingRpc(match self.caller {
                Caller::Server(server) => {
                    Route::Server(Outgoing::new(server, self.object, Err(error)))
                }
                Caller::Other(router) => Route::Routed(Routed::failed(router, error)),
            });
        }
        self.target = Some(Target::One(connection));
        self.begin(number)
    }
}

impl OutgoingRpc<'_> {
    /// Returns the next writer for the arguments, one for each dialect of the receivers.
    pub fn next_writer(&mut self) -> Option<&mut NetworkWriter> {
        match &mut self.0 {
            Route::Server(outgoing) => outgoing.next_writer(),
            Route::Routed(routed) => routed.next_writer(),
        }
    }

    /// Sends the call.
    ///
    /// # Errors
    ///
    /// Errors of the call. It is not sent then.
    pub fn send(self) -> Result<(), CallError> {
        match self.0 {
            Route::Server(outgoing) => outgoing.send(),
            Route::Routed(routed) => routed.send(),
        }
    }
}

impl<'call> Outgoing<'call> {
    fn new(
        server: &'call mut NetworkServer,
        object: NetId,
        plan: Result<CallPlan, CallError>,
    ) -> Self {
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

    fn next_writer(&mut self) -> Option<&mut NetworkWriter> {
        let rest = self.payloads.get(self.given..)?;
        self.given += rest.iter().position(Option::is_some)? + 1;
        let payload = self.payloads.get_mut(self.given - 1)?.as_mut();
        payload.map(|(_, writer)| writer)
    }

    fn send(self) -> Result<(), CallError> {
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
    /// Writes the header before the arguments.
    fn begin_call(
        &mut self,
        object: NetId,
        plan: &CallPlan,
        payloads: &mut [Option<(MessageType, NetworkWriter)>; 2],
    ) -> Result<(), CallError> {
        let [mut unet, mut compact] = plan.spoken;
        compact |= plan.local || plan.target == Target::Everyone;
        let at = self
            .world
            .objects
            .get(object.0)
            .map(|replicated| replicated.at.pool);
        let prefab = at.and_then(|pool| self.world.prefabs.get(self.world.pools.prefab(pool)));
        let calls = &prefab.ok_or(CallError::UnknownObject(object))?.calls;
        let hash = Name::Hash(plan.place.schema.hash);
        if unet && !calls.named(hash).is_some_and(|place| place.is(&plan.place)) {
            let mut known = self
                .sessions
                .connections
                .values()
                .filter(|it| it.is_connected());
            let later = matches!(plan.receivers, Receivers::Deferred);
            if !later || known.any(|it| it.dialect == Dialect::Unet) {
                return Err(CallError::Ambiguous);
            }
            unet = false;
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
        plan: CallPlan,
        payloads: &[Option<(MessageType, NetworkWriter)>; 2],
        header: usize,
    ) -> Result<(), CallError> {
        let channel = plan.place.schema.channel;
        let room = self.config.channel_info(channel).room;
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
        let [_, is_spoken] = plan.spoken;
        let arguments = arguments.and_then(|payload| payload.get(header..));
        let arguments = arguments.map(Bytes::copy_from_slice);
        let call = EncodedCall {
            channel,
            unet: self.write_call(unet.as_ref()),
            compact: self.write_call(compact.as_ref().filter(|_| is_spoken)),
        };
        if let (true, Some(arguments)) = (plan.local, &arguments) {
            let waits = matches!(plan.receivers, Receivers::Deferred);
            let target = waits.then(|| plan.target.clone());
            self.queue_local_rpc(object, target, plan.place, arguments.clone());
        }
        if let Receivers::Deferred = plan.receivers {
            self.calls.deferred_objects.insert(object);
            self.calls.deferred.push(DeferredCall {
                object,
                target: plan.target.clone(),
                call,
            });
        } else {
            self.transmit_call(plan.receivers, &call);
        }
        if let (Target::Everyone, Some(arguments)) = (plan.target, arguments) {
            self.calls.local.push_back(LocalCall {
                object,
                place: plan.place,
                sender: None,
                arguments,
            });
        }
        Ok(())
    }

    /// Frames a payload as a message.
    fn write_call(
        &mut self,
        payload: Option<&(MessageType, NetworkWriter)>,
    ) -> Option<(MessageType, Bytes)> {
        let (message_type, payload) = payload?;
        frame(&mut self.calls.messages, *message_type, payload.as_bytes());
        Some((*message_type, self.calls.messages.take_bytes()))
    }
}
