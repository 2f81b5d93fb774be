//! Selection of the fields that a behaviour writes, and its reader.

use super::{NetworkReader, NetworkWriter, ReadErrorKind, ReadResult};

impl NetworkWriter {
    /// Returns the dirty bits of the fields that may be written now, from the
    /// [context](crate::SerializeContext). Restricted fields, budgets and Mirror's layout limit them.
    /// All others stay dirty.
    #[inline]
    pub fn fields(&self) -> u64 {
        self.context.fields
    }

    /// Writes in one byte whether the reader of the snapshot owns the object, and returns it. A snapshot
    /// has this byte only if its class has fields for some readers only.
    ///
    /// ```
    /// # use syncvar::wire::NetworkWriter;
    /// let mut writer = NetworkWriter::new();
    /// assert!(!writer.write_for_owner());
    /// assert_eq!(writer.as_bytes(), [0]);
    /// ```
    #[inline]
    pub fn write_for_owner(&mut self) -> bool {
        let for_owner = self.context.for_owner;
        self.write_bool(for_owner);
        for_owner
    }
}

impl NetworkReader<'_> {
    /// Reads the byte of [`NetworkWriter::write_for_owner`].
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when the byte is neither 0 nor 1.
    pub fn read_for_owner(&mut self) -> ReadResult<bool> {
        match self.read_u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => {
                let (what, value) = ("reader of a full state", other.into());
                Err(self.error(ReadErrorKind::InvalidValue { what, value }))
            }
        }
    }
}
