//! Fields that a client reads no more, or may not have written: back to the values of the prefab.

use super::hooks::{DeferredHooks, ErasedHooks};
use super::{Behaviours, Slot, Slots};
use crate::{Encoding, NetId, NetworkReader, NetworkWriter};

impl dyn Slots {
    /// Sets some fields to the values of a new object of the prefab. `fields` receives each behaviour with its position.
    /// Returns the hooks of the behaviours with a different value, to be reported as changes.
    pub fn reset_fields(
        &mut self,
        object: NetId,
        fields: impl Fn(usize, &dyn Slot) -> u64,
        make: impl FnOnce() -> Behaviours,
    ) -> Vec<DeferredHooks> {
        let mut chosen = Vec::new();
        self.for_each_mut(|slot| chosen.push(fields(chosen.len(), slot)));
        if chosen.iter().all(|fields| *fields == 0) {
            return Vec::new();
        }
        let mut fresh = make();
        let mut hooks = Vec::new();
        for (behaviour, fields) in chosen.into_iter().enumerate() {
            let slots = (
                self.slot_mut(behaviour),
                fresh.slots_mut().slot_mut(behaviour),
            );
            if let (Some(slot), Some(fresh)) = slots {
                hooks.extend(
                    reset(slot, fresh, fields).map(|(fields, arguments)| DeferredHooks {
                        object,
                        behaviour,
                        fields,
                        tick: None,
                        reported: true,
                        hooks: arguments,
                    }),
                );
            }
        }
        hooks
    }
}

/// Copies some fields from a second slot. Returns the fields that differed, with the values for their hooks.
fn reset(slot: &mut dyn Slot, fresh: &mut dyn Slot, fields: u64) -> Option<(u64, ErasedHooks)> {
    fresh.align(slot);
    let mut before = slot.remember_for_hooks(fields);
    let (mut differing, mut rest) = (0, fields);
    while rest != 0 {
        let field = rest & rest.wrapping_neg();
        rest &= !field;
        // A present value above a limit has no form.
        let now = write(slot, field);
        if let Some(initial) = write(fresh, field)
            && now.is_none_or(|now| now.as_bytes() != initial.as_bytes())
        {
            let mut reader = NetworkReader::with_encoding(initial.as_bytes(), Encoding::Compact);
            if slot.fields().read_fields(&mut reader, field).is_ok() {
                differing |= field;
            }
        }
    }
    if let Some(before) = &mut before {
        slot.changed_since(before);
    }
    let hooks = before.map(Into::into).unwrap_or_default();
    (differing != 0).then_some((differing, hooks))
}

fn write(slot: &mut dyn Slot, field: u64) -> Option<NetworkWriter> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    slot.fields().write_fields(&mut writer, field);
    (!writer.has_error()).then_some(writer)
}
