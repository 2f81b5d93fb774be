//! Remote calls: commands of clients, calls of the server, and events of objects.
//!
//! `#[network_calls]` writes [`NetworkCalls`] for a behaviour. `schema` describes calls,
//! `place` finds a call on an object, `encode` writes its address, `dispatch` runs it;
//! sending and receiving are in `server` and `client`.

mod called;
mod context;
mod dispatch;
mod event;
mod place;
mod rate;
mod values;

pub use called::Called;
pub use dispatch::{Failure, run};
pub use event::{CallArguments, ReceivedEvent, SyncEvent};
pub use place::ObjectCalls;
pub use rate::Rates;

pub use crate::route::{
    CallDirection, CallError, CallFailure, CallPlace, CallRequest, CallRouter, Class,
    CommandRefusal, CommandSender, OutgoingCommand, OutgoingRpc, RefusedCommands, RoutedCall,
    RpcSender,
};

use crate::schema::{CallSchema, CallTable};
use crate::{
    BehaviourInfo, CallContext, NetworkBehaviour, NetworkReader, ReadError, ReadErrorKind,
};

/// Bound of a method that a server calls, at the places where it cannot be called. No type has it.
#[diagnostic::on_unimplemented(
    message = "the server calls this method of `{Self}`, and clients run it",
    label = "a call of the server",
    note = "write `server.calls::<{Self}>(id)` before the call, on the server",
    note = "`run_` before its name runs it on this end, without the network"
)]
pub trait CalledByServer<Here> {}

/// Bound of a method that a client calls, at the places where it cannot be called. No type has it.
#[diagnostic::on_unimplemented(
    message = "a client calls this method of `{Self}`, and the server runs it",
    label = "a command of a client",
    note = "write `client.calls::<{Self}>(id)` before the call, on a client",
    note = "`run_` before its name runs it on this end, without the network"
)]
pub trait CalledByClient<Here> {}

/// A behaviour with remote calls. Implemented by `#[network_calls]`; see there.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no remote calls",
    label = "no `#[network_calls]` for this type",
    note = "write `#[network_calls]` above the `impl` block with the calls"
)]
pub trait NetworkCalls: NetworkBehaviour {
    /// Calls declared by this class without its bases, in the order of declaration.
    const OWN_CALLS: &'static [CallSchema];

    /// Sender of commands for clients, with a method for each.
    type Commands<'call>;

    /// Sender of calls and events for the server, with a method for each.
    type Rpcs<'call>;

    /// Returns the value of `NetworkClient::calls`.
    fn commands(sender: CommandSender<'_>) -> Self::Commands<'_>;

    /// Returns the value of `NetworkServer::calls`.
    fn rpcs(sender: RpcSender<'_>) -> Self::Rpcs<'_>;

    /// Reads the arguments of a call in [`OWN_CALLS`](Self::OWN_CALLS) and runs it. The arguments of an event are
    /// read and dropped.
    ///
    /// # Errors
    ///
    /// When the arguments are malformed or bytes follow them: no method runs then.
    fn handle_own_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        context: &mut CallContext<'_>,
    ) -> Result<(), ReadError>;
}

impl BehaviourInfo {
    /// Adds the calls of a class with `#[network_calls]`.
    #[must_use]
    pub const fn calls<B: NetworkCalls>(mut self) -> Self {
        self.calls = CallTable::of::<B>(B::OWN_CALLS);
        self.handle_call = |behaviour, call, reader, context| {
            let Some(behaviour) = behaviour.downcast_mut::<B>() else {
                return Err(reader.unknown_call(call));
            };
            behaviour.handle_own_call(call, reader, context)
        };
        self
    }
}

impl NetworkReader<'_> {
    /// Returns the error for an unknown call number.
    pub fn unknown_call(&self, call: u32) -> ReadError {
        let (what, value) = ("number of a call", call.into());
        self.error(ReadErrorKind::InvalidValue { what, value })
    }
}

/// Asserts that a behaviour includes the calls of its type. In a constant, a failure is a compile
/// error.
///
/// # Panics
///
/// When the behaviour does not include the calls.
#[track_caller]
pub const fn assert_calls_known<B: NetworkCalls>() {
    assert!(
        B::OWN_CALLS.len() == B::INFO.calls.own().len(),
        "the behaviour does not know these calls: if its `NetworkBehaviour` is written by hand, give it \
         `INFO` with `calls::<Self>()`; if it is generic, give the `impl` block the bounds of the struct and no more"
    );
}
