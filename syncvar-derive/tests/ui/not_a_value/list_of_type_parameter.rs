use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Bag<T> {
    #[sync_var]
    items: SyncList<T>,
}

#[derive(Default)]
struct Sword;

fn main() {
    let _ = Prefabs::new().register::<Bag<Sword>>("bag");
}
