//! `NetworkIdentity`: a spawned object, as the application reads it.

use std::any::Any;
use std::fmt;

use super::{AnyBehaviour, NetworkBehaviour};
use crate::relations::{Place, Relations};
use crate::{ConnectionId, NetId, NetworkHash128, NetworkSceneId, Quaternion, Vector3};

/// Type-erased behaviours of an object, in order.
pub trait BehaviourRow {
    /// Returns the number of behaviours.
    fn behaviour_count(&self) -> usize;

    /// Returns the behaviour at a position.
    fn behaviour_at(&self, index: usize) -> Option<&dyn AnyBehaviour>;

    /// Returns the name of the behaviour at a position.
    fn behaviour_name(&self, index: usize) -> Option<&'static str>;
}

/// A spawned object: its ids, prefab, owner, place, parent and behaviours, for reading.
///
/// Its `Debug` form has the names of the behaviours and no values. To print values, derive `Debug` for the
/// behaviour and print [`behaviour`](Self::behaviour).
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
/// assert_eq!((identity.net_id(), identity.prefab()), (door, "door"));
/// assert_eq!(identity.behaviour_name(0), Some("Door"));
/// assert_eq!(identity.behaviour::<Door>().unwrap().open, true);
/// assert_eq!(identity.parent(), None);
/// ```
#[derive(Clone, Copy)]
pub struct NetworkIdentity<'a> {
    net_id: NetId,
    prefab: &'a str,
    asset_id: NetworkHash128,
    owner: Option<ConnectionId>,
    /// Position at the last spawn or placement. It travels with the spawn only.
    pub position: Vector3,
    /// Rotation at the last spawn or placement. It travels with the spawn only.
    pub rotation: Quaternion,
    behaviours: &'a dyn BehaviourRow,
    relations: &'a Relations,
}

impl<'a> NetworkIdentity<'a> {
    /// Creates the view of an object with an id and an owner, of a prefab with a name and an asset id.
    pub fn new(
        net_id: NetId,
        owner: Option<ConnectionId>,
        prefab: &'a str,
        asset_id: NetworkHash128,
        place: Place,
        behaviours: &'a dyn BehaviourRow,
        relations: &'a Relations,
    ) -> Self {
        Self {
            net_id,
            prefab,
            asset_id,
            owner,
            position: place.position,
            rotation: place.rotation,
            behaviours,
            relations,
        }
    }

    /// Returns the id of the object.
    pub fn net_id(self) -> NetId {
        self.net_id
    }

    /// Returns the asset id: the identifier of its prefab on the wire.
    pub fn asset_id(self) -> NetworkHash128 {
        self.asset_id
    }

    /// Returns the name of the prefab.
    pub fn prefab(self) -> &'a str {
        self.prefab
    }

    /// Returns the owner. A client knows only whether it is the owner itself
    /// ([`NetworkContext::is_owner`](crate::NetworkContext::is_owner)): the result is `None` there.
    pub fn owner(self) -> Option<ConnectionId> {
        self.owner
    }

    /// Returns the scene id of an object that both ends have created as part of a scene.
    pub fn scene_id(self) -> Option<NetworkSceneId> {
        self.relations.scene_id(self.net_id)
    }

    /// Returns the parent. A client knows the parent's id even if it does not observe the parent.
    pub fn parent(self) -> Option<NetId> {
        self.relations.parent(self.net_id)
    }

    /// Returns the number of behaviours.
    pub fn behaviour_count(self) -> usize {
        self.behaviours.behaviour_count()
    }

    /// Returns the first behaviour of a type, or else the first present
    /// [`Optional`](crate::Optional) one.
    pub fn behaviour<B: NetworkBehaviour>(self) -> Option<&'a B> {
        let behaviours = || {
            let positions = 0..self.behaviours.behaviour_count();
            positions.filter_map(|index| self.behaviours.behaviour_at(index))
        };
        let own = behaviours().find_map(|behaviour| (behaviour as &dyn Any).downcast_ref());
        own.or_else(|| behaviours().find_map(|behaviour| behaviour.get()))
    }

    /// Returns the behaviour at a position, if it has this type.
    pub fn behaviour_at<B: NetworkBehaviour>(self, index: usize) -> Option<&'a B> {
        self.behaviours.behaviour_at(index)?.get()
    }

    /// Returns the behaviour at a position, of any type.
    pub(crate) fn any_behaviour_at(self, index: usize) -> Option<&'a dyn AnyBehaviour> {
        self.behaviours.behaviour_at(index)
    }

    /// Returns the name of the behaviour at a position.
    pub fn behaviour_name(self, index: usize) -> Option<&'static str> {
        self.behaviours.behaviour_name(index)
    }
}

impl fmt::Debug for NetworkIdentity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = (0..self.behaviour_count()).filter_map(|index| self.behaviour_name(index));
        f.debug_struct("NetworkIdentity")
            .field("net_id", &self.net_id)
            .field("prefab", &self.prefab())
            .field("owner", &self.owner)
            .field("position", &self.position)
            .field("rotation", &self.rotation)
            .field("behaviours", &names.collect::<Vec<_>>())
            .field("scene_id", &self.scene_id())
            .field("parent", &self.parent())
            .finish()
    }
}
