use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Slot<T> {
    #[sync_var]
    item: SyncVar<T>,
}

#[derive(Default)]
struct Sword;

fn main() {
    let _ = Prefabs::new().register::<Slot<Sword>>("slot");
}
