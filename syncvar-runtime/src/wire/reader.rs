//! `NetworkReader`: takes; cannot panic.

use super::dialect::MAX_EMPTY_ELEMENTS;
use super::{Decimal, Dialect, MAX_STRING_BYTES, ReadError, ReadErrorKind, SyncValue};

/// Takes values from the payload of one message, in the bytes of a [`Dialect`].
///
/// Every read checks what is left first. A failed read says what was wrong and at which byte; the
/// reader may then stand anywhere inside the failed value, and is not read on.
///
/// ```
/// use syncvar_runtime::NetworkReader;
///
/// let mut reader = NetworkReader::new(b"\xf1\x01\x02\0hi");
/// assert_eq!(reader.read::<u32>()?, 241);
/// assert_eq!(reader.read::<String>()?, "hi");
/// assert_eq!(reader.remaining(), 0);
/// # Ok::<(), syncvar_runtime::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkReader<'a> {
    bytes: &'a [u8],
    position: usize,
    dialect: Dialect,
    /// Dirty bits that belong to classes derived from the one that is being read.
    pub(super) derived_bits: u64,
    /// Every dirty bit read so far, for the `Changed` event.
    pub(super) seen_bits: u64,
    /// Elements of sequences that took no byte.
    empty_elements: usize,
}

impl<'a> NetworkReader<'a> {
    /// A reader over a whole payload, in the `Unet` dialect.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::with_dialect(bytes, Dialect::default())
    }

    /// A reader over a whole payload, in the given dialect.
    pub fn with_dialect(bytes: &'a [u8], dialect: Dialect) -> Self {
        Self {
            bytes,
            position: 0,
            dialect,
            derived_bits: 0,
            seen_bits: 0,
            empty_elements: 0,
        }
    }

    /// An element of a sequence has taken no byte: the length of the message does not limit how many
    /// of them there are, so this does.
    pub(super) fn count_empty_element(&mut self) -> Result<(), ReadError> {
        self.empty_elements = self.empty_elements.saturating_add(1);
        let (count, limit) = (self.empty_elements, MAX_EMPTY_ELEMENTS);
        if count > limit {
            return Err(self.error(ReadErrorKind::TooManyElements { count, limit }));
        }
        Ok(())
    }

    /// The dialect that explains the bytes.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// How many bytes have been read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }

    pub(super) fn byte_at(&self, position: usize) -> Option<u8> {
        self.bytes.get(position).copied()
    }

    /// An error of this kind at the current byte, for code that reads by hand.
    pub fn error(&self, kind: ReadErrorKind) -> ReadError {
        ReadError::new(kind, self.position)
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
        let left = self.bytes.get(self.position..).unwrap_or_default();
        match left.get(..length) {
            Some(bytes) => {
                self.position = self.position.saturating_add(length);
                Ok(bytes)
            }
            None => Err(self.error(ReadErrorKind::UnexpectedEnd {
                needed: length,
                left: left.len(),
            })),
        }
    }

    #[inline]
    pub(super) fn read_array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let left = self.bytes.get(self.position..).unwrap_or_default();
        match left.first_chunk::<N>() {
            Some(bytes) => {
                self.position = self.position.saturating_add(N);
                Ok(*bytes)
            }
            None => Err(self.error(ReadErrorKind::UnexpectedEnd {
                needed: N,
                left: left.len(),
            })),
        }
    }

    /// One byte, 0 or 1.
    ///
    /// # Errors
    ///
    /// When no byte is left, and for any other byte (which UNet takes for `false`).
    #[inline]
    pub fn read_bool(&mut self) -> Result<bool, ReadError> {
        let start = self.position;
        match self.read_u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(ReadError::new(ReadErrorKind::InvalidBool(other), start)),
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

    /// A decimal of 16 bytes.
    ///
    /// # Errors
    ///
    /// When fewer are left, and when the scale is beyond 28 or reserved bits are used.
    pub fn read_decimal(&mut self) -> Result<Decimal, ReadError> {
        let start = self.position;
        let bits = [
            self.read_u32()?,
            self.read_u32()?,
            self.read_u32()?,
            self.read_u32()?,
        ];
        let [.., flags] = bits;
        Decimal::from_bits(bits).ok_or(ReadError::new(ReadErrorKind::InvalidDecimal(flags), start))
    }

    /// A string, borrowed from the message.
    ///
    /// # Errors
    ///
    /// When the message ends too early, when the length is beyond [`MAX_STRING_BYTES`], and when
    /// the bytes are not UTF-8 (UNet puts U+FFFD there instead).
    pub fn read_string(&mut self) -> Result<&'a str, ReadError> {
        let start = self.position;
        let length = usize::from(self.read_u16()?);
        if length > MAX_STRING_BYTES {
            let limit = MAX_STRING_BYTES;
            return Err(ReadError::new(
                ReadErrorKind::StringTooLong { length, limit },
                start,
            ));
        }
        let bytes = self.read_bytes(length)?;
        str::from_utf8(bytes).map_err(|_| ReadError::new(ReadErrorKind::InvalidUtf8, start))
    }

    /// A byte array, borrowed from the message: its length as `u16`, then the bytes.
    ///
    /// # Errors
    ///
    /// When the message ends too early.
    pub fn read_bytes_and_size(&mut self) -> Result<&'a [u8], ReadError> {
        let length = usize::from(self.read_u16()?);
        self.read_bytes(length)
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
    read_f32, f32, "4 bytes, bit for bit";
    read_f64, f64, "8 bytes, bit for bit";
}
