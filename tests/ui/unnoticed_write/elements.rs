use syncvar::prelude::*;

fn main() {
    let mut items = SyncList::from([1, 2, 3]);
    for item in items.iter_mut() {
        *item += 1;
    }
}
