use syncvar::prelude::*;

fn main() {
    let mut items = SyncList::from([1, 2, 3]);
    for item in &mut items {
        *item += 1;
    }
}
