//! References to objects and to their behaviours: kept as ids, and looked up when they are needed.

mod visit;
#[cfg(feature = "serde")]
mod with_serde;

pub use visit::VisitRefs;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::DerefMut;

use crate::schema::TypeSchema;
use crate::{
    NetId, NetworkBehaviour, NetworkContext, NetworkIdentity, NetworkReader, NetworkWriter,
    ObjectError, ReadError, ReadErrorKind, SyncValue,
};

/// Lookup of references: a server, a client, or the context of a
/// callback.
pub trait NetworkObjects {
    /// Returns the object with this id. On a client an object exists from
    /// `ClientEvent::Spawned` on.
    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>>;
}

/// Lookup of references for writing: a server or a client.
pub trait NetworkObjectsMut: NetworkObjects {
    /// Guard of a behaviour for writing, which finds the changes when it is
    /// dropped.
    type Guard<'a, B: NetworkBehaviour>: DerefMut<Target = B>
    where
        Self: 'a;

    /// Returns the first behaviour of this type on an object, for writing.
    ///
    /// # Errors
    ///
    /// When the object does not exist, lacks the behaviour or is checked out.
    fn behaviour_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Result<Self::Guard<'_, B>, ObjectError>;

    /// Returns the behaviour at a position of an object, for writing.
    ///
    /// # Errors
    ///
    /// When the object does not exist, lacks a behaviour of this type there or is checked out.
    fn behaviour_at_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Result<Self::Guard<'_, B>, ObjectError>;
}

/// A reference to an object, as a value: in a field, in a collection, in a struct, as an argument of a
/// call.
///
/// It consists of the object's id, looked up on use. It may arrive before
/// the object that it refers to, or name an object that this client does not observe: it returns `None` until the
/// object has arrived, which `ClientEvent::ReferenceResolved`
/// announces. After the object's despawn it returns `None` for ever: an id is never
/// used again.
///
/// ```
/// use syncvar::{NetRef, NetworkServer, Prefabs, behaviour::BehaviourList};
///
/// let mut server = NetworkServer::new(Prefabs::new().register_with("crate", BehaviourList::new));
/// let id = server.spawn(BehaviourList::new());
/// let target = server.net_ref(id).expect("it is spawned");
/// assert_eq!(target.try_get(&server).map(|object| object.net_id()), Some(id));
///
/// server.despawn(id).unwrap();
/// assert!(target.try_get(&server).is_none());
/// assert!(server.net_ref(id).is_none());
/// assert!(NetRef::NONE.try_get(&server).is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NetRef {
    object: NetId,
}

impl NetRef {
    /// The reference to no object.
    pub const NONE: Self = Self {
        object: NetId::NONE,
    };

    /// Returns a reference to an object that exists.
    pub fn to(objects: &impl NetworkObjects, object: NetId) -> Option<Self> {
        let identity = objects.identity(object)?;
        Some(identity.into())
    }

    /// Returns a reference to an object that is spawned later, with an id of
    /// `NetworkServer::reserve_id`.
    pub const fn reserved(object: NetId) -> Self {
        Self { object }
    }

    /// Returns the id of the object, or [`NetId::NONE`].
    pub const fn id(self) -> NetId {
        self.object
    }

    /// Returns whether this refers to no object. A reference to a despawned object does refer to one.
    pub const fn is_none(self) -> bool {
        self.object.0 == 0
    }

    /// Returns the object, if it exists.
    pub fn try_get(self, objects: &impl NetworkObjects) -> Option<NetworkIdentity<'_>> {
        objects.identity(self.object)
    }

    /// Returns the first behaviour of this type on the object.
    pub fn behaviour<B: NetworkBehaviour>(self, objects: &impl NetworkObjects) -> Option<&B> {
        self.try_get(objects)?.behaviour()
    }

    /// Returns the first behaviour of this type on the object, for writing.
    ///
    /// # Errors
    ///
    /// When the object does not exist, lacks the behaviour or is checked out.
    pub fn behaviour_mut<B: NetworkBehaviour, O: NetworkObjectsMut>(
        self,
        objects: &mut O,
    ) -> Result<O::Guard<'_, B>, ObjectError> {
        objects.behaviour_mut(self.object)
    }
}

impl From<NetworkIdentity<'_>> for NetRef {
    fn from(identity: NetworkIdentity<'_>) -> Self {
        identity.net_id().into()
    }
}

/// Converts without a check that the object exists; see [`NetRef::to`].
impl From<NetId> for NetRef {
    fn from(object: NetId) -> Self {
        Self { object }
    }
}

impl From<NetRef> for NetId {
    fn from(reference: NetRef) -> Self {
        reference.object
    }
}

impl fmt::Display for NetRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.fmt(f)
    }
}

#[diagnostic::do_not_recommend]
impl SyncValue for NetRef {
    const SCHEMA: TypeSchema = TypeSchema::Named("NetRef");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        write_object(self.object, writer);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let object = read_object(reader, "NetRef")?;
        let object = reader.note_reference(object);
        Ok(Self { object })
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// Writes the object of a reference; in `Mirror` four bytes, where a [`NetId`] has fewer.
#[inline]
fn write_object(object: NetId, writer: &mut NetworkWriter) {
    writer.write_fixed_or(object.0.to_le_bytes(), |writer| object.write(writer));
}

/// Counterpart of [`write_object`]; `target` names the type for an error.
#[inline]
fn read_object(reader: &mut NetworkReader<'_>, target: &'static str) -> Result<NetId, ReadError> {
    let number = reader.read_fixed_or(u32::from_le_bytes, |reader| reader.read_unsigned(target));
    number.map(NetId)
}

/// A reference to a behaviour of type `T`, as a value: an object, and the position of the behaviour
/// on it. Otherwise it is like a [`NetRef`].
///
/// It returns `None` for a behaviour of a different type at that position, which only a broken or malicious
/// server sends.
///
/// ```
/// use syncvar::{BehaviourRef, NetId, NetworkBehaviour, NetworkServer};
///
/// /// Of two behaviours on an object, the one that it is about.
/// fn aim<T: NetworkBehaviour>(server: &NetworkServer, id: NetId) -> BehaviourRef<T> {
///     BehaviourRef::at(server, id, 1).unwrap_or(BehaviourRef::NONE)
/// }
/// ```
pub struct BehaviourRef<T> {
    object: NetId,
    index: u8,
    behaviour: PhantomData<fn() -> T>,
}

impl<T> BehaviourRef<T> {
    /// The reference to no behaviour.
    pub const NONE: Self = Self {
        object: NetId::NONE,
        index: 0,
        behaviour: PhantomData,
    };

    /// Returns the id of the object, or [`NetId::NONE`].
    pub const fn id(self) -> NetId {
        self.object
    }

    /// Returns the position of the behaviour on the object.
    pub fn index(self) -> usize {
        self.index.into()
    }

    /// Returns whether this refers to no object. A reference to a despawned object does refer to one.
    pub const fn is_none(self) -> bool {
        self.object.0 == 0
    }
}

impl<T: NetworkBehaviour> BehaviourRef<T> {
    /// Returns a reference to the first behaviour of this type on an object; none if the object
    /// does not exist or lacks the behaviour.
    pub fn to(objects: &impl NetworkObjects, object: NetId) -> Option<Self> {
        let identity = objects.identity(object)?;
        let mut positions = 0..identity.behaviour_count();
        let index = positions.find(|index| identity.behaviour_at::<T>(*index).is_some())?;
        Self::at(objects, object, index)
    }

    /// Returns a reference to the behaviour at a position of an object; none if the object does not exist or the
    /// behaviour is of a different type.
    pub fn at(objects: &impl NetworkObjects, object: NetId, index: usize) -> Option<Self> {
        objects.identity(object)?.behaviour_at::<T>(index)?;
        Some(Self {
            object,
            index: u8::try_from(index).ok()?,
            behaviour: PhantomData,
        })
    }

    /// Returns the behaviour, if its object exists.
    pub fn try_get(self, objects: &impl NetworkObjects) -> Option<&T> {
        objects.identity(self.object)?.behaviour_at(self.index())
    }

    /// Returns the behaviour for writing.
    ///
    /// # Errors
    ///
    /// When the object does not exist, lacks a behaviour of this type there or is checked out.
    pub fn try_get_mut<O: NetworkObjectsMut>(
        self,
        objects: &mut O,
    ) -> Result<O::Guard<'_, T>, ObjectError> {
        objects.behaviour_at_mut(self.object, self.index())
    }
}

impl<T> From<BehaviourRef<T>> for NetRef {
    fn from(reference: BehaviourRef<T>) -> Self {
        reference.object.into()
    }
}

impl<T> Clone for BehaviourRef<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for BehaviourRef<T> {}

impl<T> Default for BehaviourRef<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T> PartialEq for BehaviourRef<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.object, self.index) == (other.object, other.index)
    }
}

impl<T> Eq for BehaviourRef<T> {}

impl<T> PartialOrd for BehaviourRef<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for BehaviourRef<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.object, self.index).cmp(&(other.object, other.index))
    }
}

impl<T> Hash for BehaviourRef<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.object, self.index).hash(state);
    }
}

impl<T> fmt::Debug for BehaviourRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BehaviourRef")
            .field("object", &self.object)
            .field("index", &self.index)
            .finish()
    }
}

/// The name of `T` is not part of the schema: it may be the very class that has the field.
#[diagnostic::do_not_recommend]
impl<T: NetworkBehaviour> SyncValue for BehaviourRef<T> {
    const SCHEMA: TypeSchema = TypeSchema::Named("BehaviourRef");

    fn write(&self, writer: &mut NetworkWriter) {
        write_object(self.object, writer);
        if !self.is_none() {
            self.index.write(writer);
        }
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let object = read_object(reader, "BehaviourRef")?;
        if object == NetId::NONE {
            return Ok(Self::NONE);
        }
        let start = reader.mark();
        let packed =
            |reader: &mut NetworkReader<'_>| reader.read_unsigned("position of a behaviour");
        let index = reader.read_fixed_or(u8::from_le_bytes, packed)?;
        if usize::from(index) >= crate::schema::MAX_BEHAVIOURS {
            let (what, value) = ("position of a behaviour", index.into());
            return Err(reader.error_since(start, ReadErrorKind::InvalidValue { what, value }));
        }
        let object = reader.note_reference(object);
        if object == NetId::NONE {
            return Ok(Self::NONE);
        }
        Ok(Self {
            object,
            index,
            behaviour: PhantomData,
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// All objects except the current one, whose behaviours are the [siblings](NetworkContext::sibling).
impl NetworkObjects for NetworkContext<'_> {
    fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity(id)
    }
}
