//! Skipping of operations.

use crate::field::numbers::{keyed, list};
use crate::translate::layout::{CollectionKind, CollectionLayout, Layout};
use crate::{NetworkReader, ReadErrorKind, ReadResult};

impl Layout {
    /// Skips the delta of a collection.
    ///
    /// # Errors
    ///
    /// When the bytes are not operations of such a collection.
    pub fn measure_operations(&self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        let Self::Collection(collection) = self else {
            return self.measure(reader);
        };
        let count = reader.read_operations()?;
        if count == 0 {
            return self.measure(reader);
        }
        (0..count).try_for_each(|_| self.skip_operation(collection, reader))
    }

    fn skip_operation(
        &self,
        collection: &CollectionLayout,
        reader: &mut NetworkReader<'_>,
    ) -> ReadResult<()> {
        let start = reader.mark();
        let (operation, index) = reader.read_operation()?;
        let part = |at: usize, reader: &mut NetworkReader<'_>| {
            let part = collection.parts.get(at);
            part.map_or(Ok(()), |part| part.measure(reader))
        };
        match (collection.kind, operation) {
            (CollectionKind::List, list::CLEAR | list::REMOVE_AT)
            | (CollectionKind::Dictionary | CollectionKind::Set, keyed::CLEAR) => Ok(()),
            (CollectionKind::List, list::ADD | list::INSERT | list::SET)
            | (CollectionKind::Set, keyed::PUT)
            | (CollectionKind::Dictionary | CollectionKind::Set, keyed::REMOVE) => part(0, reader),
            (CollectionKind::Dictionary, keyed::PUT) => {
                part(0, reader)?;
                part(1, reader)
            }
            (CollectionKind::List, list::SPLICE) => {
                reader.read_number("number of removed elements")?;
                self.measure(reader)
            }
            (CollectionKind::List, list::REMOVE) => (0..index).try_for_each(|_| {
                reader.read_number("number of kept elements")?;
                reader.read_number("number of removed elements").map(drop)
            }),
            _ => {
                let (what, value) = ("operation of a collection", operation.into());
                Err(reader.error_since(start, ReadErrorKind::InvalidValue { what, value }))
            }
        }
    }
}
