//! Writes of owners to their objects, applied completely or not at all.
//!
//! ```text
//! save    the fields of the owner, within the work of the reader
//! read    the fields of the message; an error ends the write
//! check   the new values, by the rules of the program
//! keep    the memory of the new values, within the limit of the connection
//!    all of them passed: discard the saved fields, relay the written fields
//!    otherwise:          revert to the saved fields
//! ```

use syncvar_runtime::unstable::object::{OwnerMemory, Slots, StateSize};
use syncvar_runtime::{ChangedFields, NetId, NetworkReader, ReadError, ReadErrorKind};

/// Write of an owner whose connection and permit are checked.
#[derive(Debug)]
pub(crate) struct OwnerWrite<'a> {
    pub(crate) id: NetId,
    pub(crate) tick: u32,
    /// Set if some of the values may be those of now, which are not relayed.
    pub(crate) repeats: bool,
    /// Memory that the writes of the connection have added to its objects.
    pub(crate) memory: &'a mut OwnerMemory,
    pub(crate) max_memory: usize,
}

/// Written fields of each behaviour. With refused fields, nothing has changed.
#[derive(Default)]
pub(crate) struct WrittenFields {
    pub(crate) accepted: Vec<(usize, ChangedFields)>,
    pub(crate) refused: Vec<(usize, ChangedFields)>,
}

impl OwnerWrite<'_> {
    /// Applies the write to the behaviours of the object.
    pub(crate) fn apply(
        mut self,
        slots: &mut dyn Slots,
        reader: &mut NetworkReader<'_>,
    ) -> Result<WrittenFields, ReadError> {
        let (length, budget) = (reader.remaining(), reader.budget().memory);
        let before = save(slots, reader)?;
        let mut all: Vec<(usize, u64)> = Vec::new();
        let mut read = Ok(());
        while reader.remaining() > 0 && read.is_ok() {
            read = read_behaviour(slots, reader, &mut all);
        }
        let refused = if read.is_ok() {
            check(slots, &all, self.tick)
        } else {
            Vec::new()
        };
        if read.is_ok() && refused.is_empty() {
            // A number may take five times as many bytes in the snapshot that is measured.
            let taken = budget.saturating_sub(reader.budget().memory);
            let taken = taken.saturating_add(length.saturating_mul(5));
            read = self.keep(slots, reader, before, taken);
        }
        let undone = read.is_err() || !refused.is_empty();
        if undone || self.repeats {
            // The restore reads the values once more, and a comparison writes them.
            spend(reader, before.work);
        }
        if undone {
            revert(slots, &all);
            read?;
            let accepted = Vec::new();
            return Ok(WrittenFields { accepted, refused });
        }
        discard(slots, &mut all, self.repeats);
        let accepted = relay(slots, all, self.tick);
        Ok(WrittenFields { accepted, refused })
    }

    /// Records the memory of the write, or rejects the write. Fields beyond the limit must not grow. The exact
    /// memory is measured only where the memory taken by the reader could exceed the limit.
    fn keep(
        &mut self,
        slots: &mut dyn Slots,
        reader: &mut NetworkReader<'_>,
        before: StateSize,
        taken: usize,
    ) -> Result<(), ReadError> {
        let (before, work, limit) = (before.memory, before.work, self.max_memory);
        let mut now = before.saturating_add(taken);
        if self.memory.with(self.id, before, now) > limit {
            reader.take_work(work)?;
            let mut size = StateSize::default();
            slots.for_each_mut(|slot| {
                if let Some(restricted) = slot.policy_slot() {
                    size += restricted.state.size_now(restricted.behaviour);
                }
            });
            now = size.memory;
            spend(reader, size.work.saturating_sub(work));
        }
        if self.memory.with(self.id, before, now) > limit && now > before {
            return Err(reader.error(ReadErrorKind::TooMuchOwnerMemory { limit }));
        }
        self.memory.record(self.id, before, now);
        Ok(())
    }
}

/// Restores the saved fields of all behaviours.
fn revert(slots: &mut dyn Slots, all: &[(usize, u64)]) {
    let mut index = 0;
    slots.for_each_mut(|slot| {
        if let Some(restricted) = slot.policy_slot() {
            let of_slot = all.iter().filter(|(at, _)| *at == index);
            let fields = of_slot.fold(0, |bits, (_, fields)| bits | fields);
            restricted.state.revert(restricted.behaviour, fields);
        }
        index += 1;
    });
}

/// Discards the saved fields of all behaviours. Removes unchanged fields from the written fields if the
/// message may repeat values.
fn discard(slots: &mut dyn Slots, all: &mut [(usize, u64)], repeats: bool) {
    let mut index = 0;
    slots.for_each_mut(|slot| {
        if let Some(restricted) = slot.policy_slot() {
            if repeats {
                for (_, fields) in all.iter_mut().filter(|(at, _)| *at == index) {
                    *fields = restricted
                        .state
                        .clear_unchanged(restricted.behaviour, *fields);
                }
            }
            restricted.state.discard();
        }
        index += 1;
    });
}

/// Makes the written fields dirty for the observers. Returns them for each behaviour.
fn relay(slots: &mut dyn Slots, all: Vec<(usize, u64)>, tick: u32) -> Vec<(usize, ChangedFields)> {
    let mut accepted = Vec::new();
    for (index, fields) in all.into_iter().filter(|(_, fields)| *fields != 0) {
        let Some(slot) = slots.slot_mut(index) else {
            continue;
        };
        let checked = slot.info().policy.checked;
        if let Some(restricted) = slot.policy_slot() {
            restricted.state.relay(restricted.behaviour, fields);
            restricted.state.note_accepted(fields & checked, tick);
        }
        accepted.push((index, ChangedFields::new(slot.info().class, fields)));
    }
    accepted
}

/// Returns the written fields whose values are refused, for each behaviour.
fn check(slots: &mut dyn Slots, all: &[(usize, u64)], tick: u32) -> Vec<(usize, ChangedFields)> {
    let mut refused = Vec::new();
    for (index, written) in all {
        let Some(slot) = slots.slot_mut(*index) else {
            continue;
        };
        let fields = slot.refused_writes(*written, tick);
        if fields != 0 {
            refused.push((*index, ChangedFields::new(slot.info().class, fields)));
        }
    }
    refused
}

/// Saves the owner's fields, within the work of the reader. Returns their size.
fn save(slots: &mut dyn Slots, reader: &mut NetworkReader<'_>) -> Result<StateSize, ReadError> {
    let (mut size, mut saved) = (StateSize::default(), true);
    let mut left = reader.budget().work;
    slots.for_each_mut(|slot| {
        let owner_write = slot.info().policy.owner_write;
        if let Some(restricted) = slot.policy_slot().filter(|_| saved) {
            let state = restricted.state;
            saved = state.save(restricted.behaviour, owner_write, 0, &mut left);
            size += state.saved_size();
        }
    });
    let done = reader.budget().work.saturating_sub(left);
    if saved {
        spend(reader, done);
        return Ok(size);
    }
    slots.for_each_mut(|slot| {
        if let Some(restricted) = slot.policy_slot() {
            restricted.state.discard();
        }
    });
    let refused = reader.take_work(size.work);
    spend(reader, done);
    refused.map(|()| size)
}

/// Takes work that is done already.
fn spend(reader: &mut NetworkReader<'_>, work: usize) {
    let left = reader.budget().work;
    // It is never more than the rest.
    let _ = reader.take_work(work.min(left));
}

/// Reads the fields of one behaviour.
fn read_behaviour(
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    all: &mut Vec<(usize, u64)>,
) -> Result<(), ReadError> {
    let index = reader.read_u8()?;
    let slot = slots.slot_mut(index.into());
    let Some(slot) = slot.filter(|slot| slot.info().policy.owner_write != 0) else {
        let (what, value) = ("behaviour that an owner writes", index.into());
        return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
    };
    let context = reader.context().with_fields(slot.info().policy.owner_write);
    let read = reader.with_context(context, |reader| slot.deserialize(reader, false));
    // Hooks belong to clients. The hooks of a host run with the next update.
    slot.skip_hooks();
    all.push((index.into(), reader.take_report().seen));
    read
}
