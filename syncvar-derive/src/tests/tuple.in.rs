#[derive(NetworkBehaviour)]
struct Score(#[sync_var(hook = on_score)] SyncVar<u32>, u8);
