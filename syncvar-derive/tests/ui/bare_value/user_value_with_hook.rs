use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff(u32);

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_buff)]
    buff: Buff,
}

impl Player {
    fn on_buff(&mut self, _previous: Buff) {}
}

fn main() {}
