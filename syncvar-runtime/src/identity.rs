//! Objects: an id, a place, and the behaviours on it.

mod behaviours;
mod pool;
mod relations;
mod ruled;
mod sections;
mod slot;
mod slots;

pub use behaviours::{BehaviourList, BehaviourSet, Behaviours};
#[cfg(feature = "parallel")]
pub(crate) use pool::Pool;
pub(crate) use pool::{Entry, Job};
pub use pool::{Location, Pools};
pub use relations::{Relation, Relations};
pub(crate) use ruled::Ruled;
pub use sections::{MirrorHooks, SectionHooks};
pub use slot::{AnyBehaviour, BehaviourInfo, Nanos, Remembered, Slot, nanos};
pub use slots::{MAX_BEHAVIOURS, Slots};
pub(crate) use slots::{MAX_CHANNELS, MarkSent, Pending, ReadChanges, Visit, When, WriteChanges};

use std::any::Any;
use std::fmt;

use crate::schema::TypeSchema;
use crate::{
    NetworkBehaviour, NetworkHash128, NetworkReader, NetworkSceneId, NetworkWriter, Quaternion,
    ReadError, SyncValue, Vector3,
};

/// The number of a spawned object, the same on the server and on every client. Counted from 1 and
/// never given twice; 0 stands for no object. Packed on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NetId(pub u32);

impl NetId {
    /// No object.
    pub const NONE: Self = Self(0);
}

impl fmt::Display for NetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("#{}", self.0))
    }
}

#[diagnostic::do_not_recommend]
impl SyncValue for NetId {
    const SCHEMA: TypeSchema = TypeSchema::Named("NetId");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_unsigned(self.0);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_unsigned("NetId").map(Self)
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// A spawned object: its id, the prefab it was made from, where it stands, and a look at its
/// behaviours.
#[derive(Clone, Copy)]
pub struct NetworkIdentity<'a> {
    net_id: NetId,
    asset_id: NetworkHash128,
    /// Where the object stood when it was last spawned or placed. Travels with the spawn and not
    /// again.
    pub position: Vector3,
    /// How the object was turned then. Travels with the spawn and not again.
    pub rotation: Quaternion,
    behaviours: &'a dyn Slots,
    relations: &'a Relations,
}

/// Where an object stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its position.
    pub position: Vector3,
    /// How it is turned.
    pub rotation: Quaternion,
}

impl Default for Place {
    fn default() -> Self {
        Self {
            position: Vector3::default(),
            rotation: Quaternion::IDENTITY,
        }
    }
}

impl<'a> NetworkIdentity<'a> {
    #[doc(hidden)]
    pub fn new(
        (net_id, asset_id): (NetId, NetworkHash128),
        place: Place,
        behaviours: &'a dyn Slots,
        relations: &'a Relations,
    ) -> Self {
        Self {
            net_id,
            asset_id,
            position: place.position,
            rotation: place.rotation,
            behaviours,
            relations,
        }
    }

    /// Its number.
    pub fn net_id(self) -> NetId {
        self.net_id
    }

    /// What names its prefab on the wire.
    pub fn asset_id(self) -> NetworkHash128 {
        self.asset_id
    }

    /// Its number in the scene, if both sides have made it themselves.
    pub fn scene_id(self) -> Option<NetworkSceneId> {
        self.relations.scene_id(self.net_id)
    }

    /// The object that it is below, if there is one. A client knows its number even where it does not
    /// see that object.
    pub fn parent(self) -> Option<NetId> {
        self.relations.parent(self.net_id)
    }

    /// How many behaviours it has.
    pub fn behaviour_count(self) -> usize {
        self.behaviours.len()
    }

    /// Its first behaviour of this type.
    pub fn behaviour<B: NetworkBehaviour>(self) -> Option<&'a B> {
        (0..self.behaviours.len()).find_map(|index| self.behaviour_at(index))
    }

    /// Its behaviour at this position, if it is of this type.
    pub fn behaviour_at<B: NetworkBehaviour>(self, index: usize) -> Option<&'a B> {
        downcast(self.behaviours.slot(index)?)
    }

    /// The name of the behaviour at this position.
    pub fn behaviour_name(self, index: usize) -> Option<&'static str> {
        Some(self.behaviours.slot(index)?.info().schema.name)
    }
}

impl fmt::Debug for NetworkIdentity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = (0..self.behaviour_count()).filter_map(|index| self.behaviour_name(index));
        f.debug_struct("NetworkIdentity")
            .field("net_id", &self.net_id)
            .field("asset_id", &self.asset_id)
            .field("position", &self.position)
            .field("rotation", &self.rotation)
            .field("behaviours", &names.collect::<Vec<_>>())
            .field("scene_id", &self.scene_id())
            .field("parent", &self.parent())
            .finish()
    }
}

fn downcast<B: NetworkBehaviour>(slot: &dyn Slot) -> Option<&B> {
    (slot.behaviour() as &dyn Any).downcast_ref()
}
