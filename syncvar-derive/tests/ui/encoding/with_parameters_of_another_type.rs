use syncvar::codec::Quantized;
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = Quantized<0, 100, 10>, hook = on_health)]
    health: SyncVar<i32>,
}

impl Player {
    fn on_health(&mut self, _previous: i32) {}
}

fn main() {}
