use syncvar::prelude::*;

type V = SyncVar<u8>;

#[derive(NetworkBehaviour)]
struct Many(
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] V, #[sync_var] V, #[sync_var] V, #[sync_var] V,
    #[sync_var] SyncVar<u32>,
);

fn main() {}
