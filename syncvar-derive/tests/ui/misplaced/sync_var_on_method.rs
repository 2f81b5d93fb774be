use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

impl Player {
    #[sync_var]
    fn health(&self) -> i32 {
        100
    }
}

fn main() {}
