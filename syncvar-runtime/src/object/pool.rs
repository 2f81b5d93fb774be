//! Pools: the behaviours of all objects of one prefab, side by side in memory.
//!
//! Objects with the same behaviours are rows of one pool. The update loop passes many rows to a pool in
//! one dynamic call; the code for each row is compiled for its types.

mod cursor;
#[cfg(feature = "parallel")]
mod parallel;
mod rows;

pub use cursor::{Cursor, Found};

use std::any::{Any, TypeId};
use std::fmt;
use std::mem;

use rustc_hash::FxHashMap;

use super::OwnFields;
use super::behaviours::Behaviours;
use super::change_sink::ChangeSink;
use super::reception::Reception;
use super::slot::{Slot, SlotParts, TypedSlot};
use super::slots::{FindRestricted, Prefetch, Slots};
use super::snapshot_sink::SnapshotSink;
use crate::table::CACHED;
use crate::{NetId, NetworkBehaviour, NetworkReader, ObjectError};
use rows::Rows;

/// Number of objects that are examined or loaded before the first of them is written or read. Their memory accesses
/// are then independent, so that the processor performs several at a time.
const AHEAD: usize = 128;

/// Number of rows that are on their way into the cache while another one is read.
const PREFETCHED: usize = 16;

/// Behaviours of the objects of one prefab, one row per object.
pub trait Pool: Any + Send + Sync {
    /// Adds a row for an object and returns its number.
    ///
    /// # Errors
    ///
    /// When the behaviours have another type: the behaviours.
    fn insert(&mut self, id: NetId, behaviours: Behaviours) -> Result<u32, Behaviours>;
    /// Removes a row.
    fn remove(&mut self, row: u32);
    /// Takes the contents of a row out, until [`give_back`](Self::give_back).
    fn take(&mut self, row: u32) -> Option<Box<dyn Slots>>;
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

    /// Returns whether a restricted field of a row is dirty.
    fn has_restricted_changes(&mut self, row: u32) -> bool;

    /// Writes the pending changes of objects.
    fn write_changes(&mut self, jobs: &[Job], sink: &mut ChangeSink<'_>);

    /// Like [`write_changes`](Self::write_changes), on several threads: each sink receives a run of
    /// objects, in order.
    #[cfg(feature = "parallel")]
    fn write_changes_to_all(&mut self, jobs: &[Job], sinks: Vec<ChangeSink<'_>>);

    /// Writes the snapshots of objects with their rows, up to the first one that is checked out or has no
    /// form. Returns their number.
    fn write_snapshots(&mut self, objects: &[(NetId, u32)], sink: &mut SnapshotSink<'_>) -> usize;

    /// Reads the deltas of objects and calls their hooks.
    fn read_changes(&mut self, entries: &[Entry<'_>], reception: &mut Reception<'_>);
}

/// An object with pending changes.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Id of the object.
    pub net_id: NetId,
    /// Row in the pool.
    pub row: u32,
    /// Set if send intervals do not count.
    pub force: bool,
}

/// A received delta of an object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry<'a> {
    /// Id of the object.
    pub net_id: NetId,
    /// Row in the pool.
    pub row: u32,
    /// Set if the spawn of the object has been reported: hooks run, and changes are reported.
    pub announced: bool,
    /// Bits of the behaviours whose hooks do not run, by position: those of a prediction run.
    pub predicted: u64,
    /// Fields whose own values stay.
    pub own: OwnFields,
    /// Bytes of the delta.
    pub changes: &'a [u8],
}

/// A pool of rows of a known type.
pub(super) struct TypedPool<S> {
    rows: Rows<S>,
    /// Objects of the rows; [`NetId::NONE`] for a free row.
    ids: Vec<NetId>,
    /// Free rows, for reuse; also rows that were free once.
    free: Vec<u32>,
}

impl<S> Default for TypedPool<S> {
    fn default() -> Self {
        Self {
            rows: Rows::default(),
            ids: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<S> TypedPool<S> {
    #[inline]
    fn row(&self, row: u32) -> Option<&S> {
        self.rows.get(row)?.as_ref()
    }

    #[inline]
    fn row_mut(&mut self, row: u32) -> Option<&mut S> {
        self.rows.get_mut(row)?.as_mut()
    }

    /// Returns the part of some objects whose rows are loaded ahead: none if the cache holds all rows.
    #[inline]
    fn uncached<'a, T>(&self, objects: &'a [T]) -> &'a [T] {
        if self.ids.len() * size_of::<Option<S>>() < CACHED {
            return &[];
        }
        objects
    }

    /// Loads the states of objects into the cache, which stand apart from their rows.
    fn prefetch_states(&mut self, entries: &[Entry<'_>])
    where
        S: Slots,
    {
        for entry in self.uncached(entries) {
            if let Some(slots) = self.row_mut(entry.row) {
                slots.visit(0, &mut Prefetch);
            }
        }
    }

    /// Adds a row for an object and returns its number.
    fn add(&mut self, id: NetId, slots: S) -> u32 {
        while let Some(row) = self.free.pop() {
            if self.ids.get(row as usize) == Some(&NetId::NONE)
                && let Some(place) = self.rows.get_mut(row)
            {
                *place = Some(slots);
                self.ids[row as usize] = id;
                return row;
            }
        }
        let row = u32::try_from(self.ids.len()).expect("fewer objects than ids");
        self.rows.push(slots);
        self.ids.push(id);
        row
    }

    /// Removes the free rows at the end. Their numbers stay in `free`; `insert` passes over them.
    fn trim(&mut self) {
        while self.ids.last() == Some(&NetId::NONE) {
            self.ids.pop();
            self.rows.pop();
        }
        let used = self.ids.len();
        if used < self.ids.capacity() / 4 {
            self.ids.shrink_to(2 * used);
            self.free.retain(|row| (*row as usize) < used);
            self.free.shrink_to_fit();
        }
    }
}

impl<S: Slots> Pool for TypedPool<S> {
    fn insert(&mut self, id: NetId, behaviours: Behaviours) -> Result<u32, Behaviours> {
        if Any::type_id(&*behaviours.0) != TypeId::of::<S>() {
            return Err(behaviours);
        }
        let boxed: Box<dyn Any> = behaviours.0;
        let slots: Box<S> = boxed.downcast().expect("its type was compared");
        Ok(self.add(id, *slots))
    }

    fn remove(&mut self, row: u32) {
        if let Some(freed) = self.rows.get_mut(row)
            && freed.take().is_some()
        {
            self.release(row);
        }
    }

    fn take(&mut self, row: u32) -> Option<Box<dyn Slots>> {
        let slots: S = self.rows.get_mut(row)?.take()?;
        Some(Box::new(slots))
    }

    fn give_back(&mut self, row: u32, slots: Box<dyn Slots>) {
        let slots: Box<dyn Any> = slots;
        if let (Ok(slots), Some(place)) = (slots.downcast::<S>(), self.rows.get_mut(row)) {
            *place = Some(*slots);
        }
    }

    fn release(&mut self, row: u32) {
        self.ids[row as usize] = NetId::NONE;
        if row as usize + 1 < self.ids.len() {
            self.free.push(row);
        } else {
            self.trim();
        }
    }

    fn ids(&self) -> &[NetId] {
        &self.ids
    }

    fn slots(&self, row: u32) -> Option<&dyn Slots> {
        Some(self.row(row)?)
    }

    fn slots_mut(&mut self, row: u32) -> Option<&mut dyn Slots> {
        Some(self.row_mut(row)?)
    }

    fn has_restricted_changes(&mut self, row: u32) -> bool {
        let mut search = FindRestricted::default();
        if let Some(slots) = self.row_mut(row) {
            slots.visit(0, &mut search);
        }
        search.found
    }

    fn write_changes(&mut self, jobs: &[Job], sink: &mut ChangeSink<'_>) {
        write_batches(self, jobs, sink, |pool, _, job| pool.row_mut(job.row));
    }

    #[cfg(feature = "parallel")]
    fn write_changes_to_all(&mut self, jobs: &[Job], sinks: Vec<ChangeSink<'_>>) {
        parallel::write_changes_to_all(&mut self.rows, jobs, sinks);
    }

    fn write_snapshots(&mut self, objects: &[(NetId, u32)], sink: &mut SnapshotSink<'_>) -> usize {
        let mut written = 0;
        for batch in objects.chunks(AHEAD) {
            for (_, row) in self.uncached(batch) {
                self.rows.prefetch(*row);
            }
            for (net_id, row) in batch {
                let slots = self.row_mut(*row);
                if !slots.is_some_and(|slots| sink.write(*net_id, slots)) {
                    return written;
                }
                written += 1;
            }
        }
        written
    }

    fn read_changes(&mut self, entries: &[Entry<'_>], reception: &mut Reception<'_>) {
        let mut targets = mem::take(reception.targets);
        let mut reader = NetworkReader::with_encoding(&[], reception.encoding)
            .with_budget(reception.budget)
            .with_references(&mut targets);
        if reception.newest.is_some() {
            self.prefetch_states(entries);
        }
        let mut next = self.uncached(entries).iter();
        for entry in next.by_ref().take(PREFETCHED) {
            self.rows.prefetch(entry.row);
        }
        for entry in entries {
            if let Some(next) = next.next() {
                self.rows.prefetch(next.row);
            }
            if let Some(slots) = self.row_mut(entry.row) {
                reader.restart(entry.changes);
                reception.read(entry, slots, &mut reader);
            }
        }
        reception.budget = reader.budget();
        *reception.targets = targets;
    }
}

/// Writes the pending changes of objects in batches. `row` finds the behaviours of a job's object
/// among `rows`, by the job or by its position.
#[inline]
fn write_batches<R: ?Sized, S: Slots>(
    rows: &mut R,
    jobs: &[Job],
    sink: &mut ChangeSink<'_>,
    row: impl for<'r> Fn(&'r mut R, usize, &Job) -> Option<&'r mut S>,
) {
    for (batch, first) in jobs.chunks(AHEAD).zip((0..).step_by(AHEAD)) {
        for (job, place) in batch.iter().zip(first..) {
            if let Some(slots) = row(rows, place, job) {
                slots.visit(0, &mut Prefetch);
            }
        }
        for (job, place) in batch.iter().zip(first..) {
            if let Some(slots) = row(rows, place, job) {
                sink.write(job, slots);
            }
        }
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
    /// Pools by prefab and by the type of the row: an object may be spawned as a tuple or as a list.
    by_kind: FxHashMap<(u32, TypeId), u32>,
    /// Last result of a search in `by_kind`.
    last: Option<((u32, TypeId), u32)>,
    /// Memory of all rows in bytes, free ones included, without the contents of the fields.
    memory: usize,
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
    pub fn insert(&mut self, id: NetId, prefab: u32, behaviours: Behaviours) -> Location {
        let pool = self.pool_of(prefab, behaviours.slots());
        let inserted = self.change(pool, |rows| rows.insert(id, behaviours));
        let row = inserted.expect("the pool is one for this type");
        Location { pool, row }
    }

    /// Inserts the row of a new object. Unlike [`insert`](Self::insert), it takes no memory beside the pool.
    ///
    /// # Panics
    ///
    /// With more than 2^32 pools.
    pub(super) fn insert_row<S: Slots>(&mut self, id: NetId, prefab: u32, slots: S) -> Location {
        let pool = self.pool_of(prefab, &slots);
        let PrefabPool {
            rows, row_memory, ..
        } = &mut self.all[pool as usize];
        let rows = (&mut **rows as &mut dyn Any).downcast_mut::<TypedPool<S>>();
        let rows = rows.expect("the pool is one for this type");
        // Without the dynamic calls of `change`: a join makes all objects here.
        let before = rows.ids.len();
        let row = rows.add(id, slots);
        if rows.ids.len() > before {
            self.memory = self.memory.saturating_add(*row_memory);
        }
        Location { pool, row }
    }

    /// Returns the memory of all rows in bytes, without the contents of the fields.
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
    fn pool_of(&mut self, prefab: u32, slots: &dyn Slots) -> u32 {
        let kind = (prefab, Any::type_id(slots));
        match self.last {
            Some((last, pool)) if last == kind => pool,
            _ => self.search_pool(kind, slots),
        }
    }

    /// Finds or creates a pool.
    #[inline(never)]
    fn search_pool(&mut self, kind: (u32, TypeId), slots: &dyn Slots) -> u32 {
        let all = &mut self.all;
        let pool = *self.by_kind.entry(kind).or_insert_with(|| {
            let rows = slots.new_pool();
            all.push(PrefabPool {
                prefab: kind.0,
                rows,
                row_memory: slots.memory(),
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
        self.all.get_mut(at.pool as usize)?.rows.take(at.row)
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
    pub fn withdraw(&mut self, at: Location) -> Option<Behaviours> {
        let slots = self.take(at)?;
        self.change(at.pool, |rows| rows.release(at.row));
        Some(Behaviours(slots))
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
    /// When the object has no such behaviour or is checked out.
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
            let pool = (pool as &mut dyn Any).downcast_mut::<TypedPool<TypedSlot<B>>>();
            let slot = pool.and_then(|pool| pool.row_mut(at.row));
            let slot = slot.ok_or(ObjectError::CheckedOut(id))?;
            return Ok(slot.parts());
        }
        Self::behaviour_among(pool, id, at)
    }

    /// Like [`behaviour_mut`](Self::behaviour_mut), for objects with several behaviours.
    fn behaviour_among<B: NetworkBehaviour>(
        pool: &mut dyn Pool,
        id: NetId,
        at: Location,
    ) -> Result<SlotParts<'_, B>, ObjectError> {
        let slots = pool.slots_mut(at.row);
        let slots = slots.ok_or(ObjectError::CheckedOut(id))?;
        let is_one = |slot: &dyn Slot| (slot.behaviour() as &dyn Any).is::<B>();
        let index = slots.iter().position(is_one);
        let found = index.and_then(|index| behaviour_at(slots, index));
        found.ok_or_else(|| ObjectError::no_behaviour::<B>(id))
    }

    /// Returns the behaviour at a position of an object, for writing. The id names the object in the
    /// error.
    ///
    /// # Errors
    ///
    /// When the object has no behaviour of this type there or is checked out.
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
