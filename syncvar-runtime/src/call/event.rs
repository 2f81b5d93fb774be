//! Events of objects: their identity and their arguments.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::NetworkCalls;
use crate::route::CallPlace;
use crate::schema::{CallSchema, TypeSchema};
use crate::untyped::{Value, read_arguments};
use crate::{Encoding, NetId, NetworkReader, ReadError, SyncValue};

/// Event declared by `#[sync_event]`, with the types of its arguments: the key for
/// [`ReceivedEvent::arguments`]. The macro declares it as a constant.
pub struct SyncEvent<A> {
    declared: (TypeId, u32),
    arguments: PhantomData<fn() -> A>,
}

/// A received event of an object.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Goal {
///     #[sync_var]
///     team: SyncVar<u8>,
/// }
///
/// #[network_calls]
/// impl Goal {
///     #[sync_event]
///     fn scored(points: u32);
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Goal>("goal"));
/// let goal = net.server.spawn(Goal::default());
/// net.settle();
/// net.server.calls::<Goal>(goal).scored(5).unwrap();
/// net.settle();
/// let event = std::iter::from_fn(|| net.client_mut(0).poll_event()).find_map(|event| match event {
///     ClientEvent::SyncEvent(event) => Some(event),
///     _ => None,
/// });
/// let event = event.expect("a received event");
/// assert_eq!((event.object(), event.name()), (goal, "scored"));
/// assert_eq!(event.arguments(Goal::SCORED), Some((5,)));
/// ```
#[derive(Clone, PartialEq)]
pub struct ReceivedEvent(Box<EventParts>);

/// Behind a pointer, so that the remaining client events stay short.
#[derive(Clone)]
struct EventParts {
    object: NetId,
    behaviour: usize,
    schema: &'static CallSchema,
    declared: (TypeId, u32),
    encoding: Encoding,
    arguments: Bytes,
}

impl PartialEq for EventParts {
    fn eq(&self, other: &Self) -> bool {
        let place = |parts: &Self| (parts.object, parts.behaviour, parts.declared);
        place(self) == place(other)
            && self.schema.name == other.schema.name
            && (self.encoding, &self.arguments) == (other.encoding, &other.arguments)
    }
}

impl<A> SyncEvent<A> {
    /// Creates the key of a call that `B` declares, by number.
    pub const fn of<B: NetworkCalls>(number: u32) -> Self {
        Self {
            declared: (TypeId::of::<B>(), number),
            arguments: PhantomData,
        }
    }
}

impl<A> Clone for SyncEvent<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for SyncEvent<A> {}

impl<A> fmt::Debug for SyncEvent<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SyncEvent({})", self.declared.1)
    }
}

impl ReceivedEvent {
    /// Creates the event of a received call.
    pub fn new(object: NetId, place: &CallPlace, encoding: Encoding, arguments: &[u8]) -> Self {
        Self(Box::new(EventParts {
            object,
            behaviour: place.behaviour,
            schema: place.schema,
            declared: place.declared,
            encoding,
            arguments: Bytes::copy_from_slice(arguments),
        }))
    }

    /// Returns the object.
    pub fn object(&self) -> NetId {
        self.0.object
    }

    /// Returns the position of the behaviour on the object.
    pub fn behaviour(&self) -> usize {
        self.0.behaviour
    }

    /// Returns the declared name of the event.
    pub fn name(&self) -> &'static str {
        self.0.schema.name
    }

    /// Returns the names and values of the arguments, for a program without the compiled type. `None` if a type has no known
    /// layout.
    pub fn values(&self) -> Option<Vec<(&'static str, Value)>> {
        let mut reader = NetworkReader::with_encoding(&self.0.arguments, self.0.encoding);
        read_arguments(self.0.schema.arguments, &mut reader).ok()
    }

    /// Returns the arguments if the event has this key. A single argument is a tuple with one member.
    pub fn arguments<A: CallArguments>(&self, event: SyncEvent<A>) -> Option<A> {
        if self.0.declared != event.declared {
            return None;
        }
        let mut reader = NetworkReader::with_encoding(&self.0.arguments, self.0.encoding);
        A::read(&mut reader).ok()
    }
}

impl fmt::Debug for ReceivedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReceivedEvent")
            .field("object", &self.object())
            .field("behaviour", &self.behaviour())
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

/// Arguments of a call: a tuple of up to 16 values.
pub trait CallArguments: Sized {
    /// Types of the arguments.
    const TYPES: &'static [TypeSchema];

    /// Reads the arguments in order.
    ///
    /// # Errors
    ///
    /// The errors of the values.
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError>;
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: SyncValue),*> CallArguments for ($($name,)*) {
            const TYPES: &'static [TypeSchema] = &[$(<$name as SyncValue>::SCHEMA),*];

            #[allow(unused_variables, reason = "one of them is empty")]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                Ok(($(<$name as SyncValue>::read(reader)?,)*))
            }
        }
    )*};
}

tuples! {
    () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
    (A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L)
    (A B C D E F G H I J K L M) (A B C D E F G H I J K L M N) (A B C D E F G H I J K L M N O)
    (A B C D E F G H I J K L M N O P)
}
