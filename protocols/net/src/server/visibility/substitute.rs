//! Snapshots without the values that have no form on the wire: the prefab's values stand in their place.

use syncvar_runtime::object::{Behaviours, Slots};
use syncvar_runtime::{BehaviourStats, Encoding, NetworkWriter, WriteError, WriteErrorKind};

use crate::Framing;
use crate::server::replication::stopped::bits;

/// Fields that a snapshot leaves at the values of the prefab.
#[derive(Debug)]
pub(in crate::server) struct LeftOut {
    /// Fields of each behaviour.
    pub(in crate::server) masks: Vec<u64>,
    /// Other fields, by ascending length; those without a form are last.
    candidates: Vec<Candidate>,
}

#[derive(Debug)]
struct Candidate {
    behaviour: usize,
    field: u64,
    /// Length in bytes; none without a form.
    length: Option<usize>,
}

impl LeftOut {
    /// Returns a choice without a field for the snapshot of an object.
    pub(in crate::server) fn new(
        slots: &mut dyn Slots,
        framings: &[Framing],
        for_owner: bool,
    ) -> Self {
        let encodings = framings.iter().map(|framing| framing.encoding());
        // The copy of the other fields is in this encoding.
        let encodings: Vec<_> = encodings.chain([Encoding::Compact]).collect();
        let mut candidates = Vec::new();
        for behaviour in 0..slots.len() {
            let Some(slot) = slots.slot_mut(behaviour) else {
                continue;
            };
            let info = slot.info();
            let mut fields = info.schema.dirty_bits() & info.policy.readable(for_owner);
            if !info.resendable {
                // The next delta has to replace the value by the right one.
                fields &= !info.operation_bits;
            }
            for field in bits(fields) {
                let length = encodings.iter().try_fold(0, |longest, encoding| {
                    let length = slot.field_length(field, *encoding).ok()?;
                    Some(length.max(longest))
                });
                candidates.push(Candidate {
                    behaviour,
                    field,
                    length,
                });
            }
        }
        candidates.sort_by_key(|candidate| candidate.length.unwrap_or(usize::MAX));
        Self {
            masks: vec![0; slots.len()],
            candidates,
        }
    }

    /// Leaves out the fields without a form, then the longest fields of a snapshot above its limit.
    /// Returns whether there was a field.
    pub(in crate::server) fn leave_out_more(&mut self, error: WriteError) -> bool {
        use WriteErrorKind::{BytesTooLong, MessageTooLarge};
        let mut excess = match error.kind() {
            MessageTooLarge { length, limit } | BytesTooLong { length, limit } => length - limit,
            _ => 0,
        };
        let before = self.candidates.len();
        while let Some(Candidate {
            behaviour,
            field,
            length,
        }) = self
            .candidates
            .pop_if(|it| it.length.is_none() || excess > 0)
        {
            self.masks[behaviour] |= field;
            excess = excess.saturating_sub(length.unwrap_or_default());
        }
        self.candidates.len() < before
    }

    /// Writes the state of an object with the values of `fresh`, a new object of the prefab, in the
    /// fields that are left out.
    pub(in crate::server) fn write(
        &self,
        slots: &mut dyn Slots,
        mut fresh: Behaviours,
        (writer, stats): (&mut NetworkWriter, &mut [BehaviourStats]),
    ) {
        let fresh = fresh.slots_mut();
        for (behaviour, fields) in self.masks.iter().enumerate() {
            let substitute = *fields != 0;
            if substitute && fresh.copy_except(behaviour, slots, *fields).is_err() {
                writer.fail(WriteErrorKind::Custom(
                    "a field does not read the bytes that it has written",
                ));
            }
            let slots: &mut dyn Slots = if substitute { fresh } else { slots };
            let before = writer.len();
            if let Some(slot) = slots.slot_mut(behaviour) {
                slot.serialize(writer, true);
            }
            if let Some(stats) = stats.get_mut(behaviour) {
                stats.full.add(writer.len() - before);
            }
        }
    }

    /// Makes the fields dirty: the next delta has them, or reports them.
    pub(in crate::server) fn mark_dirty(&self, slots: &mut dyn Slots) {
        for (behaviour, fields) in self.masks.iter().enumerate() {
            if let Some(slot) = slots.slot_mut(behaviour) {
                slot.set_dirty_bit(*fields);
            }
        }
    }
}
