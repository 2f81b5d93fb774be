use std::collections::BTreeSet;

use syncvar::prelude::*;

fn change(items: &mut SyncSortedSet<u32>) {
    items.append(&mut BTreeSet::from([3]));
}

fn main() {}
