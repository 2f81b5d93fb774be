//! Values with a fixed width in `Mirror` and a variable width in `Unet` and `Compact`.

use crate::wire::encoding::Encoding;
use crate::{NetworkReader, NetworkWriter, ReadError, WriteErrorKind};

impl NetworkWriter {
    /// Writes the bytes in `Mirror`, and calls a function in `Unet` and `Compact`.
    #[inline]
    pub(crate) fn write_fixed_or<const N: usize>(
        &mut self,
        bytes: [u8; N],
        write: impl FnOnce(&mut Self),
    ) {
        match self.encoding() {
            Encoding::Mirror => self.write_array(bytes),
            Encoding::Unet | Encoding::Compact => write(self),
        }
    }

    /// Writes a character, as a field: its scalar value; in `Mirror` its UTF-16 code unit, with an
    /// [`error`](Self::error) if it takes two.
    #[inline]
    pub(crate) fn write_character(&mut self, character: char) {
        let number = u32::from(character);
        match (self.encoding(), u16::try_from(number)) {
            (Encoding::Unet | Encoding::Compact, _) => self.write_unsigned(number),
            (Encoding::Mirror, Ok(code_unit)) => self.write_u16(code_unit),
            (Encoding::Mirror, Err(_)) => self.fail(WriteErrorKind::TwoCodeUnits(character)),
        }
    }
}

impl NetworkReader<'_> {
    /// Counterpart of [`NetworkWriter::write_fixed_or`].
    #[inline]
    pub(crate) fn read_fixed_or<T, const N: usize>(
        &mut self,
        from: impl FnOnce([u8; N]) -> T,
        read: impl FnOnce(&mut Self) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        match self.encoding() {
            Encoding::Mirror => self.read_array().map(from),
            Encoding::Unet | Encoding::Compact => read(self),
        }
    }
}
