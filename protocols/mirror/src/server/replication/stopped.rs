//! Values without a form on the wire: they stop their field, and the other fields travel on.
//!
//! Mirror's masks can leave out a value of a delta, which becomes clean: only a write makes it fit, and each
//! write makes it dirty. A snapshot has no mask: it contains the value of the prefab instead.
//!
//! A collection cannot be left out. A snapshot announces the number of its pending operations, and the
//! receiver skips as many of the next ones; operations that are dropped in between would make it skip others.

use syncvar_runtime::object::{ComponentLayout, Slot, Slots};
use syncvar_runtime::schema::each_bit;
use syncvar_runtime::{Encoding, NetId, NetworkWriter, WriteError};

use crate::server::MirrorServer;
use crate::server::replication::encode::{Components, Selection, Unwritable};

impl Components {
    /// Writes a component without the values that have no form. Returns whether it wrote any fields.
    #[cold]
    #[inline(never)]
    pub(super) fn write_without_values(
        &mut self,
        slot: &mut dyn Slot,
        index: u32,
        selection: &Selection<'_>,
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

/// Writes the snapshot of a component, with the values of a new one in some fields.
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

impl MirrorServer {
    /// Reports the values that were left out since the last call.
    pub(in crate::server) fn report_stopped(&mut self) {
        if !self.replication.scratch.stopped.is_empty() {
            for (id, unwritable) in std::mem::take(&mut self.replication.scratch.stopped) {
                self.report_unwritable(id, unwritable);
            }
        }
    }

    /// Returns the longest field of an object, with the name of its behaviour.
    pub(in crate::server) fn longest_field(
        &mut self,
        id: NetId,
    ) -> Option<(&'static str, &'static str)> {
        let slots: &mut dyn Slots = self.world.slots_mut(id)?;
        let mut longest = None;
        slots.for_each_mut(|slot| {
            let schema = slot.info().schema;
            for field in each_bit(schema.dirty_bits()) {
                let length = slot.field_length(field, Encoding::Mirror).ok();
                let name = schema.field(field.trailing_zeros());
                let names = name.map(|field| (schema.name, field.name));
                longest = longest.max(Some((length, names)));
            }
        });
        longest?.1
    }
}
