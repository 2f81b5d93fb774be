use syncvar::prelude::*;

fn main() {
    let mut items = SyncList::from([1, 2, 3]);
    items[0] = 4;
}
