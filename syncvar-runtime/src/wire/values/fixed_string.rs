//! `FixedString`: a short text stored inline.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

use arrayvec::ArrayString;

use crate::schema::TypeSchema;
use crate::wire::{Absence, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue};

/// A text of at most `N` bytes of UTF-8, stored inline: a copy, or a read from a packet, allocates no
/// memory.
///
/// It travels like a `String` of the same text: only the used bytes are sent. A text that is too long
/// is an error where it is stored, so a field never holds a text that the peer cannot read; a longer
/// one in a packet is a [`ReadErrorKind::StringTooLong`] with both lengths. Both
/// ends must have the same `N`: it is part of the schema. An `N` beyond
/// [`MAX_STRING_BYTES`](crate::MAX_STRING_BYTES) (32 767; 65 534 bytes in the encoding `Mirror`) holds texts
/// that cannot be sent: such a text stops its field, as a [`SyncVar`](crate::SyncVar#limits) describes.
///
/// Five aliases cover the sizes of Unity's Netcode for GameObjects, [`FixedString32`] to
/// [`FixedString4096`]. Here `N` counts the bytes of the text; Netcode counts the bytes in memory, 3 of
/// them for length and terminator. A `FixedString32Bytes` of Netcode holds 29 bytes of text,
/// a `FixedString32` 32.
///
/// ```
/// use std::fmt::Write;
/// use syncvar::{SyncVar, values::FixedString32};
///
/// let mut name: SyncVar<FixedString32> = SyncVar::default();
/// name.set("Ann".try_into()?);
/// name.try_push_str(" of Green Gables")?;
/// assert!(name == "Ann of Green Gables" && name.len() == 19);
///
/// let error = name.try_push_str(", Avonlea, Prince Edward Island").unwrap_err();
/// assert_eq!(error.to_string(), "a text of 50 bytes does not fit the 32 of its fixed string");
/// assert_eq!(name, "Ann of Green Gables");
///
/// let mut score = FixedString32::new();
/// write!(score, "{} points", 12).unwrap();
/// assert_eq!(score, "12 points");
/// # Ok::<(), syncvar::values::FixedStringTooLong>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct FixedString<const N: usize>(ArrayString<N>);

/// A text of at most 32 bytes, see [`FixedString`].
pub type FixedString32 = FixedString<32>;
/// A text of at most 64 bytes, see [`FixedString`].
pub type FixedString64 = FixedString<64>;
/// A text of at most 128 bytes, see [`FixedString`].
pub type FixedString128 = FixedString<128>;
/// A text of at most 512 bytes, see [`FixedString`].
pub type FixedString512 = FixedString<512>;
/// A text of at most 4096 bytes, see [`FixedString`].
pub type FixedString4096 = FixedString<4096>;

/// A text too long for a [`FixedString`], which keeps its previous text.
///
/// ```
/// use syncvar::prelude::*;
///
/// assert!(FixedString32::try_from("short").is_ok());
/// assert!(FixedString32::try_from("a text of more than the 29 bytes of this size").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedStringTooLong {
    /// Length of the text in bytes, including the failed append.
    pub length: usize,
    /// Capacity in bytes.
    pub capacity: usize,
}

impl fmt::Display for FixedStringTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { length, capacity } = self;
        write!(
            f,
            "a text of {length} bytes does not fit the {capacity} of its fixed string"
        )
    }
}

impl Error for FixedStringTooLong {}

impl<const N: usize> FixedString<N> {
    /// Capacity of the text in bytes.
    pub const CAPACITY: usize = N;

    /// Creates an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the longest fitting prefix of a text, cut at the end of a character.
    ///
    /// ```
    /// # use syncvar::values::FixedString;
    /// assert_eq!(FixedString::<4>::truncated("日本"), "日");
    /// ```
    pub fn truncated(text: &str) -> Self {
        let (head, _) = text
            .split_at_checked(text.floor_char_boundary(N))
            .unwrap_or_default();
        Self(ArrayString::from(head).unwrap_or_default())
    }

    /// Returns the capacity in bytes: `N`.
    pub const fn capacity(&self) -> usize {
        N
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends a character.
    ///
    /// # Errors
    ///
    /// When it does not fit; the text stays unchanged.
    pub fn try_push(&mut self, character: char) -> Result<(), FixedStringTooLong> {
        let length = self.0.len().saturating_add(character.len_utf8());
        self.0
            .try_push(character)
            .map_err(|_| Self::too_long(length))
    }

    /// Appends a text.
    ///
    /// # Errors
    ///
    /// When it does not fit completely; the text stays unchanged.
    pub fn try_push_str(&mut self, text: &str) -> Result<(), FixedStringTooLong> {
        let length = self.0.len().saturating_add(text.len());
        self.0
            .try_push_str(text)
            .map_err(|_| Self::too_long(length))
    }

    /// Removes the last character and returns it.
    pub fn pop(&mut self) -> Option<char> {
        self.0.pop()
    }

    /// Keeps at most `length` bytes, cut at the end of a character.
    ///
    /// ```
    /// # use syncvar::values::FixedString32;
    /// let mut text = FixedString32::try_from("aé")?;
    /// text.truncate(2); // in the middle of the second character, which goes
    /// assert_eq!(text, "a");
    /// # Ok::<(), syncvar::values::FixedStringTooLong>(())
    /// ```
    pub fn truncate(&mut self, length: usize) {
        let end = self.0.floor_char_boundary(length);
        self.0.truncate(end);
    }

    /// Removes the text.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn too_long(length: usize) -> FixedStringTooLong {
        FixedStringTooLong {
            length,
            capacity: N,
        }
    }
}

/// Form of a `String`: the length in bytes, then UTF-8.
#[diagnostic::do_not_recommend]
impl<const N: usize> SyncValue for FixedString<N> {
    const SCHEMA: TypeSchema = TypeSchema::Array(&TypeSchema::Named("FixedString"), N);
    const ABSENCE: Absence = Absence::Length;

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_text(&self.0);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.charge_large::<Self>()?;
        let start = reader.mark();
        let text = reader.read_text()?;
        Self::try_from(text).map_err(|FixedStringTooLong { length, capacity }| {
            let limit = capacity;
            reader.error_since(start, ReadErrorKind::StringTooLong { length, limit })
        })
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl<const N: usize> TryFrom<&str> for FixedString<N> {
    type Error = FixedStringTooLong;

    fn try_from(text: &str) -> Result<Self, FixedStringTooLong> {
        match ArrayString::from(text) {
            Ok(text) => Ok(Self(text)),
            Err(_) => Err(Self::too_long(text.len())),
        }
    }
}

impl<const N: usize> TryFrom<String> for FixedString<N> {
    type Error = FixedStringTooLong;

    fn try_from(text: String) -> Result<Self, FixedStringTooLong> {
        Self::try_from(text.as_str())
    }
}

impl<const N: usize> FromStr for FixedString<N> {
    type Err = FixedStringTooLong;

    fn from_str(text: &str) -> Result<Self, FixedStringTooLong> {
        Self::try_from(text)
    }
}

impl<const N: usize> From<FixedString<N>> for String {
    fn from(text: FixedString<N>) -> Self {
        text.as_str().into()
    }
}

impl<const N: usize> Deref for FixedString<N> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const N: usize> DerefMut for FixedString<N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut str {
        &mut self.0
    }
}

impl<const N: usize> AsRef<str> for FixedString<N> {
    fn as_ref(&self) -> &str {
        self
    }
}

/// Allows lookups in a map by `&str`.
impl<const N: usize> Borrow<str> for FixedString<N> {
    fn borrow(&self) -> &str {
        self
    }
}

/// Equals the hash of the `str`.
impl<const N: usize> Hash for FixedString<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl<const N: usize> PartialEq<str> for FixedString<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl<const N: usize> PartialEq<&str> for FixedString<N> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl<const N: usize> PartialEq<String> for FixedString<N> {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl<const N: usize> PartialEq<FixedString<N>> for str {
    fn eq(&self, other: &FixedString<N>) -> bool {
        self == other.as_str()
    }
}

impl<const N: usize> PartialEq<FixedString<N>> for &str {
    fn eq(&self, other: &FixedString<N>) -> bool {
        *self == other.as_str()
    }
}

impl<const N: usize> PartialEq<FixedString<N>> for String {
    fn eq(&self, other: &FixedString<N>) -> bool {
        self == other.as_str()
    }
}

impl<const N: usize> PartialOrd<str> for FixedString<N> {
    fn partial_cmp(&self, other: &str) -> Option<Ordering> {
        self.as_str().partial_cmp(other)
    }
}

/// Each write fits completely or is an error; earlier writes stay after an error.
impl<const N: usize> fmt::Write for FixedString<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.try_push_str(text).map_err(|_| fmt::Error)
    }
}

impl<const N: usize> fmt::Display for FixedString<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl<const N: usize> fmt::Debug for FixedString<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
