use syncvar::prelude::*;

fn main() {
    let mut items = SyncSortedSet::from([1, 2]);
    items.append(&mut SyncSortedSet::from([3]));
}
