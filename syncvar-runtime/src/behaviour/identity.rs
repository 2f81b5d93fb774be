//! `NetworkIdentity`: a spawned object as seen by the application.

use std::any::Any;
use std::fmt;

use super::{AnyBehaviour, NetworkBehaviour};
use crate::relations::{Place, Relations};
use crate::{NetId, NetworkHash128, NetworkSceneId, Quaternion, Vector3};

/// The behaviours of an object, in order, with their types erased.
pub trait BehaviourRow {
    /// The number of behaviours.
    fn behaviour_count(&self) -> usize;

    /// The behaviour at a position.
    fn behaviour_at(&self, index: usize) -> Option<&dyn AnyBehaviour>;

    /// The name of the behaviour at a position.
    fn behaviour_name(&self, index: usize) -> Option<&'static str>;
}

/// A spawned object: its id, the prefab it was made from, where it stands, and a look at its
/// behaviours.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door { open: true.into() });
/// net.settle();
/// let identity = net.client(0).identity(door).unwrap();
/// assert_eq!(identity.net_id(), door);
/// assert_eq!(identity.behaviour_name(0), Some("Door"));
/// assert_eq!(identity.behaviour::<Door>().unwrap().open, true);
/// assert_eq!(identity.parent(), None);
/// ```
#[derive(Clone, Copy)]
pub struct NetworkIdentity<'a> {
    net_id: NetId,
    asset_id: NetworkHash128,
    /// Where the object stood when it was last spawned or placed. Travels with the spawn and not
    /// again.
    pub position: Vector3,
    /// How the object was turned then. Travels with the spawn and not again.
    pub rotation: Quaternion,
    behaviours: &'a dyn BehaviourRow,
    relations: &'a Relations,
}

impl<'a> NetworkIdentity<'a> {
    /// An object with this number and asset id.
    pub fn new(
        (net_id, asset_id): (NetId, NetworkHash128),
        place: Place,
        behaviours: &'a dyn BehaviourRow,
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
        self.behaviours.behaviour_count()
    }

    /// Its first behaviour of this type.
    pub fn behaviour<B: NetworkBehaviour>(self) -> Option<&'a B> {
        (0..self.behaviours.behaviour_count()).find_map(|index| self.behaviour_at(index))
    }

    /// Its behaviour at this position, if it is of this type.
    pub fn behaviour_at<B: NetworkBehaviour>(self, index: usize) -> Option<&'a B> {
        let behaviour: &dyn Any = self.behaviours.behaviour_at(index)?;
        behaviour.downcast_ref()
    }

    /// The name of the behaviour at this position.
    pub fn behaviour_name(self, index: usize) -> Option<&'static str> {
        self.behaviours.behaviour_name(index)
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
