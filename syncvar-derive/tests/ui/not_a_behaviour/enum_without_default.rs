use syncvar::prelude::*;

#[derive(SyncValue, Clone, PartialEq)]
enum Stance {
    Standing,
    Crouching,
}

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    stance: SyncVar<Stance>,
}

fn main() {
    let _ = Prefabs::new().register::<Player>("player");
}
