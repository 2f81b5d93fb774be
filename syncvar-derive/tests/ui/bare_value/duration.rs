use std::time::Duration;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    cooldown: Duration,
}

fn main() {}
