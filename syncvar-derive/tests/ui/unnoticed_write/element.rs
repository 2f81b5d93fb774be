use syncvar::prelude::*;

fn change(items: &mut SyncList<u32>) {
    items[0] = 4;
}

fn main() {}
