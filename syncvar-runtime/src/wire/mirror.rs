//! Variable-length integers of the `Mirror` encoding: one byte for small numbers; for larger numbers the first byte
//! states the number of the following bytes.
//!
//! | value | bytes |
//! |---|---|
//! | 0 to 240 | the value |
//! | to 2287 | x = value - 240: `241 + x / 256`, `x % 256` |
//! | to 67 823 | x = value - 2288: 249, `x / 256`, `x % 256` |
//! | to 2^24 - 1, 2^32 - 1, ... 2^64 - 1 | 250, 251, ... 255, then the value in 3, 4, ... 8 bytes, least significant first |
//!
//! The writer takes the shortest form; the reader takes any form.

use super::{NetworkReader, NetworkWriter, ReadError};

/// The largest value in a single byte.
const ONE_BYTE: u64 = 240;
/// The first value of three bytes.
const THREE_BYTES: u64 = 2288;
/// The first value with plain bytes behind a byte of their count.
const PLAIN: u64 = 67_824;

impl NetworkWriter {
    /// Writes 1 to 9 bytes, fewer for smaller numbers: Mirror's `WriteVarULong`.
    #[inline]
    pub fn write_var_u64(&mut self, value: u64) {
        if value <= ONE_BYTE {
            let [low, ..] = value.to_le_bytes();
            self.write_array([low]);
        } else {
            self.write_longer_var_u64(value);
        }
    }

    /// Dispatches by encoding. A separate call, so that `Unet` and `Compact` stay short where they are
    /// inlined.
    #[cold]
    #[inline(never)]
    pub(super) fn write_mirror_number(&mut self, value: u64) {
        self.write_var_u64(value);
    }

    #[inline(never)]
    fn write_longer_var_u64(&mut self, value: u64) {
        if value < THREE_BYTES {
            let [low, high, ..] = value.wrapping_sub(ONE_BYTE).to_le_bytes();
            self.write_array([high.wrapping_add(241), low]);
        } else if value < PLAIN {
            let [low, high, ..] = value.wrapping_sub(THREE_BYTES).to_le_bytes();
            self.write_array([249, high, low]);
        } else {
            let [zeros, ..] = value.leading_zeros().to_le_bytes();
            let count = 8_u8.saturating_sub(zeros / 8).max(3);
            let first = u128::from(count.wrapping_add(247));
            // All bytes at once, and the surplus removed: shorter than a branch for each count.
            let end = self.len().saturating_add(count.into()).saturating_add(1);
            self.write_array((u128::from(value) << 8 | first).to_le_bytes());
            self.truncate(end);
        }
    }
}

impl NetworkReader<'_> {
    /// Counterpart of [`NetworkWriter::write_var_u64`].
    ///
    /// # Errors
    ///
    /// When the message ends too early.
    #[inline]
    pub fn read_var_u64(&mut self) -> Result<u64, ReadError> {
        let first = self.read_u8()?;
        if u64::from(first) <= ONE_BYTE {
            return Ok(first.into());
        }
        self.read_longer_var_u64(first)
    }

    /// Counterpart of [`NetworkWriter::write_mirror_number`].
    #[cold]
    #[inline(never)]
    pub(super) fn read_mirror_number(&mut self) -> Result<u64, ReadError> {
        self.read_var_u64()
    }

    #[inline(never)]
    fn read_longer_var_u64(&mut self, first: u8) -> Result<u64, ReadError> {
        let mut bytes = [0; 8];
        let length = match first {
            ..=248 => {
                let [low] = self.read_array()?;
                let high = first.wrapping_sub(241);
                return Ok(u64::from(u16::from_le_bytes([low, high])).wrapping_add(ONE_BYTE));
            }
            249 => {
                let number = u16::from_be_bytes(self.read_array()?);
                return Ok(u64::from(number).wrapping_add(THREE_BYTES));
            }
            _ => usize::from(first.wrapping_sub(247)),
        };
        let read = self.read_bytes(length)?;
        for (byte, read) in bytes.iter_mut().zip(read) {
            *byte = *read;
        }
        Ok(u64::from_le_bytes(bytes))
    }
}
