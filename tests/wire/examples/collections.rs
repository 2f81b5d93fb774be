//! Section 3: collections.

use syncvar::prelude::*;
use syncvar::wire::Encoding::{Compact, Unet};
use syncvar::{SyncField, wire::Encoding};

use crate::examples::{Examples, bytes_in};

fn whole(field: &impl SyncField, dialect: Encoding) -> String {
    bytes_in(dialect, |writer| field.write_full(writer))
}

/// Returns the delta of a clean field after a change.
fn changed<F: SyncField>(mut field: F, dialect: Encoding, change: impl FnOnce(&mut F)) -> String {
    field.clear_dirty();
    change(&mut field);
    assert!(field.is_dirty());
    bytes_in(dialect, |writer| field.write_delta(writer))
}

#[test]
pub(crate) fn lists_are_written_as_documented() -> Examples {
    let list = |dialect, change: fn(&mut SyncList<i32>)| {
        changed(SyncList::from([1, 2, 3]), dialect, change)
    };
    let odd = |dialect| {
        changed(SyncList::from([1, 2, 3, 4, 5]), dialect, |list| {
            list.retain(|number| number % 2 == 1);
        })
    };
    let insert = |list: &mut SyncList<i32>| list.insert(1, 7);
    let remove = |list: &mut SyncList<i32>| assert_eq!(list.remove(1), 2);
    let set = |list: &mut SyncList<i32>| assert!(list.set(1, 7));
    let splice = |list: &mut SyncList<i32>| drop(list.splice(0..2, [7, 8]));
    let numbers = SyncList::from([1, 300]);
    let dirty = SyncList::from([1, 2]);
    Examples::check(vec![
        ("whole list `[1, 300]` of `i32`", whole(&numbers, Unet)),
        ("list: add 7", list(Unet, |list| list.push(7))),
        ("list: clear", list(Unet, SyncList::clear)),
        ("list `[1, 2, 3]`: insert 7 at 1", list(Unet, insert)),
        ("list `[1, 2, 3]`: remove at 1", list(Unet, remove)),
        ("list `[1, 2, 3]`: set 7 at 1", list(Unet, set)),
        (
            "list `[1, 2, 3]`: splice 7, 8 for two at 0",
            list(Unet, splice),
        ),
        ("list `[1, 2, 3, 4, 5]`: keep the odd ones", odd(Unet)),
        (
            "list `[1, 2]`: dirty without a change",
            changed(dirty, Unet, SyncList::set_dirty),
        ),
        (
            "compact whole list `[1, 300]` of `i32`",
            whole(&numbers, Compact),
        ),
        (
            "compact whole list `[1, 200]` of `u8`",
            whole(&SyncList::from([1_u8, 200]), Compact),
        ),
        (
            "compact list of `u8`: add 200",
            changed(SyncList::from([1_u8]), Compact, |list| list.push(200)),
        ),
        ("compact list: add 7", list(Compact, |list| list.push(7))),
        (
            "compact list `[1, 2, 3]`: insert 7 at 1",
            list(Compact, insert),
        ),
        (
            "compact list `[1, 2, 3]`: remove at 1",
            list(Compact, remove),
        ),
        ("compact list `[1, 2, 3]`: set 7 at 1", list(Compact, set)),
        (
            "compact list `[1, 2, 3]`: splice 7, 8 for two at 0",
            list(Compact, splice),
        ),
        (
            "compact list `[1, 2, 3, 4, 5]`: keep the odd ones",
            odd(Compact),
        ),
    ])
}

#[test]
pub(crate) fn dictionaries_are_written_as_documented() -> Examples {
    let start = || SyncDictionary::from([("a".to_owned(), 1), ("b".to_owned(), 1)]);
    let change = |ammo: &mut SyncDictionary<String, i32>| {
        ammo.insert("a".into(), 2);
        ammo.remove("b");
    };
    let one = SyncDictionary::from([("a".to_owned(), 1)]);
    Examples::check(vec![
        ("whole dictionary `{\"a\": 1}`", whole(&one, Unet)),
        (
            "dictionary: put 2 at \"a\"; remove \"b\"",
            changed(start(), Unet, change),
        ),
        (
            "compact dictionary: put 2 at \"a\"; remove \"b\"",
            changed(start(), Compact, change),
        ),
    ])
}

#[test]
pub(crate) fn sets_are_written_as_documented() -> Examples {
    let start = || SyncHashSet::from([1, 2]);
    let change = |set: &mut SyncHashSet<i32>| {
        set.insert(3);
        set.remove(&1);
    };
    let sorted = SyncSortedSet::from([2, 1]);
    assert_eq!(whole(&sorted, Unet), whole(&start(), Unet));
    Examples::check(vec![
        ("whole set `{1, 2}`", whole(&sorted, Unet)),
        ("set: add 3; remove 1", changed(start(), Unet, change)),
        (
            "compact set: add 3; remove 1",
            changed(start(), Compact, change),
        ),
    ])
}
