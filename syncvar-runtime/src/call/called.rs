//! `Called`: a received call that the application runs.

use std::fmt;

use bytes::Bytes;

use super::{CallArguments, CallFailure, CallPlace};
use crate::behaviour::{
    NetworkContext, NetworkSide, Panicked, WithoutSiblings, contain, handle_call,
};
use crate::schema::SchemaType;
use crate::untyped::{Value, read_arguments};
use crate::{CallContext, ConnectionId, Encoding, NetId, NetworkBehaviour, NetworkReader};

/// A received call, with [`Callbacks::Events`](crate::Callbacks::Events). `run_call` of the server or
/// client runs it on the application's own value of the behaviour.
#[derive(Clone, PartialEq)]
pub struct Called(Box<CalledParts>);

/// Behind a pointer, so that the events stay short.
#[derive(Clone)]
struct CalledParts {
    object: NetId,
    place: CallPlace,
    sender: Option<ConnectionId>,
    encoding: Encoding,
    arguments: Bytes,
}

impl PartialEq for CalledParts {
    fn eq(&self, other: &Self) -> bool {
        self.object == other.object
            && self.place.is(&other.place)
            && (self.sender, self.encoding, &self.arguments)
                == (other.sender, other.encoding, &other.arguments)
    }
}

impl Called {
    /// Creates a received call from its unread arguments.
    pub fn new(
        object: NetId,
        place: &CallPlace,
        sender: Option<ConnectionId>,
        arguments: &NetworkReader<'_>,
    ) -> Self {
        Self(Box::new(CalledParts {
            object,
            place: *place,
            sender,
            encoding: arguments.encoding(),
            arguments: Bytes::copy_from_slice(arguments.rest()),
        }))
    }

    /// Returns the object.
    pub fn object(&self) -> NetId {
        self.0.object
    }

    /// Returns the position of the behaviour on the object.
    pub fn behaviour(&self) -> usize {
        self.0.place.behaviour
    }

    /// Returns the name of the call.
    pub fn name(&self) -> &'static str {
        self.0.place.schema.name
    }

    /// Returns the connection that sent a command; `None` for a call of the server.
    pub fn sender(&self) -> Option<ConnectionId> {
        self.0.sender
    }

    /// Returns the place of the call, and its arguments in an encoding.
    pub fn encoded(&self) -> (&CallPlace, Encoding, &Bytes) {
        (&self.0.place, self.0.encoding, &self.0.arguments)
    }

    /// Returns the names and values of the arguments, for a program without the compiled type. `None` if a type has no known
    /// layout.
    pub fn values(&self) -> Option<Vec<(&'static str, Value)>> {
        let mut reader = NetworkReader::with_encoding(&self.0.arguments, self.0.encoding);
        read_arguments(self.0.place.schema.arguments, &mut reader).ok()
    }

    /// Returns the arguments as a tuple; a single argument is a tuple with one member. An engine runs the call by
    /// them as a function or an observer of its own, without a value of the behaviour.
    ///
    /// # Errors
    ///
    /// When the types of the call differ on the wire, or the arguments are malformed.
    pub fn arguments<A: CallArguments>(&self) -> Result<A, CallFailure> {
        let CalledParts {
            object,
            place,
            encoding,
            arguments,
            ..
        } = &*self.0;
        let declared = place.schema.arguments;
        let types = declared.iter().map(|argument| &argument.schema);
        if !types
            .map(SchemaType::from)
            .eq(A::TYPES.iter().map(SchemaType::from))
        {
            let declared: Vec<String> = declared
                .iter()
                .map(|argument| format!("{}: {}", argument.name, argument.schema))
                .collect();
            let message = format!("the arguments are ({})", declared.join(", "));
            return Err(CallFailure::new(*object, place, message));
        }
        let mut reader = NetworkReader::with_encoding(arguments, *encoding);
        let read = A::read(&mut reader);
        read.map_err(|error| CallFailure::new(*object, place, error.to_string()))
    }

    /// Returns whether a behaviour of a type has the call.
    pub fn is_of<B: NetworkBehaviour>(&self) -> bool {
        let call = const { B::INFO.calls }.get(self.0.place.number);
        call.is_some_and(|(class, number, _)| (class, number) == self.0.place.declared)
    }

    /// Runs the call on a behaviour. The context has the object's id and no siblings.
    ///
    /// # Errors
    ///
    /// When the behaviour lacks the call, the arguments are malformed, or the call panics.
    pub fn run<B: NetworkBehaviour>(
        &self,
        on: &mut B,
        side: &mut dyn NetworkSide,
    ) -> Result<(), CallFailure> {
        let CalledParts {
            object,
            place,
            sender,
            encoding,
            arguments,
        } = &*self.0;
        let failed = |message| CallFailure::new(*object, place, message);
        if !self.is_of::<B>() {
            let message = format!("{} has no such call", B::SCHEMA.name);
            return Err(failed(message));
        }
        let mut reader = NetworkReader::with_encoding(arguments, *encoding);
        let mut siblings = WithoutSiblings;
        let context = NetworkContext::new(side, &mut siblings, *object, place.behaviour);
        let mut context = CallContext::new(context, *sender);
        match contain(|| handle_call(on, place.number, &mut reader, &mut context)) {
            Ok(read) => read.map_err(|error| failed(error.to_string())),
            Err(Panicked(message)) => Err(failed(message)),
        }
    }
}

impl fmt::Debug for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Called")
            .field("object", &self.object())
            .field("behaviour", &self.behaviour())
            .field("name", &self.name())
            .field("sender", &self.sender())
            .finish_non_exhaustive()
    }
}
