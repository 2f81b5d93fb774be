use syncvar::prelude::*;

struct Player;

impl Player {
    #[command]
    fn fire(&mut self) {}
}

fn main() {}
