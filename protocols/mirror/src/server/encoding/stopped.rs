//! Values without a form on the wire: they stop their field, and the remaining fields travel on.
//!
//! Mirror's masks can leave out a value of a delta, which becomes clean: only a write makes it fit, and each
//! write makes it dirty. A snapshot lacks a mask: it contains the value of the prefab instead.
//!
//! A collection cannot be left out. A snapshot announces the number of its pending operations, and the
//! receiver skips as many of the next operations; after a dropped operation it would skip a later operation.

use syncvar_runtime::schema::each_bit;
use syncvar_runtime::unstable::object::{ComponentLayout, Slot};
use syncvar_runtime::{Encoding, NetworkWriter, WriteError};

use crate::server::encoding::{ComponentSelection, Components};

/// A behaviour with a write error.
#[derive(Debug)]
pub(crate) struct Unwritable {
    pub(crate) behaviour: &'static str,
    pub(crate) error: WriteError,
}

impl Components {
    /// Writes a component without the values that lack a form. Returns whether it wrote any fields.
    #[cold]
    #[inline(never)]
    pub(super) fn write_without_values(
        &mut self,
        slot: &mut dyn Slot,
        index: u32,
        selection: &ComponentSelection<'_>,
        error: WriteError,
    ) -> Result<bool, Unwritable> {
        let info = slot.info();
        let behaviour = info.schema.name;
        let failure = |error| Unwritable { behaviour, error };
        let mut stopped = 0;
        let mut failures = Vec::new();
        for field in each_bit(info.packed.values) {
            if let Err(error) = slot.field_length(field, Encoding::Mirror) {
                stopped |= field;
                failures.push(failure(error));
            }
        }
        if stopped == 0 || info.layout == ComponentLayout::Own {
            return Err(failure(error));
        }
        let writer = &mut self.writer;
        let written = if selection.initial_state {
            let Some(prefab) = selection.prefab else {
                return Err(failure(error));
            };
            let mut fresh = prefab.make();
            if let Some(fresh) = fresh.slots_mut().slot_mut(index as usize) {
                write_snapshot(slot, fresh, stopped, writer);
            }
            true
        } else {
            let fully_dirty = selection.fully_dirty >> index & 1 == 1;
            let context = writer.context().with_fields(!stopped);
            writer.with_context(context, |writer| {
                slot.write_layout(writer, false, fully_dirty)
            })
        };
        if let Some(error) = writer.take_error() {
            return Err(failure(error));
        }
        if !selection.initial_state {
            slot.drop_fields(stopped, None);
        }
        self.stopped.append(&mut failures);
        Ok(written)
    }
}

/// Writes the snapshot of a component, with the values of a new component in the stopped fields.
fn write_snapshot(
    slot: &mut dyn Slot,
    fresh: &mut dyn Slot,
    stopped: u64,
    writer: &mut NetworkWriter,
) {
    let packed = slot.info().packed;
    for fields in [packed.collections, packed.values] {
        for field in each_bit(fields) {
            if stopped & field == 0 {
                slot.fields().write_fields(writer, field);
            } else {
                fresh.fields().write_fields(writer, field);
            }
        }
    }
}
