use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

fn main() {
    let _ = Prefabs::new().register::<Player>("player");
}
