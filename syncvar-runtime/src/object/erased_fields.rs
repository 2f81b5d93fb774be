//! `ErasedFields`: the fields of a behaviour of any type, changed by one operation at a time.
//!
//! The update loop knows the types of its rows and visits their fields directly. Rare work (policies, snapshots of
//! single fields, comparisons) goes through this trait: an operation is a value, and selects the visitor that
//! was compiled for the class.

use crate::field::Lineage;
use crate::{
    BehaviourFields, NetworkBehaviour, NetworkReader, NetworkWriter, OperationLog, ReadResult,
};

/// Fields of a behaviour, type-erased.
pub trait ErasedFields {
    /// Returns the fields with a change to send.
    fn dirty_bits(&self) -> u64;

    /// Applies an operation to the fields with a set bit. [`FieldOperation::SetObserved`],
    /// [`FieldOperation::SetLog`] and [`FieldOperation::Round`] apply to all fields.
    ///
    /// # Errors
    ///
    /// When the bytes of [`FieldOperation::Read`] do not fit.
    fn apply(&mut self, fields: u64, operation: FieldOperation<'_, '_>) -> ReadResult<()>;
}

/// An operation on fields.
#[derive(Debug)]
pub enum FieldOperation<'a, 'b> {
    /// Makes the fields dirty.
    SetDirty,
    /// Makes the fields dirty after the read of an owner's deltas.
    Relay,
    /// Makes the fields clean, which observers have already.
    Clear,
    /// Makes the fields clean, which observers have now on an object of this lineage.
    MarkSent(Lineage),
    /// Writes the fields as in a snapshot.
    Write(&'a mut NetworkWriter),
    /// Reads the fields as in a snapshot.
    Read(&'a mut NetworkReader<'b>),
    /// Sets the flag to the answer whether one field exceeds its threshold, measured from the last sent value.
    CompareThreshold(&'a mut NetworkReader<'b>, &'a mut bool),
    /// Replaces values with a codec by those that travel. The writer is memory.
    Round(&'a mut NetworkWriter),
    /// Sets whether the object has observers.
    SetObserved(bool),
    /// Sets the operation log of the collections.
    SetLog(OperationLog),
}

impl<B: NetworkBehaviour> ErasedFields for B {
    #[inline]
    fn dirty_bits(&self) -> u64 {
        self.sync_var_dirty_bits()
    }

    #[inline]
    fn apply(&mut self, fields: u64, operation: FieldOperation<'_, '_>) -> ReadResult<()> {
        match operation {
            FieldOperation::SetDirty => self.set_dirty_bit(fields),
            FieldOperation::Relay => self.relay(fields),
            FieldOperation::Clear => self.clear_dirty_bits(fields),
            FieldOperation::MarkSent(lineage) => lineage.mark_sent(self, fields),
            FieldOperation::Write(writer) => self.write_fields(writer, fields),
            FieldOperation::Read(reader) => return self.read_fields(reader, fields),
            FieldOperation::CompareThreshold(last_sent, beyond) => {
                *beyond = self.is_beyond_threshold(last_sent, fields);
            }
            FieldOperation::Round(writer) => self.round(writer),
            FieldOperation::SetObserved(observed) => self.set_observed(observed),
            FieldOperation::SetLog(log) => self.set_log(log),
        }
        Ok(())
    }
}

/// Operations by name.
impl dyn ErasedFields + '_ {
    /// Makes fields dirty.
    pub fn set_dirty_bit(&mut self, fields: u64) {
        set_dirty(self, fields);
    }

    /// Makes fields clean, which observers have already.
    pub fn clear_dirty_bits(&mut self, fields: u64) {
        clear(self, fields);
    }

    /// Writes fields as in a snapshot.
    pub fn write_fields(&mut self, writer: &mut NetworkWriter, fields: u64) {
        write(self, writer, fields);
    }

    /// Reads fields as in a snapshot.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    pub fn read_fields(&mut self, reader: &mut NetworkReader<'_>, fields: u64) -> ReadResult<()> {
        self.apply(fields, FieldOperation::Read(reader))
    }
}

/// Applies an operation that cannot fail.
#[inline]
pub(super) fn apply(
    behaviour: &mut (impl ErasedFields + ?Sized),
    fields: u64,
    operation: FieldOperation<'_, '_>,
) {
    if let Err(error) = behaviour.apply(fields, operation) {
        tracing::error!(%error, "an operation on fields failed");
    }
}

/// Makes fields dirty.
#[inline]
pub(super) fn set_dirty(behaviour: &mut (impl ErasedFields + ?Sized), fields: u64) {
    apply(behaviour, fields, FieldOperation::SetDirty);
}

/// Makes fields clean.
#[inline]
pub(super) fn clear(behaviour: &mut (impl ErasedFields + ?Sized), fields: u64) {
    apply(behaviour, fields, FieldOperation::Clear);
}

/// Writes fields as in a snapshot.
#[inline]
pub(super) fn write(
    behaviour: &mut (impl ErasedFields + ?Sized),
    writer: &mut NetworkWriter,
    fields: u64,
) {
    apply(behaviour, fields, FieldOperation::Write(writer));
}
