//! Temporary: taken from branch `wire` at the merge.
use super::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};
impl NetworkWriter {
    #[inline]
    pub(crate) fn write_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            let [low, ..] = value.to_le_bytes();
            self.write_array([low | 0x80]);
            value = value.wrapping_shr(7);
        }
        let [low, ..] = value.to_le_bytes();
        self.write_array([low]);
    }
}
impl NetworkReader<'_> {
    #[inline]
    pub(crate) fn read_varint(&mut self) -> Result<u64, ReadError> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.read_u8()?;
            value |= u64::from(byte & 0x7f).wrapping_shl(shift);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.error(ReadErrorKind::TooWide(255)))
    }
}
