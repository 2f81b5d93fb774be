//! Calls on their way out, through a [`CallRouter`].

use super::place::Class;
use super::router::{CallDirection, CallRequest, CallRouter, RoutedCall};
use crate::{CallError, ConnectionId, NetId, NetworkWriter, Target};

/// Sender of commands. The macro writes a type around it.
#[derive(Debug)]
pub struct CommandSender<'call> {
    router: &'call mut dyn CallRouter,
    object: NetId,
    class: Class,
}

/// Sender of calls of clients. The macro writes a type around it.
#[derive(Debug)]
pub struct RpcSender<'call> {
    router: &'call mut dyn CallRouter,
    object: NetId,
    class: Class,
    target: Option<Target>,
}

/// A command that is being written.
#[derive(Debug)]
pub struct OutgoingCommand<'call> {
    routed: Routed<'call>,
    /// Takes the arguments of a command that cannot be sent.
    unsent: NetworkWriter,
}

/// A call of clients that is being written.
#[derive(Debug)]
pub struct OutgoingRpc<'call> {
    routed: Routed<'call>,
    /// The number of writers that have been given out.
    given: usize,
}

/// A call on its way through a router.
#[derive(Debug)]
struct Routed<'call> {
    router: &'call mut dyn CallRouter,
    call: Result<RoutedCall, CallError>,
}

impl<'call> Routed<'call> {
    fn begin(router: &'call mut dyn CallRouter, request: CallRequest) -> Self {
        let mut call = router.begin_call(request);
        if let Ok(call) = &mut call {
            for writer in &mut call.writers {
                writer.at_behaviour(Some(call.place.name));
            }
        }
        Self { router, call }
    }

    fn writer(&mut self, index: usize) -> Option<&mut NetworkWriter> {
        self.call.as_mut().ok()?.writers.get_mut(index)
    }

    fn send(self) -> Result<(), CallError> {
        let mut call = self.call?;
        let errors = call.writers.iter_mut();
        if let Some(error) = { errors }.find_map(NetworkWriter::take_error) {
            return Err(error.into());
        }
        self.router.send_call(call)
    }
}

impl<'call> CommandSender<'call> {
    /// A sender of the commands that a class declares, on an object.
    pub fn through(router: &'call mut dyn CallRouter, object: NetId, class: Class) -> Self {
        Self {
            router,
            object,
            class,
        }
    }

    /// Begins the call of this number among those that the class declares.
    pub fn begin(self, number: u32) -> OutgoingCommand<'call> {
        let request = CallRequest {
            object: self.object,
            class: self.class,
            number,
            direction: CallDirection::ToServer,
        };
        OutgoingCommand {
            routed: Routed::begin(self.router, request),
            unsent: NetworkWriter::new(),
        }
    }
}

impl OutgoingCommand<'_> {
    /// Returns the writer for the arguments.
    pub fn writer(&mut self) -> &mut NetworkWriter {
        match self.routed.writer(0) {
            Some(writer) => writer,
            None => &mut self.unsent,
        }
    }

    /// Sends the command.
    ///
    /// # Errors
    ///
    /// Those of the call; nothing is sent then.
    pub fn send(self) -> Result<(), CallError> {
        self.routed.send()
    }
}

impl<'call> RpcSender<'call> {
    /// A sender of the calls of clients that a class declares, on an object.
    pub fn through(router: &'call mut dyn CallRouter, object: NetId, class: Class) -> Self {
        Self {
            router,
            object,
            class,
            target: None,
        }
    }

    /// The same sender with other receivers than those that the call itself names.
    #[must_use]
    pub fn to(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    /// Begins the call of this number among those that the class declares.
    pub fn begin(self, number: u32) -> OutgoingRpc<'call> {
        let request = CallRequest {
            object: self.object,
            class: self.class,
            number,
            direction: CallDirection::ToClients(self.target),
        };
        OutgoingRpc {
            routed: Routed::begin(self.router, request),
            given: 0,
        }
    }

    /// Begins a call that goes to one connection.
    pub fn begin_to(mut self, connection: ConnectionId, number: u32) -> OutgoingRpc<'call> {
        if self.target.is_some() {
            let routed = Routed {
                router: self.router,
                call: Err(CallError::TargetGiven),
            };
            return OutgoingRpc { routed, given: 0 };
        }
        self.target = Some(Target::One(connection));
        self.begin(number)
    }
}

impl OutgoingRpc<'_> {
    /// Returns the next writer for the arguments: one for each encoding of the receivers.
    pub fn next_writer(&mut self) -> Option<&mut NetworkWriter> {
        let writer = self.routed.writer(self.given)?;
        self.given += 1;
        Some(writer)
    }

    /// Sends the call.
    ///
    /// # Errors
    ///
    /// Those of the call; nothing is sent then.
    pub fn send(self) -> Result<(), CallError> {
        self.routed.send()
    }
}
