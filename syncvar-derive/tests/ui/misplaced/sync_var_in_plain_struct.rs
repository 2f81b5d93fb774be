use syncvar::prelude::*;

struct Settings {
    #[sync_var]
    volume: SyncVar<f32>,
}

fn main() {}
