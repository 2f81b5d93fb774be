use syncvar::prelude::*;

#[derive(Default)]
struct Player;

fn main() {
    let _ = Prefabs::new().register::<Player>("player");
}
