use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Bag {
    #[sync_var]
    gold: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_mode = owner)]
struct LargeBag {
    #[network_behaviour(base)]
    bag: Bag,
}

fn main() {}
