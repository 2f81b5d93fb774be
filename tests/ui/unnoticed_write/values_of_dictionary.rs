use syncvar::prelude::*;

fn main() {
    let mut items = SyncDictionary::from([(1, 2)]);
    items.values_mut().for_each(|value| *value += 1);
}
