//! Substitutes: objects of a prefab in the place of objects that hold values without a form on the wire.

use super::{Slot, Slots};
use crate::limits::ReadBudget;
use crate::{Encoding, NetworkReader, NetworkWriter, ReadResult, WriteError};

impl dyn Slot + '_ {
    /// Returns the length of a field in a snapshot.
    ///
    /// # Errors
    ///
    /// When its value lacks a form on the wire.
    pub fn field_length(&mut self, field: u64, encoding: Encoding) -> Result<usize, WriteError> {
        let mut writer = NetworkWriter::with_encoding(encoding);
        self.fields().write_fields(&mut writer, field);
        writer.take_error().map_or(Ok(writer.len()), Err)
    }
}

impl dyn Slots {
    /// Copies the values of a behaviour from a second object, except some fields. The values need a form
    /// in [`Encoding::Compact`].
    ///
    /// # Errors
    ///
    /// When a field does not read the bytes that it has written.
    pub fn copy_except(
        &mut self,
        behaviour: usize,
        from: &mut dyn Slots,
        except: u64,
    ) -> ReadResult<()> {
        let slots = (self.slot_mut(behaviour), from.slot_mut(behaviour));
        let (Some(slot), Some(from)) = slots else {
            return Ok(());
        };
        let fields = from.info().schema.dirty_bits() & !except;
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        from.fields().write_fields(&mut writer, fields);
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Compact)
            .with_budget(ReadBudget::UNLIMITED);
        slot.fields().read_fields(&mut reader, fields)
    }
}
