//! Saved values of single fields: their bytes, their size and their restore.

use std::ops::AddAssign;

use super::erased_fields::{ErasedFields, FieldOperation, write};
use crate::limits::ReadBudget;
use crate::wire::budget::STEP;
use crate::{DeserializeContext, Encoding, NetworkReader, NetworkWriter};

/// Size of the saved fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateSize {
    /// Memory in bytes.
    pub memory: usize,
    /// Work of a write or a read of the fields.
    pub work: usize,
}

impl AddAssign for StateSize {
    fn add_assign(&mut self, other: Self) {
        self.memory = self.memory.saturating_add(other.memory);
        self.work = self.work.saturating_add(other.work);
    }
}

impl StateSize {
    /// Returns the size of the state that a writer holds, since its last report.
    pub fn of(writer: &mut NetworkWriter) -> Self {
        let (bytes, report) = (writer.len(), writer.take_report());
        let steps = report.elements.saturating_mul(STEP);
        Self {
            memory: bytes.saturating_add(report.memory),
            work: bytes.saturating_add(steps),
        }
    }
}

/// Encoding of the values: it does not limit the number of elements.
pub(super) const SAVED: Encoding = Encoding::Compact;

/// Returns one field as in a snapshot; `None` if the value lacks a form on the wire.
pub(super) fn value_of(behaviour: &mut (impl ErasedFields + ?Sized), bit: u64) -> Option<Vec<u8>> {
    measured_value_of(behaviour, bit, &mut StateSize::default())
}

/// Like [`value_of`]; adds the size of the field.
pub(super) fn measured_value_of(
    behaviour: &mut (impl ErasedFields + ?Sized),
    bit: u64,
    size: &mut StateSize,
) -> Option<Vec<u8>> {
    let mut writer = NetworkWriter::with_encoding(SAVED);
    write(behaviour, &mut writer, bit);
    *size += StateSize::of(&mut writer);
    let valid = writer.take_error().is_none();
    valid.then(|| writer.as_bytes().to_vec())
}

/// Restores the value of a field. `plain`: the value has the plain form of its type.
pub(super) fn put_back(
    behaviour: &mut (impl ErasedFields + ?Sized),
    bit: u64,
    value: &[u8],
    plain: bool,
) {
    let mut reader = NetworkReader::with_encoding(value, SAVED).with_budget(ReadBudget::UNLIMITED);
    reader.set_context(DeserializeContext {
        plain,
        ..*reader.context()
    });
    if let Err(error) = behaviour.apply(bit, FieldOperation::Read(&mut reader)) {
        tracing::error!(%error, "a field cannot read the bytes that it has written");
    }
}
