use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Slot<T> {
    #[sync_var(hook = "on_item")]
    item: SyncVar<T>,
}

fn main() {
    let _ = Prefabs::new().register::<Slot<u8>>("slot");
}
