//! Operations of collections: the delta of a `SyncList`, a `SyncDictionary` or a set.
//!
//! The operations stay operations. Only where the reader has another kind of field, such as a `SyncVar<Vec<T>>` in the place of a
//! `SyncList<T>`, they are applied to the reader's present value, and the whole value follows.

mod apply;
mod skip;

use super::super::layout::{CollectionKind, Layout};
use super::{Conversion, Fit};
use crate::field::numbers::{keyed, list};
use crate::{NetworkReader, NetworkWriter, ReadErrorKind, ReadResult};

/// Conversion of the delta of a collection.
#[derive(Clone, Debug)]
pub struct Operations {
    /// Kind of the writer's collection.
    pub kind: CollectionKind,
    /// Conversion of an element or key.
    pub element: Conversion,
    /// Conversion of the value of a key; `None` without keys.
    pub value: Option<Conversion>,
    /// Conversion of the whole collection.
    pub whole: Conversion,
    /// Layout of the reader's field.
    pub to: Layout,
    /// Reader's layouts of an element, or of a key and its value.
    pub parts: Vec<Layout>,
}

impl Operations {
    /// Returns whether the reader's field has operations of the same kind.
    pub(super) fn is_same_kind(&self) -> bool {
        matches!(&self.to, Layout::Collection(to) if to.kind == self.kind)
    }

    /// Reads the operations of the writer, and appends the delta of the reader. `former` returns the bytes of the
    /// reader's present value, for a field of another kind.
    ///
    /// # Errors
    ///
    /// When the bytes are not operations.
    pub fn convert(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
        former: &mut dyn FnMut() -> Option<Vec<u8>>,
    ) -> ReadResult<()> {
        let count = reader.read_operations()?;
        if count == 0 {
            if matches!(self.to, Layout::Collection(_)) {
                writer.write_operations(0);
            }
            return fit.in_collection(|fit| self.whole.convert(reader, writer, fit));
        }
        if !self.is_same_kind() {
            return self.apply(count, reader, writer, fit, former);
        }
        let (start, mut written) = (writer.len(), 0);
        for _ in 0..count {
            let before = writer.len();
            let is_kept = fit.in_collection(|fit| self.convert_one(reader, writer, fit))?;
            if is_kept {
                written += 1;
                reader.take_work(writer.len() - before)?;
            } else {
                writer.truncate(before);
            }
        }
        // No operations would announce a whole collection.
        fit.unfit |= written == 0;
        writer.insert(start, |writer| writer.write_operations(written));
        Ok(())
    }

    /// Converts an operation. Returns false for a key that does not fit: the reader has no such entry.
    fn convert_one(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
    ) -> ReadResult<bool> {
        let start = reader.mark();
        let (operation, index) = reader.read_operation()?;
        writer.write_operation(operation, index);
        match (self.kind, operation) {
            (CollectionKind::List, list::CLEAR | list::REMOVE_AT)
            | (CollectionKind::Dictionary | CollectionKind::Set, keyed::CLEAR) => Ok(true),
            (CollectionKind::List, list::ADD | list::INSERT | list::SET) => {
                self.element.convert(reader, writer, fit)?;
                Ok(true)
            }
            (CollectionKind::List, list::SPLICE) => {
                writer.write_number(reader.read_number("number of removed elements")?);
                self.whole.convert(reader, writer, fit)?;
                Ok(true)
            }
            (CollectionKind::List, list::REMOVE) => {
                // The position is the number of runs.
                for _ in 0..index {
                    writer.write_number(reader.read_number("number of kept elements")?);
                    writer.write_number(reader.read_number("number of removed elements")?);
                }
                Ok(true)
            }
            (CollectionKind::Dictionary | CollectionKind::Set, keyed::PUT) => {
                let fits = self.convert_key(reader, writer, fit)?;
                if let Some(value) = &self.value {
                    value.convert(reader, writer, fit)?;
                }
                Ok(fits)
            }
            (CollectionKind::Dictionary | CollectionKind::Set, keyed::REMOVE) => {
                self.convert_key(reader, writer, fit)
            }
            _ => {
                let (what, value) = ("operation of a collection", operation.into());
                Err(reader.error_since(start, ReadErrorKind::InvalidValue { what, value }))
            }
        }
    }

    fn convert_key(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
    ) -> ReadResult<bool> {
        let (result, fits) = fit.of_key(|fit| self.element.convert(reader, writer, fit));
        result.map(|()| fits)
    }
}
