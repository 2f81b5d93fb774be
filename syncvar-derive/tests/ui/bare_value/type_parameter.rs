use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Slot<T> {
    #[sync_var]
    item: T,
}

fn main() {
    let _ = Prefabs::new().register::<Slot<i32>>("slot");
}
