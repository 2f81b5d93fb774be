use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Door;

#[derive(Default)]
struct Loot;

fn main() {
    let _ = Prefabs::new().register::<(Door, Loot)>("chest");
}
