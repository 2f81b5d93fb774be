//! Counts and lengths: texts, sequences, operations on a collection.
#![expect(
    clippy::inline_always,
    reason = "left to itself the compiler makes calls of these, which costs a third of the time"
)]

use crate::wire::MAX_BYTES;
use crate::wire::encoding::Encoding;
use crate::wire::reader::Mark;
use crate::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind};

impl NetworkWriter {
    /// Writes the number of elements of a sequence.
    ///
    /// Returns `false`, with the [`error`](Self::error) set, if it exceeds the limit.
    #[inline]
    pub fn write_count(&mut self, count: usize) -> bool {
        match (self.encoding(), u16::try_from(count)) {
            (Encoding::Compact, _) => self.write_number(count),
            (Encoding::Unet, Ok(count)) => self.write_u16(count),
            (Encoding::Unet, Err(_)) => {
                let limit = self.encoding().max_count();
                self.fail(WriteErrorKind::TooManyElements { count, limit });
                return false;
            }
            (Encoding::Mirror, _) if self.check_count(count) => self.write_number_after_null(count),
            (Encoding::Mirror, _) => return false,
        }
        true
    }

    /// Checks the length of a sequence or collection; sets the [`error`](Self::error) if it is too long.
    #[inline]
    pub(crate) fn check_count(&mut self, count: usize) -> bool {
        let limit = self.encoding().max_count();
        let possible = count <= limit;
        if !possible {
            self.fail(WriteErrorKind::TooManyElements { count, limit });
        }
        possible
    }

    /// Writes a number of elements, or of operations on a collection, without a limit.
    #[inline]
    pub(crate) fn write_number(&mut self, number: usize) {
        self.write_unsigned_wide(u64::try_from(number).unwrap_or(u64::MAX));
    }

    /// Writes a number of elements or bytes in `Mirror`: plus one, since 0 is null.
    #[inline(never)]
    fn write_number_after_null(&mut self, number: usize) {
        self.write_number(number.saturating_add(1));
    }

    /// Writes the number of operations on a collection that follow; 0 announces its snapshot.
    #[inline]
    pub(crate) fn write_operations(&mut self, count: usize) {
        self.write_number(count);
    }

    /// Writes the number of an operation on a collection, 0 to 7, and its position, or 0.
    #[inline]
    pub(crate) fn write_operation(&mut self, operation: u8, index: usize) {
        let index = u64::try_from(index).unwrap_or(u64::MAX);
        match self.encoding() {
            Encoding::Unet => {
                self.write_u8(operation);
                self.write_packed_u64(index);
            }
            Encoding::Compact | Encoding::Mirror => {
                self.write_varint(index.wrapping_shl(3) | u64::from(operation));
            }
        }
    }

    /// Writes a text, as a field: its length in bytes, then UTF-8.
    #[inline(always)]
    pub(crate) fn write_text(&mut self, text: &str) {
        if let Some(length) = self.length_of_string(text) {
            match self.encoding() {
                Encoding::Unet => self.write_u16(length),
                Encoding::Compact => self.write_varint(u64::from(length)),
                Encoding::Mirror => self.write_u16(length.saturating_add(1)),
            }
            self.write_bytes(text.as_bytes());
        }
    }

    /// Writes a string: its length in bytes as `u16`, in `Mirror` plus one; then UTF-8 without a terminator.
    ///
    /// A string of more than [`MAX_STRING_BYTES`](crate::MAX_STRING_BYTES), in `Mirror` of more than
    /// 65 534 bytes, is an [`error`](Self::error).
    pub fn write_string(&mut self, value: &str) {
        if self.encoding() == Encoding::Mirror {
            return self.write_text(value);
        }
        if let Some(length) = self.length_of_string(value) {
            self.write_u16(length);
            self.write_bytes(value.as_bytes());
        }
    }

    /// Returns the length of a string; `None`, with the [`error`](Self::error) set, if it is too long.
    #[inline]
    fn length_of_string(&mut self, value: &str) -> Option<u16> {
        let (length, limit) = (value.len(), self.encoding().max_string_bytes());
        if length > limit {
            self.fail(WriteErrorKind::StringTooLong { length, limit });
            return None;
        }
        u16::try_from(length).ok()
    }

    /// Writes a sequence of bytes, as a field: their number, then the raw bytes.
    #[inline]
    pub(crate) fn write_byte_sequence(&mut self, bytes: &[u8]) {
        match self.encoding() {
            Encoding::Unet | Encoding::Mirror => self.write_bytes_and_size(bytes),
            Encoding::Compact => {
                self.write_number(bytes.len());
                self.write_bytes(bytes);
            }
        }
    }

    /// Writes a byte array: its length as `u16`, in `Mirror` plus one as an integer of variable length; then the
    /// bytes. UNet's `WriteBytesFull` and `WriteBytesAndSize`, and Mirror's `WriteBytesAndSize`.
    ///
    /// An array of more than [`MAX_BYTES`], in `Mirror` of more than 16 777 216 bytes, is an
    /// [`error`](Self::error).
    pub fn write_bytes_and_size(&mut self, bytes: &[u8]) {
        if self.write_size(bytes.len()) {
            self.write_bytes(bytes);
        }
    }

    /// Writes the length of a byte array; returns `false`, with the [`error`](Self::error) set, if it exceeds
    /// the limit.
    fn write_size(&mut self, length: usize) -> bool {
        let limit = match self.encoding() {
            Encoding::Unet | Encoding::Compact => MAX_BYTES,
            Encoding::Mirror => self.encoding().max_count(),
        };
        match (self.encoding(), u16::try_from(length)) {
            (Encoding::Mirror, _) if length <= limit => self.write_number_after_null(length),
            (Encoding::Unet | Encoding::Compact, Ok(length)) => self.write_u16(length),
            _ => {
                self.fail(WriteErrorKind::BytesTooLong { length, limit });
                return false;
            }
        }
        true
    }

    /// Writes a sequence of bytes by a function. If it fails or exceeds the limit of a sequence, its bytes are
    /// removed and the [`error`](Self::error) is set.
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
        let length = self.len().saturating_sub(start);
        let mut fits = true;
        self.insert(start, |writer| match writer.encoding() {
            Encoding::Compact => writer.write_number(length),
            Encoding::Unet | Encoding::Mirror => fits = writer.write_size(length),
        });
        if !fits {
            self.truncate(start);
        }
    }
}

impl<'a> NetworkReader<'a> {
    /// Counterpart of [`NetworkWriter::write_count`].
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when the count exceeds the limit of a sequence.
    #[inline]
    pub fn read_count(&mut self) -> Result<usize, ReadError> {
        let start = self.mark();
        let count = self.read_length()?;
        let limit = self.budget.elements.min(self.encoding().max_count());
        if count > limit {
            let kind = ReadErrorKind::TooManyElements { count, limit };
            return Err(self.error_since(start, kind));
        }
        Ok(count)
    }

    /// Counterpart of [`NetworkWriter::write_number`]; `what` names it in an error.
    pub(crate) fn read_number(&mut self, what: &'static str) -> Result<usize, ReadError> {
        let start = self.mark();
        let value = self.read_unsigned_wide()?;
        match usize::try_from(value) {
            Ok(number) => Ok(number),
            Err(_) => Err(self.error_since(start, ReadErrorKind::InvalidValue { what, value })),
        }
    }

    /// Counterpart of [`NetworkWriter::write_operations`]. Refuses more operations than bytes.
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
        let (operation, value) = match self.encoding() {
            Encoding::Unet => (self.read_u8()?, self.read_packed_u64()?),
            Encoding::Compact | Encoding::Mirror => {
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
        let length = match self.encoding() {
            Encoding::Unet => usize::from(self.read_u16()?),
            Encoding::Compact => usize::try_from(self.read_varint()?).unwrap_or(usize::MAX),
            Encoding::Mirror => usize::from(self.read_u16()?).saturating_sub(1),
        };
        self.read_utf8(length, start)
    }

    /// Reads the header of a text in `Mirror`: 0 for null, otherwise its length plus one.
    pub(crate) fn read_text_header(&mut self) -> Result<u64, ReadError> {
        self.read_u16().map(u64::from)
    }

    /// Reads a string, borrowed from the message. In `Mirror` null is read as an empty one.
    ///
    /// # Errors
    ///
    /// When the message ends too early, when the length is beyond
    /// [`MAX_STRING_BYTES`](crate::MAX_STRING_BYTES), and when the bytes are not UTF-8 (UNet inserts
    /// U+FFFD instead).
    pub fn read_string(&mut self) -> Result<&'a str, ReadError> {
        if self.encoding() == Encoding::Mirror {
            return self.read_text();
        }
        let start = self.mark();
        let length = usize::from(self.read_u16()?);
        self.read_utf8(length, start)
    }

    /// Reads the bytes of a string whose length began at `start`.
    #[inline]
    fn read_utf8(&mut self, length: usize, start: Mark) -> Result<&'a str, ReadError> {
        let limit = self.encoding().max_string_bytes();
        if length > limit {
            let kind = ReadErrorKind::StringTooLong { length, limit };
            return Err(self.error_since(start, kind));
        }
        let bytes = self.read_bytes(length)?;
        match str::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => Err(self.error_since(start, ReadErrorKind::InvalidUtf8)),
        }
    }

    /// Reads a byte array, borrowed from the message: its length as `u16`, in `Mirror` plus one as an integer of
    /// variable length; then the bytes. In `Mirror` null is read as an empty one.
    ///
    /// # Errors
    ///
    /// When the message ends too early.
    pub fn read_bytes_and_size(&mut self) -> Result<&'a [u8], ReadError> {
        if self.encoding() == Encoding::Mirror {
            return self.read_byte_sequence();
        }
        let length = usize::from(self.read_u16()?);
        self.read_bytes(length)
    }

    /// Counterpart of [`NetworkWriter::write_byte_sequence`].
    #[inline]
    pub(crate) fn read_byte_sequence(&mut self) -> Result<&'a [u8], ReadError> {
        let length = self.read_length()?;
        self.read_bytes(length)
    }

    /// Reads a length without a limit.
    #[inline]
    fn read_length(&mut self) -> Result<usize, ReadError> {
        let length = match self.encoding() {
            Encoding::Unet => return self.read_u16().map(usize::from),
            Encoding::Compact => self.read_varint()?,
            Encoding::Mirror => self.read_var_u64()?.saturating_sub(1),
        };
        Ok(usize::try_from(length).unwrap_or(usize::MAX))
    }
}
