use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Bag<K> {
    #[sync_var]
    items: SyncDictionary<K, u32>,
}

fn main() {
    let _ = Prefabs::new().register::<Bag<f32>>("bag");
}
