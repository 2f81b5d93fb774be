//! Section 3: collections.

use syncvar::prelude::*;
use syncvar::{
    SyncField,
    wire::{Encoding, NetworkWriter},
};

use crate::examples::Examples;

fn bytes(write: impl FnOnce(&mut NetworkWriter)) -> String {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    write(&mut writer);
    assert!(writer.error().is_none());
    hex::encode(writer.as_bytes())
}

fn full(field: &impl SyncField) -> String {
    bytes(|writer| field.write_full(writer))
}

fn change(field: &impl SyncField) -> String {
    bytes(|writer| field.write_delta(writer))
}

/// One of an object that is observed.
fn observed<F: SyncField>(mut field: F) -> F {
    field.set_log(syncvar::fields::OperationLog::Full { pending: 0 });
    field.set_observed(true);
    field
}

pub(crate) fn examples() -> Examples {
    let list = observed(SyncList::from([1, 2]));
    let mut examples = vec![
        (
            "full state of the list 1, 2; nothing is pending",
            full(&list),
        ),
        ("no change", change(&list)),
    ];
    let mut list = observed(SyncList::new());
    list.extend([1, 2]);
    examples.push((
        "the same when both were added since the last change was sent",
        full(&list),
    ));

    let mut list = observed(SyncList::new());
    list.push(3);
    list.insert(0, 7);
    list.set(1, 8);
    list.remove(0);
    list.clear();
    examples.push((
        "3 is added; 7 put before it; 8 put in its place; the first taken out; all taken out",
        change(&list),
    ));

    let mut list = SyncList::from([7]);
    syncvar::fields::FieldPlace::end_write(&mut list);
    list.set_log(syncvar::fields::OperationLog::Full { pending: 2 });
    examples.push((
        "the list 7 has taken the place of one of which 2 operations were said to come",
        change(&list),
    ));

    let dictionary = observed(SyncDictionary::from([(1, -1)]));
    examples.push(("full state of the dictionary 1: -1", full(&dictionary)));
    let mut dictionary = observed(SyncDictionary::new());
    dictionary.insert(5, 6);
    dictionary.insert(5, 7);
    dictionary.remove(&5);
    dictionary.clear();
    examples.push((
        "5: 6 is added; 5 is 7; 5 is taken out; all are",
        change(&dictionary),
    ));

    let set = observed(SyncSortedSet::from([4, -1]));
    examples.push(("full state of the sorted set -1, 4", full(&set)));
    let mut set = observed(SyncSortedSet::new());
    set.insert(4);
    set.remove(&4);
    set.clear();
    examples.push(("4 is added, and taken out; all are", change(&set)));
    examples
}
