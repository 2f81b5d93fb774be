use syncvar::prelude::*;

fn main() {
    let mut items = SyncList::from([String::from("bow")]);
    items[0].push('s');
}
