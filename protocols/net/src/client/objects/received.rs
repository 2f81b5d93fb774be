//! Received fields of objects, for programs that own their data elsewhere.

use rustc_hash::FxHashMap;
use syncvar_runtime::{Callbacks, NetId, NetworkBehaviour};

use super::Objects;

/// Received fields not yet drained, by the name of the behaviour. Empty with [`Callbacks::Run`].
#[derive(Debug, Default)]
pub(crate) struct ReceivedFields {
    behaviours: FxHashMap<&'static str, Batch>,
}

/// Received fields of the behaviours with one name, in the order of their first arrival.
#[derive(Debug, Default)]
struct Batch {
    entries: Vec<ReceivedEntry>,
    positions: FxHashMap<(NetId, usize), usize>,
}

/// Received fields of a behaviour.
#[derive(Clone, Copy, Debug)]
struct ReceivedEntry {
    object: NetId,
    behaviour: usize,
    fields: u64,
}

impl ReceivedFields {
    /// Adds received fields of a behaviour.
    pub(crate) fn add(&mut self, name: &'static str, object: NetId, behaviour: usize, fields: u64) {
        let batch = self.behaviours.entry(name).or_default();
        batch.add(ReceivedEntry {
            object,
            behaviour,
            fields,
        });
    }
}

impl Batch {
    fn add(&mut self, entry: ReceivedEntry) {
        let next = self.entries.len();
        let key = (entry.object, entry.behaviour);
        let position = *self.positions.entry(key).or_insert(next);
        match self.entries.get_mut(position) {
            Some(known) => known.fields |= entry.fields,
            None => self.entries.push(entry),
        }
    }
}

impl Objects {
    /// Calls a function with each behaviour of a type that has received fields, and forgets them.
    pub(crate) fn drain_received<B: NetworkBehaviour>(
        &mut self,
        each: &mut impl FnMut(NetId, usize, &mut B, u64),
    ) {
        let Some(batch) = self.received.behaviours.get_mut(B::SCHEMA.name) else {
            return;
        };
        batch.positions.clear();
        let mut left = Vec::new();
        for entry in batch.entries.drain(..) {
            let Some(replica) = self.world.objects.get(entry.object.0) else {
                continue;
            };
            let pools = &mut self.world.pools;
            match pools.behaviour_at_mut::<B>(entry.object, replica.at, entry.behaviour) {
                Ok(parts) => each(
                    entry.object,
                    entry.behaviour,
                    parts.tracked.behaviour,
                    entry.fields,
                ),
                // A different type with the same name.
                Err(_) => left.push(entry),
            }
        }
        for entry in left {
            batch.add(entry);
        }
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
            let schema = &slot.info().schema;
            let fields = schema.dirty_bits();
            self.received.add(schema.name, object, behaviour, fields);
        }
    }
}
