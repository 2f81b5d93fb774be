//! Values of asset ids.

use crate::ids::NetworkHash128;
use crate::schema::TypeSchema;
use crate::wire::{NetworkReader, NetworkWriter, ReadError, SyncValue};

#[diagnostic::do_not_recommend]
impl SyncValue for NetworkHash128 {
    const SCHEMA: TypeSchema = TypeSchema::Named("NetworkHash128");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_array(self.0);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_array().map(Self)
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
