use syncvar::codec::Half;
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = Half)]
    name: SyncVar<String>,
}

fn main() {}
