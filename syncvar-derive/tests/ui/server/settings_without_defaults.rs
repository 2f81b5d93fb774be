use syncvar::prelude::*;

fn options(owner: Option<ConnectionId>) -> SpawnOptions {
    SpawnOptions { owner }
}

fn main() {}
