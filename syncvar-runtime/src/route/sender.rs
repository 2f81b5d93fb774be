//! Outgoing calls through a [`CallRouter`].

use super::{CallDirection, CallError, CallRequest, CallRouter, Class, RoutedCall};
use crate::{ConnectionId, NetId, NetworkWriter, Target};

/// Sender of commands, wrapped by a type of the macro.
#[derive(Debug)]
pub struct CommandSender<'call> {
    router: &'call mut dyn CallRouter,
    object: NetId,
    class: Class,
}

/// Sender of calls of clients, wrapped by a type of the macro.
#[derive(Debug)]
pub struct RpcSender<'call> {
    router: &'call mut dyn CallRouter,
    object: NetId,
    class: Class,
    target: Option<Target>,
}

/// A command under construction.
#[derive(Debug)]
pub struct OutgoingCommand<'call> {
    routed: Routed<'call>,
    /// Writer for the arguments of a command that cannot be sent.
    unsent: NetworkWriter,
}

/// A call of clients under construction.
#[derive(Debug)]
pub struct OutgoingRpc<'call> {
    routed: Routed<'call>,
    /// Number of writers handed out so far.
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
    /// Creates a sender for the commands of a class, on an object.
    pub fn through(router: &'call mut dyn CallRouter, object: NetId, class: Class) -> Self {
        Self {
            router,
            object,
            class,
        }
    }

    /// Begins the class's call with this number.
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
    /// When the call is not permitted or an argument cannot be encoded; no byte is sent then.
    pub fn send(self) -> Result<(), CallError> {
        self.routed.send()
    }
}

impl<'call> RpcSender<'call> {
    /// Creates a sender for the client calls of a class, on an object.
    pub fn through(router: &'call mut dyn CallRouter, object: NetId, class: Class) -> Self {
        Self {
            router,
            object,
            class,
            target: None,
        }
    }

    /// Replaces the receivers that the call declares.
    #[must_use]
    pub fn to(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    /// Begins the class's call with this number.
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

    /// Begins a call for one connection.
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
    /// When the call is not permitted or an argument cannot be encoded; no byte is sent then.
    pub fn send(self) -> Result<(), CallError> {
        self.routed.send()
    }
}
