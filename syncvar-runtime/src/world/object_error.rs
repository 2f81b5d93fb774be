//! `ObjectError`: reasons why an object or a behaviour cannot be used.

use std::any::type_name;
use std::error::Error;
use std::fmt;

use super::{World, WorldObject};
use crate::{ConnectionId, NetId, NetworkBehaviour};

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
    /// The object has no behaviour of this type at the place.
    NoSuchBehaviour {
        /// The object.
        object: NetId,
        /// Type of the behaviour.
        behaviour: &'static str,
    },
    /// A callback or a guard borrows the object.
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
    pub fn no_behaviour<B: NetworkBehaviour>(object: NetId) -> Self {
        let behaviour = type_name::<B>();
        Self::NoSuchBehaviour { object, behaviour }
    }
}

impl<O: WorldObject> World<O> {
    /// Checks that an object is visible and not checked out.
    ///
    /// # Errors
    ///
    /// When it is not.
    pub fn check(&self, id: NetId) -> Result<(), ObjectError> {
        if !self.is_visible(id) {
            return Err(ObjectError::NoSuchObject(id));
        }
        let slots = self.slots(id).map(|_| ());
        slots.ok_or(ObjectError::CheckedOut(id))
    }
}
