use syncvar::prelude::*;

fn main() {
    let mut items = SyncDictionary::from([(1, 2)]);
    items[&1] = 3;
}
