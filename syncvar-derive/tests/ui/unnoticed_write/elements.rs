use syncvar::prelude::*;

fn change(items: &mut SyncList<u32>) {
    for item in items.iter_mut() {
        *item += 1;
    }
}

fn main() {}
