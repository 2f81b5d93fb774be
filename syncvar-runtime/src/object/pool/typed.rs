//! `TypedPool`: a pool whose rows have a known type.

use std::any::{Any, TypeId};
use std::mem;

use super::batches::{AHEAD, write_batches};
use super::rows::Rows;
use super::{Pool, PooledSlots};
use crate::object::change_sink::{ChangeSink, Job};
use crate::object::changes::FindRestricted;
use crate::object::prefetch::Prefetch;
use crate::object::reception::{Entry, Reception};
use crate::object::slots::Slots;
use crate::object::snapshot_sink::SnapshotSink;
use crate::table::CACHED;
use crate::{NetId, NetworkReader};

/// Number of rows that are on their way into the cache while a row is read.
const PREFETCHED: usize = 16;

/// Least bytes of a part apart from its row.
const APART: usize = 64;

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
    pub(super) fn row_mut(&mut self, row: u32) -> Option<&mut S> {
        self.rows.get_mut(row)?.as_mut()
    }

    /// Returns the part of some objects whose rows are loaded ahead: none if the cache holds all rows.
    #[inline]
    fn uncached<'a, T>(&self, objects: &'a [T]) -> &'a [T]
    where
        S: Slots,
    {
        let row = size_of::<Option<S>>() + S::loads() * APART;
        if self.ids.len() * row < CACHED {
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
    pub(super) fn add(&mut self, id: NetId, slots: S) -> u32 {
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
    fn insert(
        &mut self,
        id: NetId,
        behaviours: Box<dyn PooledSlots>,
    ) -> Result<u32, Box<dyn PooledSlots>> {
        if Any::type_id(&*behaviours) != TypeId::of::<S>() {
            return Err(behaviours);
        }
        let boxed: Box<dyn Any> = behaviours;
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

    fn take(&mut self, row: u32) -> Option<Box<dyn PooledSlots>> {
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

    #[inline]
    fn loads(&self) -> usize {
        if self.uncached(&[()]).is_empty() {
            0
        } else {
            1 + S::loads()
        }
    }

    #[inline]
    fn load(&self, row: u32, step: usize) {
        match step.checked_sub(1) {
            None => self.rows.prefetch(row),
            Some(step) => {
                if let Some(slots) = self.row(row) {
                    slots.load(step);
                }
            }
        }
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
        super::parallel::write_changes_to_all(&mut self.rows, jobs, sinks);
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
        let mut targets = mem::take(reception.memory.targets);
        let mut reader = NetworkReader::with_encoding(&[], reception.message.encoding)
            .with_budget(reception.budget)
            .with_references(&mut targets);
        if reception.message.newest.is_some() {
            self.prefetch_states(entries);
        }
        let mut next = self.uncached(entries).iter();
        if S::loads() > 0 {
            // Parts behind addresses: a step for all objects before the next step.
            for step in 0..Pool::loads(self) {
                for entry in entries {
                    Pool::load(self, entry.row, step);
                }
            }
            next = [].iter();
        }
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
        *reception.memory.targets = targets;
    }
}
