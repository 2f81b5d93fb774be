use syncvar::prelude::*;

type V = SyncVar<u8>;

#[derive(NetworkBehaviour)]
struct Base(
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
);

#[derive(NetworkBehaviour)]
struct Derived(
    #[network_behaviour(base)] Base,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
);

fn main() {}
