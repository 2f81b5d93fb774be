//! Which fields of a behaviour are written: for whom, and which of those that are dirty.

use super::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

impl NetworkWriter {
    /// The fields that may be written as changes this time, as dirty bits; all of them, unless the
    /// behaviour has fields with [rules](crate::FieldRules), or its base may have some, or the encoding is
    /// `Mirror`, where collections and other fields are written one after the other. What is dirty and not
    /// among them is left out, and stays dirty.
    #[inline]
    pub fn fields(&self) -> u64 {
        !self.left_out
    }

    /// Only these fields may be written as changes from now on.
    #[inline]
    pub fn set_fields(&mut self, fields: u64) {
        self.left_out = !fields;
    }

    /// Writes whether the full state is for the owner of the object, in one byte, and returns it. A
    /// behaviour with fields that not everyone reads begins its full state with it.
    ///
    /// ```
    /// # use syncvar::NetworkWriter;
    /// let mut writer = NetworkWriter::new();
    /// assert!(!writer.write_for_owner());
    /// assert_eq!(writer.as_bytes(), [0]);
    /// ```
    pub fn write_for_owner(&mut self) -> bool {
        let for_owner = self.for_owner;
        self.write_bool(for_owner);
        for_owner
    }

    /// Full states that are written from now on are for the owner, or for all others.
    pub fn set_for_owner(&mut self, for_owner: bool) {
        self.for_owner = for_owner;
    }
}

impl NetworkReader<'_> {
    /// Counterpart of [`NetworkWriter::write_for_owner`].
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when the byte is neither 0 nor 1.
    pub fn read_for_owner(&mut self) -> Result<bool, ReadError> {
        match self.read_u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => {
                let (what, value) = ("reader of a full state", other.into());
                Err(self.error(ReadErrorKind::InvalidValue { what, value }))
            }
        }
    }

    /// Only these fields may be in masks from now on.
    pub fn set_fields(&mut self, fields: u64) {
        self.refused_bits = !fields;
    }
}
