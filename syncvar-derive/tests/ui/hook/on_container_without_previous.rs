use syncvar::prelude::*;
use syncvar::{SyncField, schema::TypeSchema, wire::{NetworkReader, NetworkWriter, ReadError}};

struct Score;

impl SyncField for Score {
    const SCHEMA: TypeSchema = TypeSchema::Named("Score");
    fn is_dirty(&self) -> bool { false }
    fn set_dirty(&mut self) {}
    fn clear_dirty(&mut self) {}
    fn write_full(&self, _: &mut NetworkWriter) {}
    fn write_delta(&self, _: &mut NetworkWriter) {}
    fn read_full(&mut self, _: &mut NetworkReader<'_>) -> Result<(), ReadError> { Ok(()) }
    fn read_delta(&mut self, _: &mut NetworkReader<'_>) -> Result<(), ReadError> { Ok(()) }
}

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_score)]
    score: Score,
}

impl Player {
    fn on_score(&mut self, _previous: u32) {}
}

fn main() {}
