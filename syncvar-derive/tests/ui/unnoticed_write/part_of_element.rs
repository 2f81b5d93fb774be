use syncvar::prelude::*;

fn change(items: &mut SyncList<String>) {
    items[0].push('s');
}

fn main() {}
