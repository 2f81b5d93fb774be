//! `CallRouter`: where calls go that are made on a server or client of another protocol.

use std::fmt;

use super::place::{CallPlace, Class};
use crate::{CallError, NetId, NetworkWriter, Target};

/// A server or client on which calls are made: the senders of `#[network_calls]` write through it. A server
/// routes calls of clients, a client commands.
pub trait CallRouter: fmt::Debug {
    /// Finds a call, checks whether it can be sent now, and begins its message.
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

/// Which call is wanted.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// On which object.
    pub object: NetId,
    /// The class that declares it.
    pub class: Class,
    /// Its number there.
    pub number: u32,
    /// Receivers other than the declared ones. None for a command.
    pub target: Option<Target>,
}

/// A call that is being written.
#[derive(Debug)]
pub struct RoutedCall {
    /// The object.
    pub object: NetId,
    /// The call.
    pub place: CallPlace,
    /// Receivers. Without meaning for a command.
    pub target: Target,
    /// The arguments, in the dialect and after the bytes that the router begins with.
    pub writer: NetworkWriter,
}

/// A call on its way through a router.
#[derive(Debug)]
pub(crate) struct Routed<'call> {
    router: &'call mut dyn CallRouter,
    call: Result<RoutedCall, CallError>,
    /// Set once the writer has been handed out.
    given: bool,
}

impl<'call> Routed<'call> {
    pub(crate) fn begin(router: &'call mut dyn CallRouter, request: CallRequest) -> Self {
        let call = router.begin_call(request).map(|mut call| {
            call.writer.at_behaviour(Some(call.place.name));
            call
        });
        Self {
            router,
            call,
            given: false,
        }
    }

    pub(crate) fn failed(router: &'call mut dyn CallRouter, error: CallError) -> Self {
        let call = Err(error);
        Self {
            router,
            call,
            given: true,
        }
    }

    /// Returns the writer of the arguments, once.
    pub(crate) fn next_writer(&mut self) -> Option<&mut NetworkWriter> {
        if std::mem::replace(&mut self.given, true) {
            return None;
        }
        self.writer()
    }

    /// Returns the writer of the arguments; none if the call cannot be sent.
    pub(crate) fn writer(&mut self) -> Option<&mut NetworkWriter> {
        self.call.as_mut().ok().map(|call| &mut call.writer)
    }

    pub(crate) fn send(self) -> Result<(), CallError> {
        let mut call = self.call?;
        if let Some(error) = call.writer.take_error() {
            return Err(error.into());
        }
        self.router.send_call(call)
    }
}
