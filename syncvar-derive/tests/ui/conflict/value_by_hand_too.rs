use syncvar::{SyncValue, schema::TypeSchema, wire::{NetworkReader, NetworkWriter, ReadError}};

#[derive(SyncValue, Clone)]
struct Buff(u8);

impl SyncValue for Buff {
    const SCHEMA: TypeSchema = TypeSchema::Named("Buff");
    fn write(&self, _: &mut NetworkWriter) {}
    fn read(_: &mut NetworkReader<'_>) -> Result<Self, ReadError> { Ok(Self(0)) }
    fn same(&self, _: &Self) -> bool { true }
}

fn main() {}
