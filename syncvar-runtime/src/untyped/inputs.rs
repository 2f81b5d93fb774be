//! `InputBytes`: an input of a client without compiled types.

use crate::schema::TypeSchema;
use crate::{Encoding, NetworkReader, NetworkWriter, ReadError, SyncValue};

/// An input in the bytes of both encodings: the list of a client's inputs does not know the type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputBytes {
    /// Bytes in `Unet`.
    pub unet: Vec<u8>,
    /// Bytes in `Compact`.
    pub compact: Vec<u8>,
}

impl SyncValue for InputBytes {
    const SCHEMA: TypeSchema = TypeSchema::Named("input");

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_bytes(match writer.encoding() {
            Encoding::Compact => &self.compact,
            Encoding::Unet | Encoding::Mirror => &self.unet,
        });
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let mut input = Self::default();
        let bytes = reader.read_bytes(reader.remaining())?.to_vec();
        match reader.encoding() {
            Encoding::Compact => input.compact = bytes,
            Encoding::Unet | Encoding::Mirror => input.unet = bytes,
        }
        Ok(input)
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
