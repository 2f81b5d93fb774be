use syncvar::prelude::*;

trait Weapon {}

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    weapon: Box<dyn Weapon>,
}

fn main() {}
