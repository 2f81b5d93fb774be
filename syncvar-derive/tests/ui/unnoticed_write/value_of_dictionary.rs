use syncvar::prelude::*;

fn change(items: &mut SyncDictionary<u32, u32>) {
    items[&1] = 3;
}

fn main() {}
