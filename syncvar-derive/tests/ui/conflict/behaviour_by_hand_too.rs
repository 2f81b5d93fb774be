use syncvar::prelude::*;
use syncvar::{BehaviourSchema, NetworkReader, NetworkWriter, ReadError};

#[derive(NetworkBehaviour)]
struct Player;

impl NetworkBehaviour for Player {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema { name: "Player", base: None, fields: &[] };
    fn sync_var_dirty_bits(&self) -> u64 { 0 }
    fn set_dirty_bit(&mut self, _: u64) {}
    fn clear_all_dirty_bits(&mut self) {}
    fn on_serialize(&mut self, _: &mut NetworkWriter, _: bool) -> bool { false }
    fn on_deserialize(&mut self, _: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> { Ok(()) }
}

fn main() {}
