//! `Undo`: the values of components before a write of their owner.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use syncvar_runtime::unstable::object::{PolicyState, Slot, Slots};
use syncvar_runtime::{NetworkReader, ReadError};

/// Values of the components that a message writes, before the message.
#[derive(Debug, Default)]
pub(super) struct Undo(Vec<Saved>);

#[derive(Debug)]
struct Saved {
    component: usize,
    fields: u64,
    values: PolicyState,
}

impl Undo {
    /// Saves the fields that the next component of a reader can change, within the work of the reader.
    pub(super) fn save(
        &mut self,
        component: usize,
        slot: &mut dyn Slot,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        let fields = if initial_state {
            slot.info().schema.dirty_bits()
        } else {
            slot.fields_of_layout(reader.rest())
        };
        let mut values = PolicyState::default();
        let before = reader.budget().work;
        let mut left = before;
        let saved = values.save(slot.fields(), fields, 0, &mut left);
        reader.take_work(before.saturating_sub(left))?;
        if !saved {
            reader.take_work(values.saved_size().work)?;
        }
        self.0.push(Saved {
            component,
            fields,
            values,
        });
        Ok(())
    }

    /// Restores the fields. Returns whether observers may have received an undone operation of a
    /// collection, so that they need its content.
    pub(super) fn restore(self, slots: &mut dyn Slots, reader: &mut NetworkReader<'_>) -> bool {
        let mut refilled = 0;
        for mut saved in self.0 {
            let Some(slot) = slots.slot_mut(saved.component) else {
                continue;
            };
            saved.values.restore(slot.fields());
            let collections = saved.fields & slot.info().packed.collections;
            slot.set_dirty_bit(collections);
            refilled |= collections;
            // The restore reads the values once more.
            let work = saved.values.saved_size().work;
            let _ = reader.take_work(work.min(reader.budget().work));
        }
        refilled != 0
    }
}
