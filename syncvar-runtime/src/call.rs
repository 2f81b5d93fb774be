//! Remote calls: commands of clients, calls of the server, and events of objects.
//!
//! `#[network_calls]` writes [`NetworkCalls`] for a behaviour. `schema` describes calls,
//! `place` finds a call on an object, `encode` writes its address, `dispatch` runs it;
//! sending and receiving are in `server` and `client`.

mod dispatch;
mod encode;
mod error;
mod event;
mod place;
mod rate;
mod router;
mod schema;
mod utf16;

pub use dispatch::{Failure, run};
pub(crate) use encode::{Incoming, Name, frame, write_header};
pub use error::{CallError, CommandRefusal};
pub use event::{CallArguments, ReceivedEvent, SyncEvent};
pub use place::{CallPlace, Class, ObjectCalls};
pub use rate::Rates;
pub(crate) use router::Routed;
pub use router::{CallRequest, CallRouter, RoutedCall};
pub use schema::{CallKind, CallSchema, CallTable};
pub use utf16::{Character, character_at};

use std::marker::PhantomData;

use crate::client::CommandSender;
use crate::server::RpcSender;
use crate::{CallContext, ConnectionId, NetworkBehaviour, NetworkReader, ReadError, ReadErrorKind};

/// A behaviour that can be called from the other side. `#[network_calls]` writes it; see there.
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

    /// Makes the result of [`NetworkClient::calls`](crate::NetworkClient::calls).
    fn commands(sender: CommandSender<'_>) -> Self::Commands<'_>;

    /// Makes the result of [`NetworkServer::calls`](crate::NetworkServer::calls).
    fn rpcs(sender: RpcSender<'_>) -> Self::Rpcs<'_>;

    /// Reads the arguments of one of [`OWN_CALLS`](Self::OWN_CALLS), and calls it. The arguments of an event are
    /// read and dropped.
    ///
    /// # Errors
    ///
    /// When the arguments cannot be read, or bytes follow them: no method runs then.
    fn handle_own_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        context: &mut CallContext<'_>,
    ) -> Result<(), ReadError>;
}

/// Receivers of a call, other than the declared ones.
///
/// ```
/// use syncvar_runtime::{ConnectionId, Target};
///
/// let all_but_the_shooter = Target::AllBut(ConnectionId(1));
/// # assert_ne!(all_but_the_shooter, Target::Observers);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// Every connection that observes the object.
    Observers,
    /// The connection that owns the object.
    Owner,
    /// Every connection that observes the object and does not own it.
    NotOwner,
    /// Every connection that observes the object, and the server itself, where the method runs too: at
    /// once, and no second time for a [local client](crate::NetworkServer::connect_local).
    Everyone,
    /// One connection, which must observe the object.
    One(ConnectionId),
    /// These connections, each of which must observe the object.
    Set(Vec<ConnectionId>),
    /// Every connection that observes the object but this one.
    AllBut(ConnectionId),
}

/// The derive's question for the calls of a type: a type with `#[network_calls]` answers with the
/// items here; any other with the items of [`NoCalls`], which the compiler takes in their
/// absence.
#[doc(hidden)]
#[derive(Debug)]
pub struct OwnCalls<B: ?Sized>(PhantomData<B>);

impl<B: NetworkCalls> OwnCalls<B> {
    /// Calls of the type.
    pub const CALLS: &'static [CallSchema] = B::OWN_CALLS;

    /// Runs one of the calls.
    ///
    /// # Errors
    ///
    /// The errors of [`NetworkCalls::handle_own_call`].
    pub fn handle_call(
        behaviour: &mut B,
        call: u32,
        reader: &mut NetworkReader<'_>,
        context: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        behaviour.handle_own_call(call, reader, context)
    }
}

/// Counterpart of [`OwnCalls`] for a type without calls.
#[doc(hidden)]
pub trait NoCalls<B: ?Sized> {
    /// None.
    const CALLS: &'static [CallSchema] = &[];

    /// Refuses every call.
    ///
    /// # Errors
    ///
    /// Always.
    fn handle_call(
        _: &mut B,
        call: u32,
        reader: &mut NetworkReader<'_>,
        _: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        Err(reader.unknown_call(call))
    }
}

impl<B: ?Sized> NoCalls<B> for OwnCalls<B> {}

impl NetworkReader<'_> {
    /// The error for a call that does not exist.
    pub fn unknown_call(&self, call: u32) -> ReadError {
        let (what, value) = ("number of a call", call.into());
        self.error(ReadErrorKind::InvalidValue { what, value })
    }
}

/// Asserts that a behaviour knows the calls of its type: in a constant, a compile error if
/// not.
#[doc(hidden)]
#[track_caller]
pub const fn assert_calls_known<B: NetworkCalls>() {
    assert!(
        B::OWN_CALLS.len() == B::CALLS.own().len(),
        "the behaviour does not know these calls: if its `NetworkBehaviour` is written by hand, give it \
         `CALLS` and `handle_call`; if it is generic, give the `impl` block the bounds of the struct and no more"
    );
}
