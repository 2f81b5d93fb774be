//! Packed unsigned integers, as UNet's `WritePackedUInt32` and `WritePackedUInt64`.
//!
//! | value | bytes |
//! |---|---|
//! | 0 to 240 | the value |
//! | 241 to 2287 | `241 + (v - 240) / 256`, `(v - 240) % 256` |
//! | 2288 to 67823 | 249, `(v - 2288) / 256`, `(v - 2288) % 256` |
//! | up to 2^24 - 1 | 250 and 3 bytes, least significant first |
//! | up to 2^32 - 1 | 251 and 4 bytes; then 252 and 5, 253 and 6, 254 and 7, 255 and 8 |
//!
//! The writer always takes the first row that fits. The reader takes any row.
#![expect(
    clippy::many_single_char_names,
    reason = "the bytes of a number, in order"
)]

use super::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

impl NetworkWriter {
    /// Writes 1 to 5 bytes, fewer for smaller numbers, equal to the bytes of
    /// [`write_packed_u64`](Self::write_packed_u64).
    ///
    /// ```
    /// # use syncvar::wire::NetworkWriter;
    /// let mut writer = NetworkWriter::new();
    /// writer.write_packed_u32(240);
    /// writer.write_packed_u32(241);
    /// assert_eq!(writer.as_bytes(), [240, 241, 1]);
    /// ```
    #[inline]
    pub fn write_packed_u32(&mut self, value: u32) {
        self.write_packed_u64(u64::from(value));
    }

    /// Writes 1 to 9 bytes, fewer for smaller numbers.
    #[inline]
    pub fn write_packed_u64(&mut self, value: u64) {
        match u8::try_from(value) {
            Ok(byte @ 0..=240) => self.write_array([byte]),
            _ => self.write_long_packed(value),
        }
    }

    /// Writes a number beyond 240. A separate function, so that callers inline the common case only.
    fn write_long_packed(&mut self, value: u64) {
        match value {
            ..=2287 => {
                let [low, high, ..] = value.wrapping_sub(240).to_le_bytes();
                self.write_array([high.wrapping_add(241), low]);
            }
            2288..=67_823 => {
                let [low, high, ..] = value.wrapping_sub(2288).to_le_bytes();
                self.write_array([249, high, low]);
            }
            _ => self.write_wide(value, value.to_le_bytes()),
        }
    }

    fn write_wide(&mut self, value: u64, [a, b, c, d, e, f, g, h]: [u8; 8]) {
        match 64_u32.wrapping_sub(value.leading_zeros()).div_ceil(8) {
            0..=3 => self.write_array([250, a, b, c]),
            4 => self.write_array([251, a, b, c, d]),
            5 => self.write_array([252, a, b, c, d, e]),
            6 => self.write_array([253, a, b, c, d, e, f]),
            7 => self.write_array([254, a, b, c, d, e, f, g]),
            _ => self.write_array([255, a, b, c, d, e, f, g, h]),
        }
    }
}

impl NetworkReader<'_> {
    /// Reads a packed number of at most 32 bits, canonical or not.
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when the prefix announces more than 32 bits (UNet
    /// reads four bytes and leaves the rest in the stream).
    #[inline]
    pub fn read_packed_u32(&mut self) -> Result<u32, ReadError> {
        match self.peek() {
            Some(prefix @ 252..) => Err(self.error(ReadErrorKind::TooWide(prefix))),
            _ => self.read_packed_u64().map(|value| {
                let [a, b, c, d, ..] = value.to_le_bytes();
                u32::from_le_bytes([a, b, c, d])
            }),
        }
    }

    /// Reads a packed number of at most 64 bits, canonical or not.
    ///
    /// # Errors
    ///
    /// When the message ends too early.
    #[inline]
    pub fn read_packed_u64(&mut self) -> Result<u64, ReadError> {
        let prefix = self.read_u8()?;
        match prefix {
            0..=240 => Ok(u64::from(prefix)),
            241..=248 => {
                let low = self.read_u8()?;
                let high = u64::from(prefix.wrapping_sub(241));
                Ok((high << 8 | u64::from(low)).wrapping_add(240))
            }
            249 => {
                let [high, low] = self.read_array()?;
                Ok(u64::from(u16::from_be_bytes([high, low])).wrapping_add(2288))
            }
            250 => {
                let [a, b, c] = self.read_array()?;
                Ok(u64::from(u32::from_le_bytes([a, b, c, 0])))
            }
            251 => Ok(u64::from(u32::from_le_bytes(self.read_array()?))),
            252 => {
                let [a, b, c, d, e] = self.read_array()?;
                Ok(u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]))
            }
            253 => {
                let [a, b, c, d, e, f] = self.read_array()?;
                Ok(u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
            }
            254 => {
                let [a, b, c, d, e, f, g] = self.read_array()?;
                Ok(u64::from_le_bytes([a, b, c, d, e, f, g, 0]))
            }
            255 => Ok(u64::from_le_bytes(self.read_array()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{NetworkReader, NetworkWriter};

    /// The first and last value of every row of the table above.
    const EDGES: [u64; 18] = [
        0,
        240,
        241,
        2287,
        2288,
        67_823,
        67_824,
        (1 << 24) - 1,
        1 << 24,
        (1 << 32) - 1,
        1 << 32,
        (1 << 40) - 1,
        1 << 40,
        (1 << 48) - 1,
        1 << 48,
        (1 << 56) - 1,
        1 << 56,
        u64::MAX,
    ];

    #[test]
    fn both_ends_of_every_row_have_its_length_and_come_back() {
        let lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9]
            .into_iter()
            .flat_map(|length| [length; 2]);
        for (value, length) in EDGES.into_iter().zip(lengths) {
            let mut writer = NetworkWriter::new();
            writer.write_packed_u64(value);
            assert_eq!(writer.len(), length, "length of {value}");
            let mut reader = NetworkReader::new(writer.as_bytes());
            assert_eq!(reader.read_packed_u64(), Ok(value));
            assert_eq!(reader.remaining(), 0, "all of {value} is read");
        }
    }

    #[test]
    fn a_wide_prefix_is_an_error_where_32_bits_are_expected() {
        for bytes in [&[252, 1, 2, 3, 4, 5][..], &[255, 1, 2, 3, 4, 5, 6, 7, 8]] {
            let error = NetworkReader::new(bytes).read_packed_u32().unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "prefix {} announces a number of more than 32 bits, at byte 0",
                    bytes[0]
                )
            );
        }
    }
}
