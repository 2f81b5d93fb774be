use syncvar::{NetworkBehaviour, behaviour::FieldVisitor, schema::BehaviourSchema};

#[derive(NetworkBehaviour)]
struct Player;

impl NetworkBehaviour for Player {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema { name: "Player", base: None, fields: &[] };
    fn sync_var_dirty_bits(&self) -> u64 { 0 }
    fn visit(&mut self, _: &mut (), _: &mut impl FieldVisitor) {}
}

fn main() {}
