use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(check = is_alive)]
    health: SyncVar<i32>,
}

impl Player {
    fn is_alive(&self, _former: &i32, new: &i32, _elapsed_ticks: u32) -> bool {
        *new > 0
    }
}

fn main() {}
