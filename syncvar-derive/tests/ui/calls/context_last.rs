use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire(&mut self, _at: i32, _context: &CallContext<'_>) {}
}

fn main() {}
