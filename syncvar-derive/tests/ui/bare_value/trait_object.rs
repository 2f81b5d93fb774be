use syncvar::prelude::*;

trait Weapon {}

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    weapon: dyn Weapon,
}

fn main() {}
