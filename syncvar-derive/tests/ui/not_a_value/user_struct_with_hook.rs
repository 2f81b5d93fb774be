use syncvar::prelude::*;

struct Buff;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_buff)]
    buff: SyncVar<Buff>,
}

impl Player {
    fn on_buff(&mut self, _previous: Buff) {}
}

fn main() {}
