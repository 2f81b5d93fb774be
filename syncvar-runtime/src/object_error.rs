//! `ObjectError`: reasons why an object or a behaviour cannot be used.

use std::any::type_name;
use std::error::Error;
use std::fmt;

use crate::{ConnectionId, NetId};

/// Reason why a server or client cannot use an object, a behaviour or a connection.
///
/// ```
/// use syncvar::{error::ObjectError, prelude::*};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
/// let door = server.spawn(Door::default());
/// let again = server.get_many_mut::<Door, 2>([door, door]).unwrap_err();
/// assert_eq!(again, ObjectError::CheckedOut(door));
/// assert_eq!(again.to_string(), "object #1 is checked out: a callback or a guard borrows it");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObjectError {
    /// The object does not exist, or is not visible to the application yet.
    NoSuchObject(NetId),
    /// The object lacks a behaviour of this type at the place.
    NoSuchBehaviour {
        /// The object.
        object: NetId,
        /// Type of the behaviour.
        behaviour: &'static str,
    },
    /// The object lacks a behaviour at this index.
    NoSuchIndex {
        /// The object.
        object: NetId,
        /// Index of the behaviour.
        index: usize,
    },
    /// A callback or a guard borrows the object. Inside a callback, this is the callback's own object:
    /// use `self`, and [`NetworkContext::sibling_mut`](crate::NetworkContext::sibling_mut) for its
    /// other behaviours.
    CheckedOut(NetId),
    /// The connection does not exist, or is closing.
    NotConnected(ConnectionId),
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchObject(object) => write!(f, "object {object} does not exist here"),
            Self::NoSuchBehaviour { object, behaviour } => {
                write!(f, "object {object} has no behaviour {behaviour} there")
            }
            Self::NoSuchIndex { object, index } => {
                write!(f, "object {object} has no behaviour at index {index}")
            }
            Self::CheckedOut(object) => write!(
                f,
                "object {object} is checked out: a callback or a guard borrows it"
            ),
            Self::NotConnected(connection) => write!(f, "{connection} is not connected"),
        }
    }
}

impl Error for ObjectError {}

impl ObjectError {
    /// Returns the error for a missing behaviour of a type.
    #[cold]
    pub fn no_behaviour<B>(object: NetId) -> Self {
        let behaviour = type_name::<B>();
        Self::NoSuchBehaviour { object, behaviour }
    }
}
