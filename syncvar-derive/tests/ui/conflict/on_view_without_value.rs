use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(on_view = on_stance_shown)]
    stance: SyncVar<u32>,
}

impl Player {
    fn on_stance_shown(&mut self) {}
}

fn main() {}
