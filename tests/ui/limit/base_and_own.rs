use syncvar::prelude::*;

type V = SyncVar<u8>;

#[derive(NetworkBehaviour)]
#[rustfmt::skip]
struct Base(
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
);

#[derive(NetworkBehaviour)]
#[rustfmt::skip]
struct Derived(
    #[network_behaviour(base)] Base,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
);

fn main() {}
