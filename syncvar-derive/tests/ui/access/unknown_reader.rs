use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(read = team)]
    place: SyncVar<f32>,
    #[sync_var(read = admins)]
    note: SyncVar<String>,
    #[sync_var(read = "group")]
    plan: SyncVar<String>,
}

fn main() {}
