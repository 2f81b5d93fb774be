//! `NetworkReader`: takes; cannot panic.

use super::context::{DeserializeContext, DeserializeReport};
use super::encoding::MAX_EMPTY_ELEMENTS;
use super::{Encoding, ReadError, ReadErrorKind, SyncValue};
use crate::NetId;

/// Takes values from the payload of one message, in the bytes of a [`Encoding`].
///
/// Every read checks what is left first. A failed read says what was wrong and at which byte; the
/// reader may then stand anywhere inside the failed value, and is not read on.
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
    /// What has not been read yet.
    pub(super) left: &'a [u8],
    /// The length of the whole payload.
    length: usize,
    encoding: Encoding,
    pub(super) context: DeserializeContext,
    pub(super) report: DeserializeReport,
    /// Elements of sequences that took no byte.
    empty_elements: usize,
    /// The most elements that a sequence or collection can have.
    pub(super) max_elements: usize,
    /// List of the objects that the references in the payload name.
    references: Option<&'a mut Vec<NetId>>,
}

/// So much memory, in bytes, is taken at once on the word of a peer.
const AT_ONCE: usize = 1 << 16;

/// The most elements of a sequence or collection, unless the reader is told otherwise.
pub const DEFAULT_MAX_ELEMENTS: usize = 1 << 20;

/// A place in the payload: how many bytes were left there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

/// A clone does not list references: it looks ahead.
impl Clone for NetworkReader<'_> {
    fn clone(&self) -> Self {
        Self {
            references: None,
            ..*self
        }
    }
}

impl<'a> NetworkReader<'a> {
    /// A reader over a whole payload, in the `Unet` encoding.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::with_encoding(bytes, Encoding::default())
    }

    /// A reader over a whole payload, in the given encoding.
    pub fn with_encoding(bytes: &'a [u8], encoding: Encoding) -> Self {
        Self {
            left: bytes,
            length: bytes.len(),
            encoding,
            context: DeserializeContext::default(),
            report: DeserializeReport::default(),
            empty_elements: 0,
            max_elements: DEFAULT_MAX_ELEMENTS,
            references: None,
        }
    }

    /// Makes the reader append the objects that references name to a list. The list is borrowed,
    /// because references are rare and every object has a reader.
    #[inline]
    #[must_use]
    pub fn with_references(mut self, list: &'a mut Vec<NetId>) -> Self {
        self.references = Some(list);
        self
    }

    /// A reference to an object has been read.
    #[inline]
    pub(crate) fn note_reference(&mut self, object: NetId) {
        if let Some(list) = &mut self.references
            && object != NetId::NONE
        {
            list.push(object);
        }
    }

    /// The same reader, which refuses sequences and collections of more elements than that; 1 048 576
    /// unless told.
    #[must_use]
    pub fn with_max_elements(self, max_elements: usize) -> Self {
        Self {
            max_elements,
            ..self
        }
    }

    /// Sets that deltas go on to other connections: an observed collection with a
    /// [full log](crate::OperationLog::Full) records the operations that it reads. A Mirror server reads
    /// the writes of an owner so.
    #[doc(hidden)]
    #[must_use]
    pub fn relaying(mut self) -> Self {
        self.context.relayed = true;
        self
    }

    /// Returns whether deltas go on to other connections.
    #[inline]
    pub(crate) fn is_relaying(&self) -> bool {
        self.context.relayed
    }

    /// Creates a reader over a part of this one's payload, with the same limits and the same list of
    /// references.
    pub(crate) fn part<'b>(&'b mut self, bytes: &'b [u8]) -> NetworkReader<'b> {
        let mut part = NetworkReader::with_encoding(bytes, self.encoding);
        part.max_elements = self.max_elements;
        part.context.relayed = self.context.relayed;
        part.references = self.references.as_deref_mut();
        part
    }

    /// Refuses a sequence or collection of more elements than this reader allows.
    pub(crate) fn check_elements(&self, count: usize) -> Result<(), ReadError> {
        let limit = self.max_elements;
        if count > limit {
            return Err(self.error(ReadErrorKind::TooManyElements { count, limit }));
        }
        Ok(())
    }

    /// For how many of the elements that are announced to take memory before they have been read: not
    /// for more than there can be, and not for much, however large each is.
    pub(crate) fn room<T>(&self, announced: usize) -> usize {
        let little = AT_ONCE.checked_div(size_of::<T>()).unwrap_or(AT_ONCE);
        announced.min(self.remaining()).min(little.max(1))
    }

    /// An element of a sequence has taken no byte: the length of the message does not limit how many
    /// of them there are, so this does.
    pub(crate) fn count_empty_element(&mut self) -> Result<(), ReadError> {
        self.empty_elements = self.empty_elements.saturating_add(1);
        let (count, limit) = (self.empty_elements, MAX_EMPTY_ELEMENTS);
        if count > limit {
            return Err(self.error(ReadErrorKind::TooManyElements { count, limit }));
        }
        Ok(())
    }

    /// The encoding that explains the bytes.
    #[inline]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// What has not been read yet.
    #[doc(hidden)]
    pub fn rest(&self) -> &'a [u8] {
        self.left
    }

    /// How many bytes have been read.
    #[inline]
    pub fn position(&self) -> usize {
        self.length.saturating_sub(self.left.len())
    }

    /// How many bytes are left.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.left.len()
    }

    /// The next byte, which stays where it is.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.left.first().copied()
    }

    /// An error of this kind at the current byte, for code that reads by hand.
    #[cold]
    #[inline(never)]
    pub fn error(&self, kind: ReadErrorKind) -> ReadError {
        ReadError::new(kind, self.position())
    }

    /// Where the reader stands, for an error that comes up later.
    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.left.len())
    }

    /// An error of this kind at a byte that has been passed.
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

    /// An error for a number that no variant of an enumeration has; the derive uses it.
    pub fn unknown_variant(&self, name: &'static str, value: impl Into<i64>) -> ReadError {
        let value = value.into();
        self.error(ReadErrorKind::UnknownVariant { name, value })
    }

    /// Refuses bytes that nobody has read.
    ///
    /// # Errors
    ///
    /// When anything is left.
    #[inline]
    pub fn finish(&self) -> Result<(), ReadError> {
        match self.remaining() {
            0 => Ok(()),
            left => Err(self.error(ReadErrorKind::TrailingBytes { left })),
        }
    }

    /// Reads any value as the field of a behaviour is read.
    ///
    /// # Errors
    ///
    /// Those of the value's own [`SyncValue::read`].
    #[inline]
    pub fn read<T: SyncValue>(&mut self) -> Result<T, ReadError> {
        T::read(self)
    }

    /// Reads into an existing value, which keeps its memory and its members that do not travel.
    ///
    /// # Errors
    ///
    /// Those of the value's own [`SyncValue::read_in_place`].
    #[inline]
    pub fn read_into<T: SyncValue>(&mut self, value: &mut T) -> Result<(), ReadError> {
        value.read_in_place(self)
    }

    /// Bytes as they are.
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

    /// One byte, 0 or 1; in `Mirror` any other byte is `true`, as there.
    ///
    /// # Errors
    ///
    /// When no byte is left, and for any other byte (which UNet takes for `false`).
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

    /// The one byte of UNet's `ReadChar`: a code unit below 256.
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
