//! Elements of sequences, arrays, sets and maps.

use super::super::layout::Layout;
use super::{Conversion, First, Fit, write_zero};
use crate::{NetworkReader, NetworkWriter, ReadResult};

/// Form of the elements of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceShape {
    /// A number, and the elements.
    Counted,
    /// So many elements.
    Fixed(usize),
    /// A number, and distinct elements or keys in ascending order.
    Ordered,
    /// A number, and distinct elements or keys in any order: a collection.
    Distinct,
}

impl SequenceShape {
    /// Reads the number of elements.
    pub(super) fn read_count(self, reader: &mut NetworkReader<'_>) -> ReadResult<usize> {
        match self {
            Self::Fixed(count) => Ok(count),
            Self::Counted | Self::Ordered | Self::Distinct => reader.read_count(),
        }
    }

    const fn has_keys(self) -> bool {
        matches!(self, Self::Ordered | Self::Distinct)
    }
}

/// Conversion of elements, or of keys with their values.
#[derive(Clone, Debug)]
pub struct Elements {
    /// Form of the writer.
    pub from: SequenceShape,
    /// Form of the reader.
    pub to: SequenceShape,
    /// Conversion of an element or key.
    pub element: Conversion,
    /// Conversion of the value of a key; `None` without keys.
    pub value: Option<Conversion>,
    /// Layout of the whole value of the reader.
    pub layout: Layout,
}

impl Elements {
    pub(super) fn convert(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
    ) -> ReadResult<()> {
        let count = self.from.read_count(reader)?;
        let start = writer.len();
        let mut written = 0;
        for _ in 0..count {
            let before = (reader.position(), writer.len());
            written += usize::from(self.convert_entry(reader, writer, fit)?);
            if reader.position() == before.0 {
                reader.count_empty_element()?;
            }
            // Inserted members are work beyond the bytes of the message.
            reader.take_work(writer.len() - before.1)?;
        }
        match self.to {
            SequenceShape::Fixed(expected) => {
                if expected != written {
                    fit.miss();
                    writer.truncate(start);
                    write_zero(&self.layout, writer);
                }
            }
            SequenceShape::Counted | SequenceShape::Distinct => writer.insert(start, |writer| {
                writer.write_count(written);
            }),
            SequenceShape::Ordered => {
                writer.insert(start, |writer| {
                    writer.write_count(written);
                });
                self.sort(start, reader, writer)?;
            }
        }
        Ok(())
    }

    /// Converts an element, or a key with its value. Returns whether it is written.
    fn convert_entry(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
    ) -> ReadResult<bool> {
        let start = writer.len();
        let mut is_kept = true;
        if self.to.has_keys() {
            let (result, fits) = fit.of_key(|fit| self.element.convert(reader, writer, fit));
            result?;
            if !fits && !fit.is_in_collection() {
                fit.unfit = true;
            }
            is_kept = fits;
        } else {
            self.element.convert(reader, writer, fit)?;
        }
        if let Some(value) = &self.value {
            value.convert(reader, writer, fit)?;
        }
        if !is_kept {
            writer.truncate(start);
        }
        Ok(is_kept)
    }

    /// Brings keys into the ascending order of the reader: a conversion can change the order of the writer.
    fn sort(
        &self,
        start: usize,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
    ) -> ReadResult<()> {
        if self.element.is_copy() && self.from == SequenceShape::Ordered {
            return Ok(());
        }
        let mut bytes = NetworkReader::with_encoding(
            writer.as_bytes().get(start..).unwrap_or_default(),
            writer.encoding(),
        )
        .with_budget(reader.budget());
        // A sequence may contain an element twice: the value has it once. The write puts the keys in order.
        let value = self.layout.read_value(&mut bytes)?;
        writer.truncate(start);
        if let Err(error) = self.layout.write_value(&value, writer) {
            tracing::error!(%error, "converted keys do not fit their type");
        }
        Ok(())
    }
}

impl First {
    pub(super) fn convert(
        &self,
        value: &Conversion,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
    ) -> ReadResult<()> {
        let count = self.shape.read_count(reader)?;
        if count == 0 {
            fit.miss();
            write_zero(&self.to, writer);
            return Ok(());
        }
        value.convert(reader, writer, fit)?;
        self.element.measure_many(count - 1, reader)
    }
}
