//! `ObjectError`: reasons why an object or a behaviour cannot be used.

use std::any::type_name;

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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The object does not exist, or is not visible to the application yet.
    #[error("object {0} does not exist here")]
    NoSuchObject(NetId),
    /// The object has no behaviour of this type at the place.
    #[error("object {object} has no behaviour {behaviour} there")]
    NoSuchBehaviour {
        /// The object.
        object: NetId,
        /// Type of the behaviour.
        behaviour: &'static str,
    },
    /// A callback or a guard borrows the object.
    #[error("object {0} is checked out: a callback or a guard borrows it")]
    CheckedOut(NetId),
    /// The connection does not exist, or is closing.
    #[error("{0} is not connected")]
    NotConnected(ConnectionId),
}

impl ObjectError {
    /// Returns the error for a missing behaviour of a type.
    #[cold]
    pub fn no_behaviour<B: NetworkBehaviour>(object: NetId) -> Self {
        let behaviour = type_name::<B>();
        Self::NoSuchBehaviour { object, behaviour }
    }
}

impl<O: WorldObject> World<O> {
    /// Returns the reason why an object, or its behaviour of a type, cannot be borrowed.
    #[cold]
    pub fn why_not<B: NetworkBehaviour>(&self, id: NetId) -> ObjectError {
        match self.check(id) {
            Ok(()) => ObjectError::no_behaviour::<B>(id),
            Err(error) => error,
        }
    }

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
