use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
enum Door {
    Open,
    Closed,
}

fn main() {}
