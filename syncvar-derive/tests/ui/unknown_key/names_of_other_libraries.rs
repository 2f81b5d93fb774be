use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(owner_only)]
    gold: SyncVar<u32>,
    #[sync_var(owner)]
    keys: SyncVar<u32>,
    #[sync_var(team)]
    plan: SyncVar<u32>,
    #[sync_var(readonly)]
    score: SyncVar<u32>,
    #[sync_var(unreliable)]
    x: SyncVar<f32>,
    #[sync_var(quantized)]
    y: SyncVar<f32>,
    #[sync_var(important)]
    z: SyncVar<f32>,
}

fn main() {}
