//! Counts and lengths, and what has one: texts, sequences, the operations on a collection.
#![expect(
    clippy::inline_always,
    reason = "left to itself the compiler makes calls of these, which costs a third of the time"
)]

use super::Dialect;
use crate::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind};

/// The most elements that a sequence or collection can have in `Unet`.
const MAX_COUNT: usize = 65_535;

impl NetworkWriter {
    /// The number of elements of a sequence.
    ///
    /// Returns whether a sequence can be that long; if not, the [`error`](Self::error) is set.
    #[inline]
    pub fn write_count(&mut self, count: usize) -> bool {
        match (self.dialect(), u16::try_from(count)) {
            (Dialect::Compact | Dialect::Mirror, _) => self.write_number(count),
            (Dialect::Unet, Ok(count)) => self.write_u16(count),
            (Dialect::Unet, Err(_)) => return self.check_count(count),
        }
        true
    }

    /// Whether a sequence or collection can be that long; if not, the [`error`](Self::error) is set.
    #[inline]
    pub(crate) fn check_count(&mut self, count: usize) -> bool {
        let limit = MAX_COUNT;
        let possible = count <= limit || self.dialect() != Dialect::Unet;
        if !possible {
            self.fail(WriteErrorKind::TooManyElements { count, limit });
        }
        possible
    }

    /// A number of elements, or of operations on a collection, that has no limit of its own.
    #[inline]
    pub(crate) fn write_number(&mut self, number: usize) {
        self.write_unsigned_wide(u64::try_from(number).unwrap_or(u64::MAX));
    }

    /// How many operations on a collection follow; 0 if it follows whole.
    #[inline]
    pub(crate) fn write_operations(&mut self, count: usize) {
        self.write_number(count);
    }

    /// The number of an operation on a collection, 0 to 7, and the position that it concerns, or 0.
    #[inline]
    pub(crate) fn write_operation(&mut self, operation: u8, index: usize) {
        let index = u64::try_from(index).unwrap_or(u64::MAX);
        match self.dialect() {
            Dialect::Unet => {
                self.write_u8(operation);
                self.write_packed_u64(index);
            }
            Dialect::Compact | Dialect::Mirror => {
                self.write_varint(index.wrapping_shl(3) | u64::from(operation))
            }
        }
    }

    /// A text, as a field: its length in bytes, then UTF-8.
    #[inline(always)]
    pub(crate) fn write_text(&mut self, text: &str) {
        if let Some(length) = self.length_of_string(text) {
            self.write_length(length);
            self.write_bytes(text.as_bytes());
        }
    }

    /// A sequence of bytes, as a field: their number, then the bytes as they are.
    #[inline]
    pub(crate) fn write_byte_sequence(&mut self, bytes: &[u8]) {
        match self.dialect() {
            Dialect::Unet => self.write_bytes_and_size(bytes),
            Dialect::Compact | Dialect::Mirror => {
                self.write_number(bytes.len());
                self.write_bytes(bytes);
            }
        }
    }

    /// A sequence of bytes that are written by a function; if it fails, or writes more than a
    /// sequence can have, nothing of it stays and the [`error`](Self::error) is set.
    #[cfg(feature = "serde")]
    pub(crate) fn write_byte_sequence_with(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), WriteErrorKind>,
    ) {
        let start = self.len();
        if let Err(kind) = write(self) {
            self.truncate(start);
            return self.fail(kind);
        }
        let (length, limit) = (self.len().saturating_sub(start), crate::wire::MAX_BYTES);
        match (self.dialect(), u16::try_from(length)) {
            (Dialect::Compact | Dialect::Mirror, _) => {
                self.insert(start, |writer| writer.write_number(length))
            }
            (Dialect::Unet, Ok(length)) => self.insert(start, |writer| writer.write_u16(length)),
            (Dialect::Unet, Err(_)) => {
                self.truncate(start);
                self.fail(WriteErrorKind::BytesTooLong { length, limit });
            }
        }
    }

    #[inline]
    fn write_length(&mut self, length: u16) {
        match self.dialect() {
            Dialect::Unet => self.write_u16(length),
            Dialect::Compact | Dialect::Mirror => self.write_varint(u64::from(length)),
        }
    }
}

impl<'a> NetworkReader<'a> {
    /// Counterpart of [`NetworkWriter::write_count`].
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when a sequence cannot be that long.
    #[inline]
    pub fn read_count(&mut self) -> Result<usize, ReadError> {
        let start = self.mark();
        let (count, limit) = (self.read_length()?, self.max_elements);
        if count > limit {
            let kind = ReadErrorKind::TooManyElements { count, limit };
            return Err(self.error_since(start, kind));
        }
        Ok(count)
    }

    /// Counterpart of [`NetworkWriter::write_number`]; `what` names it for an error.
    pub(crate) fn read_number(&mut self, what: &'static str) -> Result<usize, ReadError> {
        let start = self.mark();
        let value = self.read_unsigned_wide()?;
        match usize::try_from(value) {
            Ok(number) => Ok(number),
            Err(_) => Err(self.error_since(start, ReadErrorKind::InvalidValue { what, value })),
        }
    }

    /// Counterpart of [`NetworkWriter::write_operations`]. There are no more of them than bytes.
    pub(crate) fn read_operations(&mut self) -> Result<usize, ReadError> {
        let count = self.read_number("number of operations")?;
        if count > self.remaining() {
            return Err(self.unexpected_end(count));
        }
        Ok(count)
    }

    /// Counterpart of [`NetworkWriter::write_operation`].
    pub(crate) fn read_operation(&mut self) -> Result<(u8, usize), ReadError> {
        let start = self.mark();
        let (operation, value) = match self.dialect() {
            Dialect::Unet => (self.read_u8()?, self.read_packed_u64()?),
            Dialect::Compact | Dialect::Mirror => {
                let value = self.read_varint()?;
                let [low, ..] = value.to_le_bytes();
                (low & 7, value.wrapping_shr(3))
            }
        };
        match usize::try_from(value) {
            Ok(index) => Ok((operation, index)),
            Err(_) => Err(self.out_of_range(start, value, "a position")),
        }
    }

    /// Counterpart of [`NetworkWriter::write_text`].
    #[inline]
    pub(crate) fn read_text(&mut self) -> Result<&'a str, ReadError> {
        let start = self.mark();
        let length = self.read_length()?;
        self.read_utf8(length, start)
    }

    /// Counterpart of [`NetworkWriter::write_byte_sequence`].
    #[inline]
    pub(crate) fn read_byte_sequence(&mut self) -> Result<&'a [u8], ReadError> {
        let length = self.read_length()?;
        self.read_bytes(length)
    }

    /// A length, which may be anything.
    #[inline]
    fn read_length(&mut self) -> Result<usize, ReadError> {
        match self.dialect() {
            Dialect::Unet => self.read_u16().map(usize::from),
            Dialect::Compact | Dialect::Mirror => {
                let length = self.read_varint()?;
                Ok(usize::try_from(length).unwrap_or(usize::MAX))
            }
        }
    }
}
