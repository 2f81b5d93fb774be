use syncvar::prelude::*;

#[derive(SyncValue, Clone, Default)]
struct Buff;

fn main() {
    let _ = Prefabs::new().register::<Buff>("buff");
}
