#[derive(NetworkBehaviour)]
struct Chest {
    #[sync_var]
    open: SyncVar<bool>,
    #[sync_var(read = server, was = "seed")]
    loot_seed: SyncVar<u64>,
    #[sync_var(read = server)]
    visitors: SyncList<String>,
}
