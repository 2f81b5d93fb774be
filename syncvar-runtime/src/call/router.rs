//! `CallRouter`: the way of calls from the methods of `#[network_calls]` into a server or client.

use std::fmt;

use arrayvec::ArrayVec;

use super::place::{CallPlace, Class};
use crate::{CallError, NetId, NetworkWriter, Target};

/// A server or client on which calls are made: a server sends calls of clients, a client sends
/// commands. A server with a local client runs the commands of that.
pub trait CallRouter: fmt::Debug {
    /// Finds the call, checks whether it can be sent now, and begins its messages.
    ///
    /// # Errors
    ///
    /// When it cannot be sent; no byte is written then.
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError>;

    /// Sends a call, when its arguments have been written without an error.
    ///
    /// # Errors
    ///
    /// When it cannot be sent, for instance because it is too long.
    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError>;
}

/// A call that is wanted.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// The object.
    pub object: NetId,
    /// The class that declares the call.
    pub class: Class,
    /// Its number there.
    pub number: u32,
    /// Its direction, with the receivers.
    pub direction: CallDirection,
}

/// Direction of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallDirection {
    /// A command.
    ToServer,
    /// A call of clients; the target is given where it is not that of the call itself.
    ToClients(Option<Target>),
}

impl CallDirection {
    /// Returns the receivers that were given for a call of clients.
    pub fn target(self) -> Option<Target> {
        match self {
            Self::ToServer => None,
            Self::ToClients(target) => target,
        }
    }
}

/// A call that is being written.
#[derive(Debug)]
pub struct RoutedCall {
    /// The object.
    pub object: NetId,
    /// The call.
    pub place: CallPlace,
    /// The receivers. For a command this means nothing.
    pub target: Target,
    /// Writers for the arguments, one for each encoding of the receivers, behind the bytes that the
    /// router begins with. A command has one writer.
    pub writers: ArrayVec<NetworkWriter, 2>,
}
