//! Variable-length integers of the `Compact` encoding: LEB128, and zigzag for signed integers.
//!
//! | value | bytes |
//! |---|---|
//! | 0 to 127 | the value |
//! | up to 2^14 - 1 | the low 7 bits + 128, then the next 7 bits |
//! | up to 2^21 - 1, 2^28 - 1, ... 2^63 - 1 | one more byte for every 7 bits, 9 in all |
//! | up to 2^64 - 1 | 10 bytes, the last of which is 1 |
//!
//! The writer takes the fewest bytes. The reader also takes zeros on top, up to
//! 10 bytes in all. Integers of 128 bits continue in the same way, to 19 bytes; the last
//! byte is at most 3.
#![expect(
    clippy::inline_always,
    reason = "left to itself the compiler makes calls of these, which costs a third of the time"
)]

use super::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

/// Set in every byte but the last.
const MORE: u8 = 0x80;

/// Bits of the number in each byte.
const BITS: u32 = 7;

/// Capacity of five bytes, enough for every number of 32 bits.
const SHORT: u32 = 5 * BITS;

/// Maps numbers of either sign close to 0 to small numbers.
#[inline]
pub(crate) const fn zigzag(value: i64) -> u64 {
    (value.wrapping_shl(1) ^ value.wrapping_shr(63)).cast_unsigned()
}

/// Reverses [`zigzag`].
#[inline]
pub(crate) const fn unzigzag(value: u64) -> i64 {
    let sign = value & 1;
    value.wrapping_shr(1).cast_signed() ^ sign.cast_signed().wrapping_neg()
}

/// Like [`zigzag`], for 128 bits.
#[inline]
pub(crate) const fn zigzag_128(value: i128) -> u128 {
    (value.wrapping_shl(1) ^ value.wrapping_shr(127)).cast_unsigned()
}

/// Reverses [`zigzag_128`].
#[inline]
pub(crate) const fn unzigzag_128(value: u128) -> i128 {
    let sign = value & 1;
    value.wrapping_shr(1).cast_signed() ^ sign.cast_signed().wrapping_neg()
}

impl NetworkWriter {
    /// Writes 1 to 10 bytes, fewer for smaller numbers.
    #[inline(always)]
    pub fn write_varint(&mut self, value: u64) {
        let bits = |index: u32| {
            let [low, ..] = value.wrapping_shr(BITS.wrapping_mul(index)).to_le_bytes();
            low
        };
        let more = |index| bits(index) | MORE;
        match value {
            0..0x80 => self.write_array([bits(0)]),
            0x80..0x4000 => self.write_array([more(0), bits(1)]),
            0x4000..0x20_0000 => self.write_array([more(0), more(1), bits(2)]),
            0x20_0000..0x1000_0000 => self.write_array([more(0), more(1), more(2), bits(3)]),
            0x1000_0000..0x8_0000_0000 => {
                self.write_array([more(0), more(1), more(2), more(3), bits(4)]);
            }
            _ => self.write_long_varint(value),
        }
    }

    /// Writes a number of any length. A separate function: few numbers have more than 32 bits.
    #[inline(never)]
    fn write_long_varint(&mut self, mut value: u64) {
        while value >= u64::from(MORE) {
            let [low, ..] = value.to_le_bytes();
            self.write_array([low | MORE]);
            value = value.wrapping_shr(BITS);
        }
        let [low, ..] = value.to_le_bytes();
        self.write_array([low]);
    }

    /// Writes 1 to 19 bytes, fewer for smaller numbers.
    pub(crate) fn write_varint_128(&mut self, mut value: u128) {
        while value >= u128::from(MORE) {
            let [low, ..] = value.to_le_bytes();
            self.write_array([low | MORE]);
            value = value.wrapping_shr(BITS);
        }
        let [low, ..] = value.to_le_bytes();
        self.write_array([low]);
    }
}

impl NetworkReader<'_> {
    /// Reads a number of at most 10 bytes, canonical or not.
    ///
    /// # Errors
    ///
    /// When bytes are missing, or the number is longer than 64 bits.
    #[inline(always)]
    pub fn read_varint(&mut self) -> Result<u64, ReadError> {
        let (mut value, mut shift, mut left) = (0, 0, self.left);
        while shift < SHORT
            && let [byte, ref rest @ ..] = *left
        {
            left = rest;
            value |= u64::from(byte & !MORE).wrapping_shl(shift);
            if byte < MORE {
                self.left = left;
                return Ok(value);
            }
            shift = shift.wrapping_add(BITS);
        }
        self.read_long_varint()
    }

    /// Reads a number of any length.
    #[inline(never)]
    fn read_long_varint(&mut self) -> Result<u64, ReadError> {
        let start = self.mark();
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.read_u8()?;
            value |= u64::from(byte & !MORE).wrapping_shl(shift);
            if byte < MORE {
                // The tenth byte has room for one bit.
                if shift == 63 && byte > 1 {
                    break;
                }
                return Ok(value);
            }
        }
        Err(self.error_since(start, ReadErrorKind::VarintTooLong))
    }

    /// Reads a number of at most 19 bytes, canonical or not.
    pub(crate) fn read_varint_128(&mut self) -> Result<u128, ReadError> {
        let start = self.mark();
        let mut value = 0;
        for shift in (0..u128::BITS).step_by(7) {
            let byte = self.read_u8()?;
            value |= u128::from(byte & !MORE).wrapping_shl(shift);
            if byte < MORE {
                // The nineteenth byte has room for two bits.
                if shift == 126 && byte > 3 {
                    break;
                }
                return Ok(value);
            }
        }
        Err(self.error_since(start, ReadErrorKind::WideVarintTooLong))
    }
}

#[cfg(test)]
mod tests {
    use super::{unzigzag, zigzag};
    use crate::{NetworkReader, NetworkWriter, ReadErrorKind};

    fn read(bytes: &[u8]) -> Result<u64, ReadErrorKind> {
        let mut reader = NetworkReader::new(bytes);
        let value = reader.read_varint().map_err(|error| {
            assert!(error.offset() <= bytes.len());
            error.kind()
        })?;
        assert_eq!(reader.remaining(), 0, "all of {bytes:x?} is read");
        Ok(value)
    }

    #[test]
    fn both_ends_of_every_length_have_it_and_come_back() {
        for length in 1..=10_u32 {
            let first = 1_u64.checked_shl(7 * (length - 1)).unwrap_or(0);
            let last = 1_u64
                .checked_shl(7 * length)
                .map_or(u64::MAX, |end| end - 1);
            for value in [if length == 1 { 0 } else { first }, last] {
                let mut writer = NetworkWriter::new();
                writer.write_varint(value);
                assert_eq!(u32::try_from(writer.len()), Ok(length), "{value}");
                assert_eq!(read(writer.as_bytes()), Ok(value));
                for cut in 0..writer.len() {
                    let end = ReadErrorKind::UnexpectedEnd { needed: 1, left: 0 };
                    assert_eq!(read(&writer.as_bytes()[..cut]), Err(end));
                }
            }
        }
    }

    #[test]
    fn leading_zeros_are_read_but_no_eleventh_byte_or_65th_bit() {
        assert_eq!(read(&[0x85, 0x80, 0]), Ok(5));
        assert_eq!(
            read(&[0x85, 128, 128, 128, 128, 128, 128, 128, 128, 0]),
            Ok(5)
        );
        assert_eq!(
            read(&[128, 128, 128, 128, 128, 128, 128, 128, 128, 1]),
            Ok(1 << 63)
        );
        for bytes in [
            &[128, 128, 128, 128, 128, 128, 128, 128, 128, 2][..],
            &[255, 255, 255, 255, 255, 255, 255, 255, 255, 127],
            &[128, 128, 128, 128, 128, 128, 128, 128, 128, 128],
            &[128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0],
        ] {
            assert_eq!(read(bytes), Err(ReadErrorKind::VarintTooLong), "{bytes:x?}");
        }
        let error = NetworkReader::new(&[255; 12]).read_varint().unwrap_err();
        assert_eq!(
            error.to_string(),
            "a number of more than 64 bits, at byte 0"
        );
    }

    #[test]
    fn zigzag_keeps_small_numbers_of_either_sign_small() {
        let pairs = [
            (0, 0),
            (-1, 1),
            (1, 2),
            (-2, 3),
            (i64::MAX, u64::MAX - 1),
            (i64::MIN, u64::MAX),
        ];
        for (signed, unsigned) in pairs {
            assert_eq!(zigzag(signed), unsigned);
            assert_eq!(unzigzag(unsigned), signed);
        }
    }
}
