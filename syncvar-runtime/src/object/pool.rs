//! Pools: the behaviours of every object of a prefab, side by side in memory.
//!
//! Objects with the same behaviours are rows of a pool. The update loop passes many rows to a pool in
//! one dynamic call; the code for each row is compiled for its types.

mod batches;
mod cursor;
mod load;
#[cfg(feature = "parallel")]
mod parallel;
mod rows;
mod typed;

pub use cursor::{Cursor, Found};

use std::any::{Any, TypeId};
use std::fmt;

use rustc_hash::FxHashMap;

use super::change_sink::{ChangeSink, Job};
use super::reception::{Entry, Reception};
use super::slot::{SlotParts, TypedSlot};
use super::slots::Slots;
use super::snapshot_sink::SnapshotSink;
use crate::{NetId, NetworkBehaviour, ObjectError};
use typed::TypedPool;

/// Behaviours of the objects of a prefab, one row per object.
pub trait Pool: Any + Send + Sync {
    /// Adds a row for an object and returns its number.
    ///
    /// # Errors
    ///
    /// When the type of the behaviours differs: the behaviours.
    fn insert(
        &mut self,
        id: NetId,
        behaviours: Box<dyn PooledSlots>,
    ) -> Result<u32, Box<dyn PooledSlots>>;
    /// Removes a row.
    fn remove(&mut self, row: u32);
    /// Takes the contents of a row out, until [`give_back`](Self::give_back).
    fn take(&mut self, row: u32) -> Option<Box<dyn PooledSlots>>;
    /// Returns the contents of a row to it.
    fn give_back(&mut self, row: u32, slots: Box<dyn Slots>);
    /// Frees a row without contents.
    fn release(&mut self, row: u32);
    /// Returns the objects of the rows; [`NetId::NONE`] for a free row.
    fn ids(&self) -> &[NetId];
    /// Returns the behaviours of a row.
    fn slots(&self, row: u32) -> Option<&dyn Slots>;
    /// Returns the behaviours of a row, for writing.
    fn slots_mut(&mut self, row: u32) -> Option<&mut dyn Slots>;

    /// Returns the number of loads until the slots of a row are in the cache: 0 if it holds all rows.
    fn loads(&self) -> usize;
    /// Begins a load of a row, or of its parts by the addresses that the load before has brought.
    fn load(&self, row: u32, step: usize);

    /// Returns whether a restricted field of a row is dirty.
    fn has_restricted_changes(&mut self, row: u32) -> bool;

    /// Writes the pending changes of objects.
    fn write_changes(&mut self, jobs: &[Job], sink: &mut ChangeSink<'_>);

    /// Like [`write_changes`](Self::write_changes), on several threads: each sink receives a run of
    /// objects, in order.
    #[cfg(feature = "parallel")]
    fn write_changes_to_all(&mut self, jobs: &[Job], sinks: Vec<ChangeSink<'_>>);

    /// Writes the snapshots of objects with their rows, up to the first object that is checked out or has no
    /// form. Returns their number.
    fn write_snapshots(&mut self, objects: &[(NetId, u32)], sink: &mut SnapshotSink<'_>) -> usize;

    /// Reads the deltas of objects and calls their hooks.
    fn read_changes(&mut self, entries: &[Entry<'_>], reception: &mut Reception<'_>);
}

/// Slots with a pool for rows of their type.
pub trait PooledSlots: Slots {
    /// Creates an empty pool for rows of this type.
    fn new_pool(&self) -> Box<dyn Pool>;
}

impl<S: Slots> PooledSlots for S {
    fn new_pool(&self) -> Box<dyn Pool> {
        Box::new(TypedPool::<S>::default())
    }
}

/// Place of an object's behaviours in the pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Number of the pool.
    pub pool: u32,
    /// Row in the pool.
    pub row: u32,
}

/// Pools by number.
#[derive(Default)]
pub struct Pools {
    all: Vec<PrefabPool>,
    by_kind: FxHashMap<PoolKind, u32>,
    /// Last result of a search in `by_kind`.
    last: Option<(PoolKind, u32)>,
    /// Memory of every row in bytes, free rows included, without the contents of the fields.
    memory: usize,
}

/// Prefab of a pool, and the type of its rows: an object may be spawned as a tuple or as a list.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PoolKind {
    prefab: u32,
    row: TypeId,
}

/// A pool with the prefab of its objects.
struct PrefabPool {
    prefab: u32,
    rows: Box<dyn Pool>,
    /// Memory of a row in bytes.
    row_memory: usize,
}

impl PrefabPool {
    fn memory(&self) -> usize {
        self.rows.ids().len().saturating_mul(self.row_memory)
    }
}

impl Pools {
    /// Inserts the behaviours of a new object.
    ///
    /// # Panics
    ///
    /// With more than 2^32 pools.
    pub(super) fn insert_boxed(
        &mut self,
        id: NetId,
        prefab: u32,
        behaviours: Box<dyn PooledSlots>,
    ) -> Location {
        let pool = self.pool_of(prefab, &*behaviours);
        let inserted = self.change(pool, |rows| rows.insert(id, behaviours).ok());
        let row = inserted.expect("the pool is one for this type");
        Location { pool, row }
    }

    /// Inserts the row of a new object. Unlike [`insert_boxed`](Self::insert_boxed), it takes memory of the pool alone.
    ///
    /// # Panics
    ///
    /// With more than 2^32 pools.
    pub(crate) fn insert_row<S: Slots>(&mut self, id: NetId, prefab: u32, slots: S) -> Location {
        let pool = self.pool_of(prefab, &slots);
        let PrefabPool {
            rows, row_memory, ..
        } = &mut self.all[pool as usize];
        let rows = (&mut **rows as &mut dyn Any).downcast_mut::<TypedPool<S>>();
        let rows = rows.expect("the pool is one for this type");
        // Without the dynamic calls of `change`: a join makes all objects here.
        let before = rows.ids().len();
        let row = rows.add(id, slots);
        if rows.ids().len() > before {
            self.memory = self.memory.saturating_add(*row_memory);
        }
        Location { pool, row }
    }

    /// Returns the memory of every row in bytes, without the contents of the fields.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Adds or removes rows of a pool.
    #[inline]
    fn change<R>(&mut self, pool: u32, change: impl FnOnce(&mut dyn Pool) -> R) -> R {
        let pool = &mut self.all[pool as usize];
        let before = pool.memory();
        let result = change(&mut *pool.rows);
        self.memory = self
            .memory
            .saturating_sub(before)
            .saturating_add(pool.memory());
        result
    }

    /// Returns the number of the pool of a prefab for rows of a type.
    #[inline]
    fn pool_of(&mut self, prefab: u32, slots: &dyn PooledSlots) -> u32 {
        let kind = PoolKind {
            prefab,
            row: Any::type_id(slots),
        };
        match self.last {
            Some((last, pool)) if last == kind => pool,
            _ => self.search_pool(kind, slots),
        }
    }

    /// Finds or creates a pool.
    #[inline(never)]
    fn search_pool(&mut self, kind: PoolKind, slots: &dyn PooledSlots) -> u32 {
        let all = &mut self.all;
        let pool = *self.by_kind.entry(kind).or_insert_with(|| {
            let rows = slots.new_pool();
            all.push(PrefabPool {
                prefab: kind.prefab,
                rows,
                row_memory: (slots as &dyn Slots).memory(),
            });
            u32::try_from(all.len() - 1).expect("fewer pools than objects")
        });
        self.last = Some((kind, pool));
        pool
    }

    /// Removes the behaviours of an object.
    #[inline]
    pub fn remove(&mut self, at: Location) {
        if (at.pool as usize) < self.all.len() {
            self.change(at.pool, |rows| rows.remove(at.row));
        }
    }

    /// Takes the behaviours of an object out of their pool, until [`give_back`](Self::give_back).
    #[inline]
    pub fn take(&mut self, at: Location) -> Option<Box<dyn Slots>> {
        let slots = self.all.get_mut(at.pool as usize)?.rows.take(at.row)?;
        Some(slots)
    }

    /// Returns the behaviours of an object to their pool.
    #[inline]
    pub fn give_back(&mut self, at: Location, slots: Box<dyn Slots>) {
        if let Some(pool) = self.all.get_mut(at.pool as usize) {
            pool.rows.give_back(at.row, slots);
        }
    }

    /// Removes and returns the behaviours of an object; `None` if they are checked out.
    #[inline]
    pub(super) fn remove_boxed(&mut self, at: Location) -> Option<Box<dyn PooledSlots>> {
        let slots = self.all.get_mut(at.pool as usize)?.rows.take(at.row)?;
        self.change(at.pool, |rows| rows.release(at.row));
        Some(slots)
    }

    /// Returns the index of the prefab of a pool's objects.
    #[inline]
    pub fn prefab(&self, pool: u32) -> u32 {
        self.all.get(pool as usize).map_or(0, |pool| pool.prefab)
    }

    /// Returns the behaviours of an object.
    #[inline]
    pub fn slots(&self, at: Location) -> Option<&dyn Slots> {
        self.all.get(at.pool as usize)?.rows.slots(at.row)
    }

    /// Returns the behaviours of an object, for writing.
    #[inline]
    pub fn slots_mut(&mut self, at: Location) -> Option<&mut dyn Slots> {
        self.all.get_mut(at.pool as usize)?.rows.slots_mut(at.row)
    }

    /// Returns a pool by its number.
    #[inline]
    pub fn pool_mut(&mut self, pool: u32) -> Option<&mut dyn Pool> {
        Some(&mut *self.all.get_mut(pool as usize)?.rows)
    }

    /// Returns the first behaviour of a type on an object, for writing. The id names the object in the error.
    ///
    /// # Errors
    ///
    /// When the object lacks the behaviour or is checked out.
    #[inline]
    pub fn behaviour_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        at: Location,
    ) -> Result<SlotParts<'_, B>, ObjectError> {
        let pool = self.pool_mut(at.pool);
        let pool = pool.ok_or(ObjectError::NoSuchObject(id))?;
        // Most objects have one behaviour: one type check of the pool replaces a check of every slot.
        if (pool as &dyn Any).is::<TypedPool<TypedSlot<B>>>() {
            return Self::behaviour_alone(pool, id, at);
        }
        Self::behaviour_among(pool, id, at)
    }

    /// Like [`behaviour_mut`](Self::behaviour_mut), for objects with one behaviour.
    #[inline]
    fn behaviour_alone<B: NetworkBehaviour>(
        pool: &mut dyn Pool,
        id: NetId,
        at: Location,
    ) -> Result<SlotParts<'_, B>, ObjectError> {
        let pool = (pool as &mut dyn Any).downcast_mut::<TypedPool<TypedSlot<B>>>();
        let slot = pool.and_then(|pool| pool.row_mut(at.row));
        Ok(slot.ok_or(ObjectError::CheckedOut(id))?.parts())
    }

    /// Like [`behaviour_mut`](Self::behaviour_mut), for objects with several behaviours.
    fn behaviour_among<B: NetworkBehaviour>(
        pool: &mut dyn Pool,
        id: NetId,
        at: Location,
    ) -> Result<SlotParts<'_, B>, ObjectError> {
        let slots = pool.slots_mut(at.row);
        let slots = slots.ok_or(ObjectError::CheckedOut(id))?;
        let no_behaviour = || ObjectError::no_behaviour::<B>(id);
        if let Some(index) = slots.own_position::<B>() {
            let found = slots
                .slot_mut(index)
                .and_then(|slot| slot.parts_mut().of_own());
            return found.ok_or_else(no_behaviour);
        }
        let index = slots.position_within(TypeId::of::<B>());
        let found = index.and_then(|index| behaviour_at(slots, index));
        found.ok_or_else(no_behaviour)
    }

    /// Returns a behaviour on an object for an edit: the one at a position, the first of the type on the objects of its
    /// prefab. An absent [`Optional`](crate::Optional) behaviour is added.
    ///
    /// # Errors
    ///
    /// When the object lacks a behaviour of this type there or is checked out.
    pub fn behaviour_to_edit<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        at: Location,
        index: Option<usize>,
    ) -> Result<SlotParts<'_, B>, ObjectError> {
        let no_behaviour = || ObjectError::no_behaviour::<B>(id);
        let index = index.ok_or_else(no_behaviour)?;
        let pool = self.pool_mut(at.pool);
        let pool = pool.ok_or(ObjectError::NoSuchObject(id))?;
        if (pool as &dyn Any).is::<TypedPool<TypedSlot<B>>>() {
            return Self::behaviour_alone(pool, id, at);
        }
        let slots = pool.slots_mut(at.row);
        let slots = slots.ok_or(ObjectError::CheckedOut(id))?;
        let slot = slots.slot_mut(index).ok_or_else(no_behaviour)?;
        slot.behaviour_mut().add_absent(TypeId::of::<B>());
        slot.parts_mut().of().ok_or_else(no_behaviour)
    }

    /// Returns the behaviour at a position of an object, for writing. The id names the object in the
    /// error.
    ///
    /// # Errors
    ///
    /// When the object lacks a behaviour of this type there or is checked out.
    #[inline]
    pub fn behaviour_at_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        at: Location,
        index: usize,
    ) -> Result<SlotParts<'_, B>, ObjectError> {
        let slots = self.slots_mut(at);
        let slots = slots.ok_or(ObjectError::CheckedOut(id))?;
        behaviour_at(slots, index).ok_or_else(|| ObjectError::no_behaviour::<B>(id))
    }
}

fn behaviour_at<B: NetworkBehaviour>(
    slots: &mut dyn Slots,
    index: usize,
) -> Option<SlotParts<'_, B>> {
    slots.slot_mut(index)?.parts_mut().of()
}

impl fmt::Debug for Pools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefabs = self.all.iter().map(|pool| pool.prefab);
        f.debug_list().entries(prefabs).finish()
    }
}
