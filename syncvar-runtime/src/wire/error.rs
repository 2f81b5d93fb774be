//! Errors of reads and writes, with their places.

mod text;

use std::error::Error;
use std::fmt;

/// A failed read: its reason, byte and field.
///
/// ```
/// use syncvar::wire::{NetworkReader, ReadErrorKind};
///
/// let mut reader = NetworkReader::new(&[5, 0, b'h', b'i']);
/// let error = reader.read_string().unwrap_err();
/// assert_eq!(error.kind(), ReadErrorKind::UnexpectedEnd { needed: 5, left: 2 });
/// assert_eq!(error.to_string(), "5 bytes needed, 2 left, at byte 2");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ReadError(Box<ErrorParts>);

/// Result of a read.
pub type ReadResult<T> = Result<T, ReadError>;

/// Behind a pointer, so that a `Result` with a small value goes through registers.
#[derive(Clone, PartialEq, Eq)]
struct ErrorParts {
    kind: ReadErrorKind,
    offset: usize,
    field: Option<&'static str>,
    member: Option<&'static str>,
}

/// Reason of a failed read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The value needs more bytes than the message has.
    UnexpectedEnd {
        /// Bytes needed from the current position.
        needed: usize,
        /// Remaining bytes.
        left: usize,
    },
    /// Bytes follow the last value of the message.
    TrailingBytes {
        /// Number of unread bytes.
        left: usize,
    },
    /// A string announces more bytes than the encoding or its type allows.
    StringTooLong {
        /// Announced length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A string is not UTF-8.
    InvalidUtf8,
    /// A boolean is neither 0 nor 1. `Mirror` accepts any byte.
    InvalidBool(u8),
    /// A number is not a character (a surrogate, or beyond U+10FFFF).
    InvalidChar(u32),
    /// A number exceeds the range of its type.
    OutOfRange {
        /// The received number.
        value: u64,
        /// Name of the type.
        target: &'static str,
    },
    /// A prefix announces a 64-bit number in place of a 32-bit one.
    TooWide(u8),
    /// A variable-length integer continues after 10 bytes, or has more than 64 bits.
    VarintTooLong,
    /// A variable-length integer of a 128-bit type continues after 19 bytes, or has more than 128 bits.
    WideVarintTooLong,
    /// A decimal has a scale beyond 28 or uses reserved bits.
    InvalidDecimal(u32),
    /// An enumeration lacks a variant of this number.
    UnknownVariant {
        /// The enumeration.
        name: &'static str,
        /// The received number.
        value: i64,
    },
    /// A dirty mask has bits that belong to no field: the two ends disagree about the behaviour.
    UnknownDirtyBits {
        /// The bits without a field.
        unknown: u64,
    },
    /// A dirty mask has bits of fields that the sender may not write.
    RefusedFields {
        /// Their bits.
        fields: u64,
    },
    /// The announced number of elements exceeds the limit, or the remaining bytes.
    TooManyElements {
        /// Announced number of elements.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// The values take more memory than [`Limits::max_memory`](crate::Limits::max_memory) allows.
    TooMuchMemory {
        /// Needed bytes of memory.
        needed: usize,
        /// Remaining bytes of the packet's budget.
        left: usize,
    },
    /// The changes take more work than [`Limits::max_work`](crate::Limits::max_work) allows.
    TooMuchWork {
        /// Needed work, in bytes moved, copied and compared.
        needed: usize,
        /// Remaining work of the connection.
        left: usize,
    },
    /// The fields of an owner would keep more memory than
    /// [`Limits::max_owner_memory`](crate::Limits::max_owner_memory) allows.
    TooMuchOwnerMemory {
        /// The limit in bytes.
        limit: usize,
    },
    /// Values are nested deeper than [`Limits::max_depth`](crate::Limits::max_depth) allows.
    TooDeep,
    /// A position is beyond the end of a list.
    IndexOutOfRange {
        /// The position.
        index: usize,
        /// Number of elements.
        length: usize,
    },
    /// The keys of a map, or the elements of a set, do not ascend: one occurs twice, or after a
    /// greater one.
    UnorderedKey,
    /// A message exceeds the limit of this side.
    MessageTooLong {
        /// The payload's length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The message type is unknown to this side.
    UnknownMessage(i16),
    /// A number is none of its valid values.
    InvalidValue {
        /// Meaning of the number.
        what: &'static str,
        /// The received number.
        value: u64,
    },
    /// Refusal by a user's `on_deserialize` or `SyncValue::read`.
    Custom(&'static str),
}

impl ReadError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: ReadErrorKind, offset: usize) -> Self {
        Self(Box::new(ErrorParts {
            kind,
            offset,
            field: None,
            member: None,
        }))
    }

    /// Returns the reason.
    pub fn kind(&self) -> ReadErrorKind {
        self.0.kind
    }

    /// Returns the byte of the error, counted from the start of the message's payload.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Returns the field as `Behaviour.field`, if it is known.
    pub fn field(&self) -> Option<&'static str> {
        self.0.field
    }

    /// Returns the member of a user's struct inside the field, as `Struct.member`.
    pub fn member(&self) -> Option<&'static str> {
        self.0.member
    }

    #[cold]
    #[inline(never)]
    fn at(mut self, field: &'static str) -> Self {
        self.0.field.get_or_insert(field);
        self
    }

    #[cold]
    #[inline(never)]
    fn in_member(mut self, member: &'static str) -> Self {
        self.0.member.get_or_insert(member);
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = self.field() {
            write!(f, "{field}: ")?;
        }
        if let Some(member) = self.member() {
            write!(f, "{member}: ")?;
        }
        write!(f, "{}, at byte {}", self.kind(), self.offset())
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadError")
            .field("kind", &self.kind())
            .field("offset", &self.offset())
            .field("field", &self.field())
            .field("member", &self.member())
            .finish()
    }
}

impl Error for ReadError {}

/// Adds the place to a failed read.
///
/// The derives call it on every read; hand-written code should do so as well.
///
/// ```
/// use syncvar::wire::{NetworkReader, ReadResultExt};
///
/// let error = NetworkReader::new(&[]).read::<i32>().at("Player.health").unwrap_err();
/// assert_eq!(error.to_string(), "Player.health: 1 bytes needed, 0 left, at byte 0");
/// ```
pub trait ReadResultExt {
    /// Names the field, as `Behaviour.field`, unless an inner read has already named one.
    #[must_use]
    fn at(self, field: &'static str) -> Self;

    /// Names the member of a user struct, as `Struct.member`, unless an inner read has done so.
    #[must_use]
    fn in_member(self, member: &'static str) -> Self;
}

impl<T> ReadResultExt for Result<T, ReadError> {
    #[inline]
    fn at(self, field: &'static str) -> Self {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(error.at(field)),
        }
    }

    #[inline]
    fn in_member(self, member: &'static str) -> Self {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(error.in_member(member)),
        }
    }
}

/// A value without a form on the wire. No byte was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteError {
    kind: WriteErrorKind,
    offset: usize,
    behaviour: Option<&'static str>,
    field: Option<&'static str>,
}

/// Reason for which a value lacks a form on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteErrorKind {
    /// A string is longer than the encoding allows.
    StringTooLong {
        /// The string's length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A byte array is longer than the encoding allows.
    BytesTooLong {
        /// The array's length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// A sequence has more elements than the encoding allows.
    TooManyElements {
        /// The number of elements.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// The payload of a message exceeds the range of its size field, in the bytes of UNet, or
    /// the server's `max_message_size`.
    MessageTooLarge {
        /// The payload's length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A message exceeds the packet size, on a channel without fragmentation.
    TooLargeForUnreliable {
        /// The message's length in bytes.
        length: usize,
        /// The packet size in bytes.
        limit: usize,
    },
    /// A character takes two UTF-16 code units; `Mirror` has a form for one only.
    TwoCodeUnits(char),
    /// A number needs more bits than its field has on the wire: see [`Bits`](crate::Bits).
    TooFewBits {
        /// Number of bits of the field.
        bits: u32,
    },
    /// NaN lacks an encoding in [`Quantized`](crate::Quantized), and no rotation with NaN or infinite
    /// components has one in [`SmallestThree`](crate::SmallestThree).
    NotANumber,
    /// Refusal by a user's `on_serialize` or `SyncValue::write`.
    Custom(&'static str),
}

impl WriteError {
    /// Creates an error at a byte, with the behaviour if it is known.
    pub fn new(
        kind: WriteErrorKind,
        offset: usize,
        behaviour: Option<&'static str>,
        field: Option<&'static str>,
    ) -> Self {
        Self {
            kind,
            offset,
            behaviour,
            field,
        }
    }

    /// Counts the offset from a byte instead of the beginning of the buffer.
    pub(crate) fn since(mut self, start: usize) -> Self {
        self.offset = self.offset.saturating_sub(start);
        self
    }

    /// Returns the reason.
    pub fn kind(&self) -> WriteErrorKind {
        self.kind
    }

    /// Returns the position of the value, counted from the first byte of the write, or
    /// from the first byte of the object's changes for a server's failed send.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the behaviour of the failed value.
    pub fn behaviour(&self) -> Option<&'static str> {
        self.behaviour
    }

    /// Returns the field, as `Behaviour.field`, with its declaring class.
    pub fn field(&self) -> Option<&'static str> {
        self.field
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.field.or(self.behaviour) {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}, at byte {}", self.kind, self.offset)
    }
}

impl Error for WriteError {}

#[cfg(test)]
mod tests;
