//! Numbers of objects and scene objects as values.

use crate::schema::TypeSchema;
use crate::wire::{NetworkReader, NetworkWriter, ReadError, SyncValue};
use crate::{NetId, NetworkSceneId};

#[diagnostic::do_not_recommend]
impl SyncValue for NetId {
    const SCHEMA: TypeSchema = TypeSchema::Named("NetId");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_unsigned(self.0);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_unsigned("NetId").map(Self)
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

#[diagnostic::do_not_recommend]
impl SyncValue for NetworkSceneId {
    const SCHEMA: TypeSchema = TypeSchema::Named("NetworkSceneId");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_unsigned(self.0);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_unsigned("NetworkSceneId").map(Self)
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
