//! Objects: an id, a place, and the behaviours on it.

mod behaviours;
mod slot;
mod slots;

pub use behaviours::{BehaviourList, BehaviourSet, Behaviours};
pub(crate) use slots::{MAX_CHANNELS, Pending, When};

use std::any::Any;
use std::fmt;

use crate::schema::TypeSchema;
use crate::{
    NetworkBehaviour, NetworkHash128, NetworkReader, NetworkWriter, Quaternion, ReadError,
    SyncValue, Vector3,
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

/// A spawned object: its id, the prefab it was made from, where it stands, and its behaviours.
#[derive(Debug)]
pub struct NetworkIdentity {
    net_id: NetId,
    asset_id: NetworkHash128,
    /// Where the object stood when it was spawned. Travels with the spawn and not again.
    pub position: Vector3,
    /// How the object was turned when it was spawned. Travels with the spawn and not again.
    pub rotation: Quaternion,
    pub(crate) behaviours: Behaviours,
}

impl NetworkIdentity {
    pub(crate) fn new(net_id: NetId, asset_id: NetworkHash128, behaviours: Behaviours) -> Self {
        Self {
            net_id,
            asset_id,
            position: Vector3::default(),
            rotation: Quaternion::IDENTITY,
            behaviours,
        }
    }

    /// Its number.
    pub fn net_id(&self) -> NetId {
        self.net_id
    }

    /// What names its prefab on the wire.
    pub fn asset_id(&self) -> NetworkHash128 {
        self.asset_id
    }

    /// How many behaviours it has.
    pub fn behaviour_count(&self) -> usize {
        self.behaviours.len()
    }

    /// Its first behaviour of this type.
    pub fn behaviour<B: NetworkBehaviour>(&self) -> Option<&B> {
        (0..self.behaviours.len()).find_map(|index| self.behaviour_at(index))
    }

    /// Its behaviour at this position, if it is of this type.
    pub fn behaviour_at<B: NetworkBehaviour>(&self, index: usize) -> Option<&B> {
        (self.behaviours.slot(index)?.behaviour() as &dyn Any).downcast_ref()
    }

    pub(crate) fn behaviour_mut<B: NetworkBehaviour>(&mut self) -> Option<&mut B> {
        let index = (0..self.behaviours.len()).find(|i| self.behaviour_at::<B>(*i).is_some())?;
        self.behaviour_at_mut(index)
    }

    pub(crate) fn behaviour_at_mut<B: NetworkBehaviour>(&mut self, index: usize) -> Option<&mut B> {
        (self.behaviours.slot_mut(index)?.behaviour_mut() as &mut dyn Any).downcast_mut()
    }

    /// The name of the behaviour at this position.
    pub fn behaviour_name(&self, index: usize) -> Option<&'static str> {
        Some(self.behaviours.slot(index)?.info().schema.name)
    }
}
