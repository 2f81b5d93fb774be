//! Behaviours of an object, of any types.

use std::fmt;

use super::pool::{Location, PooledSlots, Pools};
use super::row::BehaviourTuple;
use super::slots::Slots;
use crate::schema::MAX_BEHAVIOURS;
use crate::{NetId, NetworkBehaviour};

/// Behaviours of an object: one behaviour, a tuple, or a [`BehaviourList`](super::BehaviourList); at most 64.
///
/// A tuple has up to eight elements. For more behaviours, nest tuples: `((A, B, C, D, E, F, G, H), (I, J))`
/// is an object with ten behaviours, in this order. The shape of the tuples does not matter: both ends
/// compare the flat list.
///
/// ```
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Lock {
/// #     #[sync_var]
/// #     key: SyncVar<u32>,
/// # }
/// // A tuple is an object with several behaviours.
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<(Door, Lock)>("door"));
/// let id = net.server.spawn((Door::default(), Lock { key: 7.into() }));
/// net.settle();
/// assert_eq!(net.client(0).get::<Lock>(id).unwrap().key, 7);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a behaviour nor a tuple of up to eight behaviours",
    label = "cannot be put on a networked object",
    note = "write `#[derive(NetworkBehaviour)]` above the struct; in a tuple, above each of them",
    note = "for more than eight behaviours, nest tuples: `((A, B, C, D, E, F, G, H), (I, J))`"
)]
pub trait BehaviourSet: Send + Sync + 'static {
    /// Puts the behaviours into slots, in order.
    fn into_behaviours(self) -> Behaviours;

    /// Adds the behaviours of a new object to the pool of a prefab, and returns their place.
    fn insert_into(self, pools: &mut Pools, id: NetId, prefab: u32) -> Location
    where
        Self: Sized,
    {
        pools.insert(id, prefab, self.into_behaviours())
    }
}

impl<T: BehaviourTuple> BehaviourSet for T {
    fn into_behaviours(self) -> Behaviours {
        const {
            assert!(
                T::COUNT <= MAX_BEHAVIOURS,
                "an object has at most 64 behaviours"
            );
        }
        Behaviours(Box::new(self.into_row()))
    }

    fn insert_into(self, pools: &mut Pools, id: NetId, prefab: u32) -> Location {
        pools.insert_row(id, prefab, self.into_row())
    }
}

/// Type-erased behaviours of an object, in order.
pub struct Behaviours(Box<dyn PooledSlots>);

impl Behaviours {
    /// Boxes a row.
    pub(crate) fn of_row(row: impl PooledSlots) -> Self {
        Self(Box::new(row))
    }

    /// Returns the number of behaviours.
    #[expect(
        clippy::len_without_is_empty,
        reason = "an object without behaviours is no container"
    )]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the first behaviour of a type.
    pub fn behaviour<B: NetworkBehaviour>(&self) -> Option<&B> {
        let index = self.slots().position::<B>()?;
        self.slots().slot(index)?.behaviour().get()
    }

    /// Like [`behaviour`](Self::behaviour), for writing.
    pub fn behaviour_mut<B: NetworkBehaviour>(&mut self) -> Option<&mut B> {
        let index = self.slots().position::<B>()?;
        self.0.slot_mut(index)?.behaviour_mut().get_mut()
    }

    /// Returns the slots of the behaviours.
    pub fn slots(&self) -> &dyn Slots {
        &*self.0
    }

    /// Returns the slots of the behaviours, for writing.
    pub fn slots_mut(&mut self) -> &mut dyn Slots {
        &mut *self.0
    }
}

impl fmt::Debug for Behaviours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.slots().iter().map(|slot| slot.info().schema.name))
            .finish()
    }
}

#[diagnostic::do_not_recommend]
impl BehaviourSet for Behaviours {
    fn into_behaviours(self) -> Behaviours {
        self
    }
}

impl Pools {
    /// Inserts the behaviours of a new object.
    ///
    /// # Panics
    ///
    /// With more than 2^32 pools.
    pub fn insert(&mut self, id: NetId, prefab: u32, behaviours: Behaviours) -> Location {
        self.insert_boxed(id, prefab, behaviours.0)
    }

    /// Removes and returns the behaviours of an object; `None` if they are checked out.
    #[inline]
    pub fn withdraw(&mut self, at: Location) -> Option<Behaviours> {
        self.remove_boxed(at).map(Behaviours)
    }
}
