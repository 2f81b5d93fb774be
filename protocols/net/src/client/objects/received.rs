//! Received fields of objects, for programs that own their data elsewhere.

use std::any::TypeId;

use rustc_hash::FxHashMap;
use syncvar_runtime::unstable::recent_use::RecentUse;
use syncvar_runtime::{Callbacks, NetId, NetworkBehaviour};

use super::Objects;

/// Received fields not yet drained, by the type of the behaviour. Empty with [`Callbacks::Run`].
#[derive(Debug, Default)]
pub(crate) struct ReceivedFields {
    batches: Vec<(TypeId, Batch)>,
    /// Batch of the last fields: one type follows itself.
    last: usize,
}

/// Received fields of the behaviours of one type, in the order of their first arrival.
#[derive(Debug, Default)]
struct Batch {
    entries: Vec<ReceivedEntry>,
    /// Positions of the entries; empty while these ascend, as the entries of one tick do.
    positions: FxHashMap<(NetId, usize), usize>,
    use_of_entries: RecentUse,
}

/// Received fields of a behaviour.
#[derive(Clone, Copy, Debug)]
struct ReceivedEntry {
    object: NetId,
    behaviour: usize,
    fields: u64,
}

impl ReceivedFields {
    fn batch_of(&mut self, class: TypeId) -> &mut Batch {
        let is_same = |(known, _): &(TypeId, Batch)| *known == class;
        if !self.batches.get(self.last).is_some_and(is_same) {
            let known = self.batches.iter().position(is_same);
            self.last = known.unwrap_or_else(|| {
                self.batches.push((class, Batch::default()));
                self.batches.len() - 1
            });
        }
        &mut self.batches[self.last].1
    }

    fn position_of<B: NetworkBehaviour>(&self) -> Option<usize> {
        let class = TypeId::of::<B>();
        self.batches.iter().position(|(known, _)| *known == class)
    }

    /// Adds received fields of a behaviour.
    pub(crate) fn add(&mut self, class: TypeId, object: NetId, behaviour: usize, fields: u64) {
        let batch = self.batch_of(class);
        let entry = ReceivedEntry {
            object,
            behaviour,
            fields,
        };
        match batch.position(entry.key()) {
            Some(position) => batch.entries[position].fields |= fields,
            None => batch.entries.push(entry),
        }
    }
}

impl Batch {
    /// Returns the position of a known entry; the caller adds an unknown one.
    fn position(&mut self, key: (NetId, usize)) -> Option<usize> {
        let next = self.entries.len();
        if self.positions.is_empty() {
            if self.entries.last().is_none_or(|last| last.key() < key) {
                return None;
            }
            let keys = self.entries.iter().map(ReceivedEntry::key);
            self.positions = keys.zip(0..).collect();
        }
        let position = *self.positions.entry(key).or_insert(next);
        (position < next).then_some(position)
    }
}

impl ReceivedEntry {
    fn key(&self) -> (NetId, usize) {
        (self.object, self.behaviour)
    }
}

impl Objects {
    /// Calls a function with each behaviour of a type that has received fields, and forgets them.
    pub(crate) fn drain_received<B: NetworkBehaviour>(
        &mut self,
        each: &mut impl FnMut(NetId, usize, &mut B, u64),
    ) {
        let Some(position) = self.received.position_of::<B>() else {
            return;
        };
        let (_, batch) = &mut self.received.batches[position];
        batch.positions.clear();
        let used = batch.entries.len();
        for entry in batch.entries.drain(..) {
            let Some(replica) = self.world.objects.get(entry.object.0) else {
                continue;
            };
            let pools = &mut self.world.pools;
            let parts = pools.behaviour_at_mut::<B>(entry.object, replica.at, entry.behaviour);
            if let Ok(parts) = parts {
                let behaviour = parts.tracked.behaviour;
                each(entry.object, entry.behaviour, behaviour, entry.fields);
            }
        }
        let capacity = batch.entries.capacity();
        if let Some(enough) = batch.use_of_entries.count(used, capacity) {
            batch.entries.shrink_to(enough);
            batch.positions.shrink_to(enough);
        }
    }

    /// Returns the objects of the behaviours of a type that have received fields.
    pub(crate) fn received<B: NetworkBehaviour>(&self) -> impl Iterator<Item = NetId> {
        let position = self.received.position_of::<B>();
        let batch = position.and_then(|position| self.received.batches.get(position));
        let entries = batch.into_iter().flat_map(|(_, batch)| &batch.entries);
        entries.map(|entry| entry.object)
    }

    /// Counts all fields of an object as received, with [`Callbacks::Events`].
    #[inline]
    pub(crate) fn receive_all(&mut self, object: NetId) {
        if self.world.callbacks != Callbacks::Run {
            self.receive_fields(object);
        }
    }

    fn receive_fields(&mut self, object: NetId) {
        let slots = self.world.slots(object).into_iter();
        for (behaviour, slot) in slots.flat_map(|slots| slots.iter().enumerate()) {
            let info = slot.info();
            let fields = info.schema.dirty_bits();
            self.received.add(info.class.id, object, behaviour, fields);
        }
    }
}
