use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var(on_view = on_jump_shown)]
    jumps: SyncVar<u32>,
}

impl Player {
    fn on_jump_shown(&mut self, _previous: u32, _jumps: u32) {}
}

fn main() {}
