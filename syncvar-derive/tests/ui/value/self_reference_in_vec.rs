use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
enum Tree {
    Leaf(u32),
    Branch(Vec<Tree>),
}

fn main() {}
