use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(history = 0.5)]
    path: SyncList<f32>,
    #[sync_var(history = 0)]
    x: SyncVar<f32>,
    #[sync_var(history = 60.0)]
    y: SyncVar<f32>,
    #[sync_var(history)]
    z: SyncVar<f32>,
    #[sync_var(snap = 2.0, history = 0.5)]
    w: SyncVar<f32>,
}

#[derive(NetworkBehaviour)]
#[network_behaviour(history = 0.5)]
struct Team {
    #[sync_var]
    score: SyncVar<u32>,
}

fn main() {}
