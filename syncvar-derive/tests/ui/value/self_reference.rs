use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Node {
    next: Option<Box<Node>>,
}

fn main() {}
