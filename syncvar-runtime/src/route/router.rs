//! `CallRouter`: the path of calls from the methods of `#[network_calls]` into a server or client.

use std::fmt;

use arrayvec::ArrayVec;

use super::{CallError, CallPlace, Class};
use crate::{NetId, NetworkWriter, Target};

/// Server or client that sends calls: a server sends calls of clients, a client sends
/// commands. A server with a local client runs the local client's commands.
pub trait CallRouter: fmt::Debug {
    /// Finds the call, checks its permission, and begins its messages.
    ///
    /// # Errors
    ///
    /// When it cannot be sent; no byte is written then.
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError>;

    /// Sends a call after its arguments have been written without an error.
    ///
    /// # Errors
    ///
    /// When it cannot be sent, for instance because it is too long.
    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError>;
}

/// A requested call.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// The object.
    pub object: NetId,
    /// Class that declares the call.
    pub class: Class,
    /// Number of the call in the class.
    pub number: u32,
    /// Direction, with the receivers.
    pub direction: CallDirection,
}

/// Direction of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallDirection {
    /// A command.
    ToServer,
    /// A call of clients, with the target if it replaces the call's own one.
    ToClients(Option<Target>),
}

impl CallDirection {
    /// Returns the target of a call of clients, if set.
    pub fn target(self) -> Option<Target> {
        match self {
            Self::ToServer => None,
            Self::ToClients(target) => target,
        }
    }
}

/// A call under construction.
#[derive(Debug)]
pub struct RoutedCall {
    /// The object.
    pub object: NetId,
    /// The call.
    pub place: CallPlace,
    /// Receivers; without meaning for a command.
    pub target: Target,
    /// Writers for the arguments, one for each encoding of the receivers; they contain the bytes of the call's
    /// header. A command has one writer.
    pub writers: ArrayVec<NetworkWriter, 2>,
}
