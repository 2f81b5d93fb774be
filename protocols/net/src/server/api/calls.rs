//! Calls of methods: of the server on clients and on itself.

use arrayvec::ArrayVec;
use syncvar_runtime::call::{CallDirection, CallRequest, CallRouter, Class, RoutedCall};
use syncvar_runtime::{
    CallError, CallFailure, Called, NetId, NetworkBehaviour, NetworkCalls, RpcSender,
};

use crate::Framing;
use crate::server::NetworkServer;
use crate::server::calls::outgoing::{Outgoing, Payload};

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
        self.calls_of::<B>(id, None)
    }

    /// Like [`calls`](Self::calls), for the behaviour at an index of an object with two behaviours
    /// of one type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Rpcs<'_> {
        self.calls_of::<B>(id, Some(index))
    }

    fn calls_of<B: NetworkCalls>(&mut self, object: NetId, at: Option<usize>) -> B::Rpcs<'_> {
        const { syncvar_runtime::assert_calls_known::<B>() }
        B::rpcs(RpcSender::through(self, object, Class::of::<B>(at)))
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
            return self.begin_local_command(object, class, number);
        };
        let plan = self.plan_call(object, class, number, target)?;
        let payloads = self.begin_payloads(object, &plan)?;
        let (place, target) = (plan.place, plan.target.clone());
        let compact = payloads
            .iter()
            .find(|(framing, ..)| *framing == Framing::Compact);
        self.calls.outgoing = Some(Outgoing {
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

    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError> {
        let RoutedCall {
            object,
            place,
            writers,
            ..
        } = call;
        if place.is_command() {
            let arguments = writers.into_iter().next().unwrap_or_default().take_bytes();
            self.call_locally(object, place, arguments);
            return Ok(());
        }
        let Some(outgoing) = self.calls.outgoing.take() else {
            return Err(CallError::UnknownObject(object));
        };
        let types = outgoing.types.into_iter();
        let payloads: ArrayVec<Payload, 2> = types
            .zip(writers)
            .map(|((framing, kind), writer)| (framing, kind, writer))
            .collect();
        let sent = self.finish_call(object, outgoing.plan, &payloads, outgoing.header);
        for (framing, _, mut writer) in payloads {
            writer.truncate(0);
            writer.take_error();
            self.calls.writers[usize::from(framing.number())] = writer;
        }
        self.run_local_calls();
        sent
    }
}
