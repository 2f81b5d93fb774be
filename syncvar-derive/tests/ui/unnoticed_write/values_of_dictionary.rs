use syncvar::prelude::*;

fn change(items: &mut SyncDictionary<u32, u32>) {
    items.values_mut().for_each(|value| *value += 1);
}

fn main() {}
