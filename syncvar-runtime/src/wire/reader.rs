//! `NetworkReader`: reads without panics.

use super::context::{DeserializeContext, DeserializeReport};
use super::encoding::MAX_EMPTY_ELEMENTS;
use super::{Encoding, ReadError, ReadErrorKind};
use crate::NetId;
use crate::limits::{Limits, ReadBudget};

/// Reads values from the payload of a message, in the bytes of an [`Encoding`].
///
/// Every read checks the remaining bytes first. A failed read returns its reason and byte; the
/// reader may then be at any byte of the failed value and must not be read further.
///
/// ```
/// use syncvar::wire::NetworkReader;
///
/// let mut reader = NetworkReader::new(b"\xf1\x01\x02\0hi");
/// assert_eq!(reader.read::<u32>()?, 241);
/// assert_eq!(reader.read::<String>()?, "hi");
/// assert_eq!(reader.remaining(), 0);
/// # Ok::<(), syncvar::wire::ReadError>(())
/// ```
#[derive(Debug)]
pub struct NetworkReader<'a> {
    /// Unread bytes.
    pub(super) left: &'a [u8],
    /// The length of the whole payload.
    length: usize,
    encoding: Encoding,
    pub(super) context: DeserializeContext,
    pub(super) report: DeserializeReport,
    /// Number of sequence elements without bytes so far.
    empty_elements: u16,
    pub(super) budget: ReadBudget,
    /// Use of the references in the payload.
    pub(super) references: Option<ReferenceUse<'a>>,
}

/// Use of the ids of referenced objects.
#[derive(Debug)]
pub(super) enum ReferenceUse<'a> {
    /// They are appended to a list.
    Collect(&'a mut Vec<NetId>),
    /// They are replaced by those of a list, beginning with its end.
    Replace(&'a mut Vec<NetId>),
}

impl ReferenceUse<'_> {
    fn reborrow(&mut self) -> ReferenceUse<'_> {
        match self {
            Self::Collect(list) => ReferenceUse::Collect(list),
            Self::Replace(list) => ReferenceUse::Replace(list),
        }
    }
}

/// Limit of the memory, in bytes, reserved for an announced count before its elements are read.
const AT_ONCE: usize = 1 << 16;

/// Position in the payload: the number of remaining bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

/// A clone is for lookahead and collects no references.
impl Clone for NetworkReader<'_> {
    fn clone(&self) -> Self {
        Self {
            references: None,
            ..*self
        }
    }
}

impl<'a> NetworkReader<'a> {
    /// Creates a reader over a whole payload, in the `Unet` encoding.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::with_encoding(bytes, Encoding::default())
    }

    /// Creates a reader over a whole payload, in the given encoding.
    #[inline]
    pub fn with_encoding(bytes: &'a [u8], encoding: Encoding) -> Self {
        Self {
            left: bytes,
            length: bytes.len(),
            encoding,
            context: DeserializeContext::default(),
            report: DeserializeReport::default(),
            empty_elements: 0,
            budget: Limits::DEFAULT.budget(bytes.len(), Limits::DEFAULT.max_work),
            references: None,
        }
    }

    /// Begins a further payload in the same context, with the rest of the budget and the same list of
    /// references; the report has been taken. A message contains many short payloads: a new reader for each of
    /// them costs more than its reads.
    #[inline]
    pub(crate) fn restart(&mut self, bytes: &'a [u8]) {
        self.left = bytes;
        self.length = bytes.len();
        self.empty_elements = 0;
    }

    /// Returns the recorded references.
    #[inline]
    pub(crate) fn references(&mut self) -> Option<&mut Vec<NetId>> {
        match &mut self.references {
            Some(ReferenceUse::Collect(list)) => Some(list),
            _ => None,
        }
    }

    /// Makes the reader append the ids of referenced objects to a list. The list is borrowed,
    /// because references are rare and every object has a reader.
    #[inline]
    #[must_use]
    pub fn with_references(mut self, list: &'a mut Vec<NetId>) -> Self {
        self.references = Some(ReferenceUse::Collect(list));
        self
    }

    /// Makes the reader replace the ids of referenced objects by those of a list, beginning with its end.
    #[must_use]
    pub(crate) fn replacing_references(mut self, list: &'a mut Vec<NetId>) -> Self {
        self.references = Some(ReferenceUse::Replace(list));
        // Keys with new references are in any order.
        self.context.plain = true;
        self
    }

    /// Records a reference to an object, or replaces it.
    #[inline]
    pub(crate) fn note_reference(&mut self, object: NetId) -> NetId {
        match &mut self.references {
            Some(ReferenceUse::Collect(list)) if object != NetId::NONE => list.push(object),
            Some(ReferenceUse::Replace(list)) if object != NetId::NONE => {
                return list.pop().unwrap_or(object);
            }
            _ => {}
        }
        object
    }

    /// Sets that deltas are relayed: a list, or an observed collection with a
    /// [full log](crate::OperationLog::Full), records the operations that it reads. Servers read an
    /// owner's writes in this mode.
    #[must_use]
    #[inline]
    pub fn relaying(mut self) -> Self {
        self.context.relayed = true;
        self
    }

    /// Returns whether deltas are relayed. A field may then record them: see
    /// [`SyncField::relay`](crate::SyncField::relay).
    #[inline]
    pub fn is_relaying(&self) -> bool {
        self.context.relayed
    }

    /// Reads a part of this one's payload with the same limits and the same list of references, and
    /// takes the rest of its budget back.
    pub(crate) fn in_part<R>(
        &mut self,
        bytes: &[u8],
        read: impl FnOnce(&mut NetworkReader<'_>) -> R,
    ) -> R {
        let mut part = NetworkReader::with_encoding(bytes, self.encoding).with_budget(self.budget);
        part.context.relayed = self.context.relayed;
        part.references = self.references.as_mut().map(ReferenceUse::reborrow);
        let result = read(&mut part);
        self.budget = part.budget;
        result
    }

    /// Reads bytes that were converted from those of a different build, with the same limits and the same list of references.
    pub fn read_translated<R>(
        &mut self,
        bytes: &[u8],
        read: impl FnOnce(&mut NetworkReader<'_>) -> R,
    ) -> R {
        self.in_part(bytes, |part| {
            part.context.plain = true;
            read(part)
        })
    }

    /// Returns the number of elements to reserve memory for: at most the announced count, the remaining
    /// bytes, and [`AT_ONCE`] bytes of memory.
    pub(crate) fn room<T>(&self, announced: usize) -> usize {
        let little = AT_ONCE.checked_div(size_of::<T>()).unwrap_or(AT_ONCE);
        announced.min(self.remaining()).min(little.max(1))
    }

    /// Counts a sequence element without bytes and checks the limit, which the length of the message does
    /// not set.
    pub(crate) fn count_empty_element(&mut self) -> Result<(), ReadError> {
        self.empty_elements = self.empty_elements.saturating_add(1);
        let (count, limit) = (usize::from(self.empty_elements), MAX_EMPTY_ELEMENTS);
        if count > limit {
            return Err(self.error(ReadErrorKind::TooManyElements { count, limit }));
        }
        Ok(())
    }

    /// Returns the encoding of the bytes.
    #[inline]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the unread bytes.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.left
    }

    /// Returns the number of bytes read so far.
    #[inline]
    pub fn position(&self) -> usize {
        self.length.saturating_sub(self.left.len())
    }

    /// Returns the number of remaining bytes.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.left.len()
    }

    /// Returns the next byte without reading it.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.left.first().copied()
    }

    /// Returns an error of this kind at the current byte, for hand-written reads.
    #[cold]
    #[inline(never)]
    pub fn error(&self, kind: ReadErrorKind) -> ReadError {
        ReadError::new(kind, self.position())
    }

    /// Returns the current position, for a later error.
    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.left.len())
    }

    /// Returns an error of this kind at an earlier byte.
    #[cold]
    #[inline(never)]
    pub(crate) fn error_since(&self, mark: Mark, kind: ReadErrorKind) -> ReadError {
        ReadError::new(kind, self.length.saturating_sub(mark.0))
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn out_of_range(&self, mark: Mark, value: u64, target: &'static str) -> ReadError {
        self.error_since(mark, ReadErrorKind::OutOfRange { value, target })
    }

    #[cold]
    #[inline(never)]
    pub(super) fn unexpected_end(&self, needed: usize) -> ReadError {
        let left = self.left.len();
        self.error(ReadErrorKind::UnexpectedEnd { needed, left })
    }

    /// Returns an error for a number without a variant; the derive uses it.
    #[inline]
    pub fn unknown_variant(&self, name: &'static str, value: impl Into<i64>) -> ReadError {
        let value = value.into();
        self.error(ReadErrorKind::UnknownVariant { name, value })
    }

    /// Checks that all bytes have been read.
    ///
    /// # Errors
    ///
    /// When bytes are left.
    #[inline]
    pub fn finish(&self) -> Result<(), ReadError> {
        match self.remaining() {
            0 => Ok(()),
            left => Err(self.error(ReadErrorKind::TrailingBytes { left })),
        }
    }

    /// Reads raw bytes.
    ///
    /// # Errors
    ///
    /// When fewer are left.
    #[inline]
    pub fn read_bytes(&mut self, length: usize) -> Result<&'a [u8], ReadError> {
        match self.left.split_at_checked(length) {
            Some((bytes, left)) => {
                self.left = left;
                Ok(bytes)
            }
            None => Err(self.unexpected_end(length)),
        }
    }

    #[inline]
    pub(super) fn read_array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        match self.left.split_first_chunk() {
            Some((bytes, left)) => {
                self.left = left;
                Ok(*bytes)
            }
            None => Err(self.unexpected_end(N)),
        }
    }

    /// Reads one byte, 0 or 1; in `Mirror` a larger byte is `true`, as in Mirror itself.
    ///
    /// # Errors
    ///
    /// When no byte is left, and for a larger byte (UNet reads it as `false`).
    #[inline]
    pub fn read_bool(&mut self) -> Result<bool, ReadError> {
        let start = self.mark();
        match self.read_u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ if self.encoding == Encoding::Mirror => Ok(true),
            other => Err(self.error_since(start, ReadErrorKind::InvalidBool(other))),
        }
    }

    /// Reads the byte of UNet's `ReadChar`: a code unit below 256.
    ///
    /// # Errors
    ///
    /// When no byte is left.
    #[inline]
    pub fn read_char_low_byte(&mut self) -> Result<u16, ReadError> {
        self.read_u8().map(u16::from)
    }
}

macro_rules! fixed {
    ($($name:ident, $type:ty, $bytes:literal;)*) => {
        impl NetworkReader<'_> {
            $(
                #[doc = concat!("`", stringify!($type), "` in ", $bytes, ", least significant byte first.")]
                ///
                /// # Errors
                ///
                /// When fewer bytes are left.
                #[inline]
                pub fn $name(&mut self) -> Result<$type, ReadError> {
                    self.read_array().map(<$type>::from_le_bytes)
                }
            )*
        }
    };
}

fixed! {
    read_u8, u8, "1 byte";
    read_i8, i8, "1 byte";
    read_u16, u16, "2 bytes";
    read_i16, i16, "2 bytes";
    read_u32, u32, "4 bytes";
    read_i32, i32, "4 bytes";
    read_u64, u64, "8 bytes";
    read_i64, i64, "8 bytes";
    read_u128, u128, "16 bytes";
    read_i128, i128, "16 bytes";
    read_f32, f32, "4 bytes, bit for bit";
    read_f64, f64, "8 bytes, bit for bit";
}
