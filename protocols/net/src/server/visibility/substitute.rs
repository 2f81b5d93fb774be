//! Snapshots without values that cannot be written: the prefab's values stand in their place.

use syncvar_runtime::Behaviours;
use syncvar_runtime::schema::{Role, each_bit};
use syncvar_runtime::unstable::object::{Slot, Slots};
use syncvar_runtime::{BehaviourStats, Encoding, NetworkWriter, WriteError, WriteErrorKind};

use crate::Framing;
use crate::server::ServerConfig;

/// Upper bound of the bytes around a collection alone in a delta: its masks, the masks of further
/// behaviours, and its header.
const DELTA_OVERHEAD: usize = 96;

/// Fields that a snapshot leaves at the values of the prefab.
#[derive(Debug)]
pub(crate) struct LeftOut {
    /// Fields by behaviour.
    masks: Vec<u64>,
    /// Fields that can be left out, by ascending length; fields without a form are last.
    candidates: Vec<Candidate>,
    /// The longest field that cannot be left out.
    kept: Option<Candidate>,
}

#[derive(Debug)]
struct Candidate {
    behaviour: usize,
    field: u64,
    /// Length in bytes; none without a form.
    length: Option<usize>,
}

/// Receivers of a snapshot.
pub(crate) struct SnapshotReceivers<'a> {
    pub(crate) framings: &'a [Framing],
    pub(crate) role: Role,
    /// Whether further connections have the object, and receive the operations on its collections.
    pub(crate) has_others: bool,
    pub(crate) config: &'a ServerConfig,
}

impl Candidate {
    /// Returns the length for the order of the candidates.
    fn order(&self) -> usize {
        self.length.unwrap_or(usize::MAX)
    }

    /// Returns whether the next delta can contain the field as a whole, in place of the operations that
    /// the other observers expect.
    fn can_be_whole(&self, slot: &dyn Slot, audience: &SnapshotReceivers<'_>) -> bool {
        let info = slot.info();
        if info.operation_bits & self.field == 0 {
            return true;
        }
        let is_stopped = slot.dirty_bits() & self.field != 0;
        let room = audience.config.state_info(info.channel).room;
        let fits = |length: usize| {
            let payload = length + DELTA_OVERHEAD;
            let mut framings = audience.framings.iter();
            framings.all(|framing| room.refusal(framing.form(), payload).is_none())
        };
        info.resendable && (!audience.has_others || is_stopped || self.length.is_some_and(fits))
    }
}

impl LeftOut {
    /// Returns a choice without a field for the snapshot of an object.
    pub(crate) fn new(slots: &mut dyn Slots, audience: &SnapshotReceivers<'_>) -> Self {
        let encodings = audience.framings.iter().map(|framing| framing.encoding());
        // The copy of the other fields is in this encoding.
        let encodings: Vec<_> = encodings.chain([Encoding::Compact]).collect();
        let (mut candidates, mut kept) = (Vec::new(), None);
        for behaviour in 0..slots.len() {
            let Some(slot) = slots.slot_mut(behaviour) else {
                continue;
            };
            let info = slot.info();
            let fields = info.schema.dirty_bits() & info.policy.readable(audience.role);
            for field in each_bit(fields) {
                let length = encodings.iter().try_fold(0, |longest, encoding| {
                    let length = slot.field_length(field, *encoding).ok()?;
                    Some(length.max(longest))
                });
                let candidate = Candidate {
                    behaviour,
                    field,
                    length,
                };
                if candidate.can_be_whole(slot, audience) {
                    candidates.push(candidate);
                } else {
                    let longest = kept.into_iter().chain([candidate]);
                    kept = longest.max_by_key(Candidate::order);
                }
            }
        }
        candidates.sort_by_key(Candidate::order);
        Self {
            masks: vec![0; slots.len()],
            candidates,
            kept,
        }
    }

    /// Returns the error of a snapshot that is too long without all fields that can be left out. It names
    /// the longest one of the others.
    pub(crate) fn name(&self, error: WriteError, slots: &dyn Slots) -> WriteError {
        let Some(Candidate {
            behaviour, field, ..
        }) = self.kept.as_ref().filter(|_| error.behaviour().is_none())
        else {
            return error;
        };
        let schema = slots.slot(*behaviour).map(|slot| slot.info().schema);
        let number = field.trailing_zeros();
        let field = schema.and_then(|schema| schema.field(number));
        let names = (schema.map(|it| it.name), field.map(|it| it.name));
        WriteError::new(error.kind(), error.offset(), names.0, names.1)
    }

    /// Leaves out the fields without a form, then the longest fields of a snapshot above its limit.
    /// Returns whether there was a field.
    pub(crate) fn leave_out_more(&mut self, error: WriteError) -> bool {
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
    pub(crate) fn write(
        &self,
        slots: &mut dyn Slots,
        mut fresh: Behaviours,
        writer: &mut NetworkWriter,
        stats: &mut [BehaviourStats],
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
    pub(crate) fn mark_dirty(&self, slots: &mut dyn Slots) {
        for (behaviour, fields) in self.masks.iter().enumerate() {
            if let Some(slot) = slots.slot_mut(behaviour) {
                slot.set_dirty_bit(*fields);
            }
        }
    }
}
