use syncvar::codec::Bits;
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = Bits<12>)]
    team: SyncVar<u8>,
}

fn main() {}
