//! The world: objects, their behaviours and the rules of callbacks, without a protocol.
//!
//! Both servers and both clients stand on a [`World`]. They differ in the entry that they keep for an
//! object, the type parameter `O`, and in their answers to the questions of [`Protocol`].

mod callbacks;
mod check_out;
mod checked_out;
mod deferred;
mod guard;
mod loan;
mod net_ids;
mod protocol;

pub use callbacks::Callbacks;
pub use check_out::CheckOut;
pub use checked_out::{CheckedOut, Departure};
pub use deferred::LifecycleEvent;
pub use guard::{WriteGuard, WriteSink};
pub use loan::{ManyMut, ObjectMut, SplitMut};
pub use net_ids::NetIds;
pub use protocol::{CallbackReport, Protocol};

use deferred::DeferredEvents;

use crate::object::{Cursor, Found, Location, Pools, Slots};
use crate::prefab::Prefab;
use crate::relations::{Place, Relations};
use crate::route::{CallPlace, Class};
use crate::table::Table;
use crate::{
    BehaviourSet, CallError, ConnectionId, NetId, NetworkBehaviour, NetworkIdentity, ObjectError,
    Prefabs,
};

/// Objects by id, and their behaviours.
///
/// The fields are public so that a protocol can borrow them side by side. Two rules hold between them:
/// the location of every entry of `objects` is a row of `pools`, and the row of an object in
/// `checked_out` is empty until its check-in.
#[derive(Debug)]
pub struct World<O> {
    /// The registry.
    pub prefabs: Prefabs,
    /// The protocol's entry for each object.
    pub objects: Table<O>,
    /// The behaviours of every object.
    pub pools: Pools,
    /// Positions and rotations of the objects that are not at the origin without rotation.
    pub places: Table<Place>,
    /// Scene ids and parents.
    pub relations: Box<Relations>,
    /// Unused ids.
    pub net_ids: NetIds,
    /// Objects whose behaviours are out of their pool while callbacks run.
    pub checked_out: CheckedOut,
    deferred: DeferredEvents,
    /// Runner of hooks, lifecycle callbacks and calls.
    pub callbacks: Callbacks,
}

/// A protocol's entry for an object.
pub trait WorldObject {
    /// Returns the row of the object's behaviours.
    fn location(&self) -> Location;

    /// Returns the owner, on a server.
    fn owner(&self) -> Option<ConnectionId> {
        None
    }

    /// Returns whether the application can find the object by its id.
    fn is_visible(&self) -> bool {
        true
    }
}

impl<O> World<O> {
    /// Creates a world without objects.
    pub fn new(prefabs: Prefabs) -> Self {
        Self {
            prefabs,
            objects: Table::default(),
            pools: Pools::default(),
            places: Table::default(),
            relations: Box::default(),
            net_ids: NetIds::default(),
            checked_out: CheckedOut::default(),
            deferred: DeferredEvents::default(),
            callbacks: Callbacks::Run,
        }
    }

    /// Sets the runner of hooks, lifecycle callbacks and calls.
    #[must_use]
    pub fn with_callbacks(mut self, callbacks: Callbacks) -> Self {
        self.callbacks = callbacks;
        self
    }

    /// Returns the position and rotation that an object had when it was last spawned or placed.
    pub fn place(&self, id: NetId) -> Place {
        self.places.get(id.0).copied().unwrap_or_default()
    }

    /// Sets the position and rotation of an object.
    #[inline]
    pub fn set_place(&mut self, id: NetId, place: Place) {
        if place == Place::default() {
            if self.places.len() > 0 {
                self.places.remove(id.0);
            }
        } else {
            self.places.insert(id.0, place);
        }
    }
}

impl<O: WorldObject> World<O> {
    /// Returns an object that is visible and not checked out.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.identity_of(id, self.objects.get(id.0)?)
    }

    fn identity_of(&self, id: NetId, object: &O) -> Option<NetworkIdentity<'_>> {
        if !object.is_visible() {
            return None;
        }
        let at = object.location();
        let prefab = self.prefabs.get(self.pools.prefab(at.pool))?;
        let behaviours = self.pools.slots(at)?;
        let (place, relations) = (self.place(id), &*self.relations);
        Some(NetworkIdentity::new(
            id,
            object.owner(),
            &prefab.name,
            prefab.asset_id,
            place,
            behaviours,
            relations,
        ))
    }

    /// Returns all objects that are visible and not checked out, by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        let objects = self.objects.iter();
        objects.filter_map(|(number, object)| self.identity_of(NetId(number), object))
    }

    /// Returns the first behaviour of a type on an object.
    #[inline]
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.identity(id)?.behaviour()
    }

    /// Returns the behaviour at a position of an object, if it is of this type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.identity(id)?.behaviour_at(index)
    }

    /// Returns the visible objects with a behaviour of a type that are not checked out, each with its
    /// first such behaviour.
    ///
    /// The order is that of the rows in the pools: the same every time, but not by id.
    pub fn iter<B: NetworkBehaviour>(&self) -> impl Iterator<Item = (NetId, &B)> {
        let mut cursor = Cursor::default();
        let found = std::iter::from_fn(move || self.next_with::<B>(&mut cursor));
        found.filter_map(|found| {
            let slot = self.pools.slots(found.at)?.slot(found.behaviour)?;
            // An optional behaviour may be absent.
            Some((found.net_id, slot.behaviour().get()?))
        })
    }

    /// Returns the next visible object with a behaviour of a type that is not checked out.
    #[inline]
    pub fn next_with<B: NetworkBehaviour>(&self, cursor: &mut Cursor) -> Option<Found> {
        let position = |prefab: u32| self.prefabs.get(prefab)?.position::<B>();
        loop {
            let found = self.pools.next_with(cursor, position)?;
            if self.is_visible(found.net_id) {
                return Some(found);
            }
        }
    }

    /// Returns the visible objects of a prefab, in the order of their rows.
    pub fn ids_of_prefab(&self, prefab: &str) -> impl Iterator<Item = NetId> {
        let prefab = self.prefabs.by_name(prefab).into_iter();
        let ids = prefab.flat_map(|prefab| self.pools.ids_of_prefab(prefab.index));
        ids.filter(|id| self.is_visible(*id))
    }

    /// Returns whether an object exists, visible or not.
    pub fn contains(&self, id: NetId) -> bool {
        self.objects.get(id.0).is_some()
    }

    /// Returns whether an object exists and is visible.
    #[inline]
    pub fn is_visible(&self, id: NetId) -> bool {
        self.objects.get(id.0).is_some_and(O::is_visible)
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

    /// Returns the index of the first behaviour of a type on an object.
    ///
    /// # Errors
    ///
    /// When the object is not visible, lacks the behaviour or is checked out.
    #[inline]
    pub fn position<B: NetworkBehaviour>(&self, id: NetId) -> Result<usize, ObjectError> {
        let object = self.objects.get(id.0).filter(|object| object.is_visible());
        let at = object.ok_or(ObjectError::NoSuchObject(id))?.location();
        let slots = self.pools.slots(at).ok_or(ObjectError::CheckedOut(id))?;
        let index = slots.position::<B>();
        index.ok_or_else(|| ObjectError::no_behaviour::<B>(id))
    }

    /// Returns an error unless an object exists, visible or not.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NoSuchObject`].
    pub fn expect_object(&self, id: NetId) -> Result<(), ObjectError> {
        if self.contains(id) {
            Ok(())
        } else {
            Err(ObjectError::NoSuchObject(id))
        }
    }

    /// Returns the ids of the objects with a matching entry, ascending.
    pub fn ids(&self, matches: impl Fn(&O) -> bool) -> Vec<NetId> {
        let objects = self.objects.iter().filter(|(_, object)| matches(object));
        objects.map(|(number, _)| NetId(number)).collect()
    }

    /// Returns the prefab of an object.
    pub fn prefab(&self, id: NetId) -> Option<&Prefab> {
        let object = self.objects.get(id.0)?;
        self.prefabs.get(self.pools.prefab(object.location().pool))
    }

    /// Returns the call of an object with a number in a class.
    ///
    /// # Errors
    ///
    /// When the object does not exist, and when no behaviour of it has this class.
    #[inline]
    pub fn declared_call(
        &self,
        object: NetId,
        class: Class,
        number: u32,
    ) -> Result<CallPlace, CallError> {
        let prefab = self
            .prefab(object)
            .ok_or(CallError::UnknownObject(object))?;
        let place = prefab.calls.declared(class, number);
        place.ok_or(CallError::NoSuchBehaviour {
            object,
            behaviour: class.name,
        })
    }

    /// Returns the command of an object, or the call of clients, by the names of its behaviour and the method.
    ///
    /// # Errors
    ///
    /// When the object does not exist or has no such call.
    pub fn named_call(
        &self,
        object: NetId,
        behaviour: &str,
        call: &str,
        is_command: bool,
    ) -> Result<CallPlace, CallError> {
        let prefab = self
            .prefab(object)
            .ok_or(CallError::UnknownObject(object))?;
        let place = prefab.calls.named(behaviour, call, is_command);
        place.ok_or_else(|| CallError::NoSuchCall {
            object,
            call: format!("{behaviour}.{call}"),
        })
    }

    /// Returns whether a behaviour of an object has lifecycle callbacks that run.
    #[inline]
    pub fn has_lifecycle(&self, id: NetId) -> bool {
        self.callbacks == Callbacks::Run
            && self
                .prefab(id)
                .is_some_and(|prefab| prefab.callbacks.lifecycle)
    }

    /// Returns the behaviours of an object that is not checked out.
    pub fn slots(&self, id: NetId) -> Option<&dyn Slots> {
        self.pools.slots(self.objects.get(id.0)?.location())
    }

    /// Returns the behaviours of an object that is not checked out, for writing.
    pub fn slots_mut(&mut self, id: NetId) -> Option<&mut dyn Slots> {
        self.pools.slots_mut(self.objects.get(id.0)?.location())
    }

    /// Returns `false` for an optional behaviour of an object that is absent now.
    pub(crate) fn is_present(&self, id: NetId, behaviour: usize) -> bool {
        let slot = self.slots(id).and_then(|slots| slots.slot(behaviour));
        slot.is_none_or(|slot| slot.behaviour().is_present())
    }

    /// Returns whether a behaviour of an object is dirty. False while it is checked out.
    #[inline(never)]
    pub fn is_dirty(&self, id: NetId) -> bool {
        let slots = self.slots(id);
        slots.is_some_and(|slots| slots.iter().any(|slot| slot.dirty_bits() != 0))
    }

    /// Drops the pending changes of an object without observers. A tick counts as that of a frame with
    /// them.
    pub fn drop_changes(&mut self, id: NetId, tick: Option<u32>) {
        if let Some(slots) = self.slots_mut(id) {
            slots.for_each_mut(|slot| slot.forget_changes(tick));
        }
    }

    /// Makes an object from behaviours. `entry` returns the protocol's entry for their row.
    pub fn insert(
        &mut self,
        id: NetId,
        prefab: u32,
        behaviours: impl BehaviourSet,
        entry: impl FnOnce(Location) -> O,
    ) {
        let at = behaviours.insert_into(&mut self.pools, id, prefab);
        self.objects.insert(id.0, entry(at));
    }

    /// Removes an object with its behaviours, place, scene id and parent. Its children keep their
    /// parent's id.
    pub fn remove(&mut self, id: NetId) -> Option<O> {
        let object = self.objects.remove(id.0)?;
        self.pools.remove(object.location());
        self.places.remove(id.0);
        self.relations.forget(id);
        Some(object)
    }
}
