//! Delta of a field alone: whether it has a form on the wire, and how long it is.

use super::slot::Slot;
use crate::schema::each_bit;
use crate::{Encoding, NetworkWriter, WriteError};

/// Limits of the fields that share a message, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLimits {
    /// Length of a delta with one field.
    pub field: usize,
    /// Length of a delta with one collection, which is written whole.
    pub collection: usize,
}

impl dyn Slot + '_ {
    /// Returns the length of the delta of a dirty field, with its mask. The field stays dirty.
    ///
    /// # Errors
    ///
    /// When the value lacks a form on the wire.
    pub fn length_alone(&mut self, field: u64, encoding: Encoding) -> Result<usize, WriteError> {
        let mut alone = NetworkWriter::with_encoding(encoding);
        let context = alone.context().with_fields(field);
        alone.with_context(context, |writer| self.serialize(writer, false));
        alone.take_error().map_or(Ok(alone.len()), Err)
    }

    /// Returns those of some dirty fields whose delta exceeds a limit. Fields without a form on the wire
    /// are not among them. Collections are written whole from now on.
    ///
    /// Each field is written once: call it when a message is too long, and for dirty
    /// [collections](super::SlotInfo::operation_bits).
    pub fn large_fields(&mut self, fields: u64, encoding: Encoding, limits: FieldLimits) -> u64 {
        self.make_changes_whole();
        let collections = self.info().operation_bits;
        let dirty = self.dirty_bits();
        let is_large = |field: &u64| {
            let limit = if collections & field == 0 {
                limits.field
            } else {
                limits.collection
            };
            let length = self.length_alone(*field, encoding);
            length.is_ok_and(|length| length > limit)
        };
        each_bit(fields & dirty)
            .filter(is_large)
            .fold(0, |all, field| all | field)
    }
}
