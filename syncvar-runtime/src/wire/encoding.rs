//! `Encoding`: the choice of the bytes of every value.

use super::MAX_STRING_BYTES;

/// Encoding of values. Both ends of a connection must use the same one.
///
/// Every value with a form in `Unet` has one in `Compact`, which also carries sequences and
/// collections of more than 65 535 elements. `Mirror` lacks a form for characters beyond U+FFFF.
///
/// ```
/// use syncvar::wire::{Encoding, NetworkWriter};
///
/// let mut unet = NetworkWriter::with_encoding(Encoding::Unet);
/// let mut compact = NetworkWriter::with_encoding(Encoding::Compact);
/// unet.write(&-1_i32);
/// compact.write(&-1_i32);
/// assert_eq!(unet.as_bytes(), [0xfb, 0xff, 0xff, 0xff, 0xff]);
/// assert_eq!(compact.as_bytes(), [1]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// The layout of Unity's UNet HLAPI 1.1.1, as WIRE.md describes it.
    #[default]
    Unet,
    /// Variable-length integers throughout: fewer bytes and less time, where both ends are
    /// `syncvar`.
    Compact,
    /// The layout of Mirror, described in the WIRE.md of `syncvar-mirror`. That crate uses it with Mirror's own
    /// clients and servers.
    Mirror,
}

impl Encoding {
    /// Returns the encoding of a framing of the protocol `net`.
    #[inline]
    pub(crate) const fn of_framing(is_compact: bool) -> Self {
        if is_compact {
            Self::Compact
        } else {
            Self::Unet
        }
    }

    /// Returns the limit of a string, in bytes of UTF-8.
    #[inline]
    pub(super) const fn max_string_bytes(self) -> usize {
        match self {
            Self::Unet | Self::Compact => MAX_STRING_BYTES,
            Self::Mirror => 65_534,
        }
    }

    /// Returns the limit of a sequence or collection, in elements.
    #[inline]
    pub(super) const fn max_count(self) -> usize {
        match self {
            Self::Unet => 65_535,
            Self::Compact => usize::MAX,
            Self::Mirror => 16_777_216,
        }
    }
}

/// Limit of sequence elements without bytes in one message: an element takes memory even if none of its
/// members travels.
pub(super) const MAX_EMPTY_ELEMENTS: usize = 1024;
