//! Running a call on a behaviour.

use crate::behaviour::{NetworkSide, Panicked};
use crate::object::{self, Slots};
use crate::route::CallPlace;
use crate::{CallContext, ConnectionId, NetId, NetworkReader, ReadError};

/// Reason for which a call failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The arguments are malformed: the call did not run.
    Malformed(ReadError),
    /// The call panicked with this message.
    Panicked(String),
}

/// Runs a call on a behaviour of a checked-out object, for calls of the network,
/// of the server on itself, and of a host.
///
/// # Errors
///
/// When the arguments are malformed, or the call panicked.
pub fn run(
    slots: &mut dyn Slots,
    object: NetId,
    place: &CallPlace,
    side: &mut dyn NetworkSide,
    sender: Option<ConnectionId>,
    arguments: &mut NetworkReader<'_>,
) -> Result<(), Failure> {
    let called = object::call(slots, place.behaviour, object, side, |slot, context| {
        let mut context = CallContext::new(context, sender);
        slot.handle_call(place.number, arguments, &mut context)
    });
    match called {
        None => Err(Failure::Malformed(arguments.unknown_call(place.number))),
        Some(Err(Panicked(message))) => Err(Failure::Panicked(message)),
        Some(Ok(read)) => read.map_err(Failure::Malformed),
    }
}
