//! Received fields of objects, for programs that own their data elsewhere.

use std::any::TypeId;

use rustc_hash::FxHashMap;
use syncvar_runtime::{Callbacks, NetId, NetworkBehaviour};

use super::Objects;

/// Received fields not yet drained, by the type of the behaviour. Empty with [`Callbacks::Run`].
#[derive(Debug, Default)]
pub(crate) struct ReceivedFields {
    behaviours: FxHashMap<TypeId, Batch>,
}

/// Received fields of the behaviours of one type, in the order of their first arrival.
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
    pub(crate) fn add(&mut self, class: TypeId, object: NetId, behaviour: usize, fields: u64) {
        let batch = self.behaviours.entry(class).or_default();
        let next = batch.entries.len();
        let position = *batch.positions.entry((object, behaviour)).or_insert(next);
        match batch.entries.get_mut(position) {
            Some(known) => known.fields |= fields,
            None => batch.entries.push(ReceivedEntry {
                object,
                behaviour,
                fields,
            }),
        }
    }
}

impl Objects {
    /// Calls a function with each behaviour of a type that has received fields, and forgets them.
    pub(crate) fn drain_received<B: NetworkBehaviour>(
        &mut self,
        each: &mut impl FnMut(NetId, usize, &mut B, u64),
    ) {
        let Some(batch) = self.received.behaviours.get_mut(&TypeId::of::<B>()) else {
            return;
        };
        batch.positions.clear();
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
