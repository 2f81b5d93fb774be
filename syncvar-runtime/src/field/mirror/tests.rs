use std::fmt::Debug;

use crate::{
    DictionaryChange, Encoding, FieldPlace, HookField, ListChange, NetworkReader, NetworkWriter,
    OperationLog, ReadError, SetChange, SyncDictionary, SyncField, SyncHashSet, SyncList,
    SyncSortedSet, SyncValue, TypeSchema,
};

fn written(write: impl FnOnce(&mut NetworkWriter)) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    write(&mut writer);
    assert!(writer.error().is_none());
    writer.as_bytes().to_vec()
}

fn full(field: &impl SyncField) -> String {
    hex(&written(|writer| field.write_full(writer)))
}

/// What has changed is written, and the field is clean.
fn flush(field: &mut (impl SyncField + 'static)) -> String {
    let bytes = written(|writer| field.write_delta(writer));
    field.clear_dirty();
    hex(&bytes)
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    digits.collect::<Vec<_>>().concat()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex"))
        .collect()
}

/// More elements than that are refused.
const MOST: usize = 12;

fn read_full<F: SyncField>(field: &mut F, hex: &str) -> Result<(), ReadError> {
    let bytes = bytes(hex);
    let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror).with_max_elements(MOST);
    field.read_full(&mut reader)?;
    reader.finish()
}

fn read<F: HookField>(field: &mut F, hex: &str) -> Result<Option<F::Previous>, ReadError> {
    let bytes = bytes(hex);
    let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror).with_max_elements(MOST);
    let reported = field.read_delta_with_previous(&mut reader)?;
    reader.finish()?;
    Ok(reported)
}

/// One that keeps its operations, and is observed.
fn observed<F: SyncField>(mut field: F) -> F {
    field.set_log(OperationLog::Full { pending: 0 });
    field.set_observed(true);
    field
}

fn joined<F: SyncField + Default>(server: &F) -> F {
    let mut client = F::default();
    read_full(&mut client, &full(server)).expect("it makes sense");
    client
}

#[test]
fn every_operation_on_a_list_travels_as_it_was_made() {
    let mut list = observed(SyncList::from([1, 2]));
    assert_eq!(full(&list), "02000000020400000000");
    assert_eq!(flush(&mut list), "00000000");
    let mut list = observed(SyncList::new());
    list.push(3);
    list.insert(0, 7);
    list.set(1, 8);
    list.remove(0);
    list.clear();
    let all = "0500000000060200000000 0e 0101000000 10 0300000000 04";
    assert_eq!(bytes(&flush(&mut list)), bytes(all));
    assert!(!list.is_dirty());

    list.insert(0, 1);
    list.extend([2, 3]);
    assert_eq!(
        flush(&mut list),
        hex(&bytes("03000000 02 00000000 02 00 04 00 06")),
        "one is inserted behind the last, and the others added, each by itself"
    );
}

#[test]
fn every_operation_on_a_dictionary_travels_as_it_was_made() {
    let map = observed(SyncDictionary::from([(1, -1)]));
    assert_eq!(full(&map), "01000000020100000000");
    let mut map = observed(SyncDictionary::new());
    map.insert(5, 6);
    map.insert(5, 7);
    map.remove(&5);
    map.remove(&5);
    map.clear();
    let all = hex(&bytes("04000000 00 0a0c 01 0a0e 02 0a 03"));
    assert_eq!(flush(&mut map), all);
}

#[test]
fn every_operation_on_a_set_travels_as_it_was_made() {
    let set = observed(SyncSortedSet::from([4, -1]));
    assert_eq!(full(&set), "02000000010800000000");
    let mut set = observed(SyncSortedSet::new());
    let mut hash_set = observed(SyncHashSet::new());
    for _ in 0..2 {
        set.insert(4);
        hash_set.insert(4);
    }
    for _ in 0..2 {
        set.remove(&4);
        hash_set.remove(&4);
    }
    set.clear();
    hash_set.clear();
    let all = hex(&bytes("03000000 00 08 01 08 02"));
    assert_eq!(flush(&mut set), all);
    assert_eq!(flush(&mut hash_set), all);
}

#[test]
fn set_and_reset_is_two_operations_and_equal_values_are_none() {
    let mut list = observed(SyncList::from([1]));
    list.set(0, 2);
    list.set(0, 2);
    list.set(0, 1);
    let two = hex(&bytes("02000000 01 00000000 04 01 00000000 02"));
    assert_eq!(flush(&mut list), two);
    let mut map = observed(SyncDictionary::from([(1, 1)]));
    map.insert(1, 2);
    map.insert(1, 2);
    map.insert(1, 1);
    let three = hex(&bytes("03000000 01 0204 01 0204 01 0202"));
    assert_eq!(flush(&mut map), three);
}

#[test]
fn added_then_overwritten_element_keeps_its_added_value() {
    let mut list = observed(SyncList::new());
    list.push(1);
    *list.get_mut(0).expect("it was added") = 2;
    assert_eq!(
        flush(&mut list),
        hex(&bytes("02000000 00 02 01 00000000 04"))
    );
    let mut map = observed(SyncDictionary::new());
    *map.entry(1).or_insert(1) += 1;
    assert_eq!(flush(&mut map), hex(&bytes("02000000 00 0202 01 0204")));
}

#[test]
fn unobserved_change_leaves_the_collection_clean() {
    let mut list = SyncList::from([1]);
    list.set_log(OperationLog::Full { pending: 0 });
    list.push(2);
    list.clear();
    list.set_dirty();
    assert!(!list.is_dirty());
    list.push(3);
    assert_eq!(full(&list), "010000000600000000");
    list.set_observed(true);
    assert!(!list.is_dirty());
    list.push(4);
    list.set_observed(true);
    assert!(list.is_dirty(), "it is observed already");
    assert_eq!(full(&list), "02000000060801000000");
    list.set_observed(false);
    assert!(!list.is_dirty());
    list.set_observed(true);
    assert_eq!(flush(&mut list), "00000000");
}

#[test]
fn joiner_skips_operations_in_its_snapshot() {
    let mut list = observed(SyncList::from([1]));
    let mut first = joined(&list);
    list.push(2);
    let mut second = joined(&list);
    list.set(0, 5);
    let pending = full(&list);
    assert_eq!(pending, full(&list), "it changes nothing");
    let mut third = joined(&list);
    let change = flush(&mut list);
    let reported = |client: &mut SyncList<i32>| read(client, &change).expect("it makes sense");
    let add = ListChange::Add { index: 1, value: 2 };
    let set = ListChange::Set {
        index: 0,
        previous: 1,
        value: 5,
    };
    assert_eq!(reported(&mut first), Some(vec![add, set.clone()]));
    assert_eq!(reported(&mut second), Some(vec![set]));
    assert_eq!(reported(&mut third), None);
    assert_eq!([&first, &second, &third], [&list; 3]);

    list.push(9);
    let change = flush(&mut list);
    assert!(read(&mut third, &change).expect("it makes sense").is_some());
    assert_eq!(third, list);
}

#[test]
fn new_snapshot_resets_the_skip_count() {
    let mut client = SyncHashSet::<i32>::new();
    read_full(&mut client, "00000000 05000000").expect("it makes sense");
    read_full(&mut client, "00000000 00000000").expect("it makes sense");
    read(&mut client, "01000000 00 02").expect("it makes sense");
    assert!(client.contains(&1));
}

#[test]
fn skipped_operations_need_not_fit_the_content() {
    let mut client = SyncList::<i32>::new();
    read_full(&mut client, "00000000 03000000").expect("it makes sense");
    let reported = read(
        &mut client,
        "03000000 03 07000000 01 09000000 02 02 05000000 02",
    );
    assert_eq!(reported.expect("it makes sense"), None);
    assert!(client.is_empty());
}

/// A value of which nothing travels.
#[derive(Clone)]
struct Nothing;

impl SyncValue for Nothing {
    const SCHEMA: TypeSchema = TypeSchema::Named("Nothing");

    fn write(&self, _writer: &mut NetworkWriter) {}

    fn read(_reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self)
    }

    fn same(&self, _other: &Self) -> bool {
        true
    }
}

type Change = (&'static str, fn(&mut SyncList<i32>));

#[test]
fn list_changes_fit_the_operations_of_mirror() {
    let changes: &[Change] = &[
        ("pop", |list| {
            list.pop();
        }),
        ("swap_remove", |list| {
            list.swap_remove(1);
        }),
        ("for_each_mut", |list| list.for_each_mut(|item| *item *= 2)),
        ("swap", |list| list.swap(0, 3)),
        ("truncate", |list| list.truncate(2)),
        ("resize", |list| list.resize(7, 7)),
        ("drain", |list| drop(list.drain(..))),
        ("drain some", |list| drop(list.drain(1..3))),
        ("shorter", |list| drop(list.splice(1..4, [1, 2]))),
        ("longer", |list| drop(list.splice(1..2, [1, 2, 3]))),
        ("at the end", |list| drop(list.splice(4.., [1, 2]))),
        ("retain", |list| list.retain(|item| item % 2 == 1)),
        ("retain none", |list| list.retain(|_| false)),
        ("dedup", SyncList::dedup),
        ("sort", SyncList::sort),
        ("reverse", SyncList::reverse),
        ("update", |list| list.update(|items| items.rotate_left(1))),
        ("update to less", |list| {
            list.update(|items| items.truncate(1));
        }),
        ("update to more", |list| {
            list.update(|items| items.extend([3, 4]));
        }),
        ("update in between", |list| {
            list.update(|items| items.insert(2, 0));
        }),
        ("set_dirty", SyncList::set_dirty),
        ("left half-way", |list| std::mem::forget(list.get_mut(0))),
        ("written half-way", |list| {
            let mut first = list.get_mut(0).expect("there is one");
            *first = 77;
            std::mem::forget(first);
        }),
    ];
    for (name, first) in changes {
        for (next_name, next) in changes {
            let mut list = observed(SyncList::from([4, 4, 3, 1, 5]));
            let mut client = joined(&list);
            first(&mut list);
            let mut between = joined(&list);
            if list.len() > 4 {
                next(&mut list);
            }
            let mut late = joined(&list);
            let change = flush(&mut list);
            for client in [&mut client, &mut between, &mut late] {
                read(client, &change).expect("it makes sense");
                assert_eq!(*client, list, "{name}, {next_name}");
            }
        }
    }
}

#[test]
fn leaked_guard_and_later_changes_reach_all_observers() {
    let mut map = observed(SyncDictionary::from([(1, 1), (2, 2)]));
    let mut client = joined(&map);
    let mut value = map.get_mut(&1).expect("it is there");
    *value = 5;
    std::mem::forget(value);
    assert!(map.is_dirty());
    let mut between = joined(&map);
    map.retain(|key, _| *key == 1);
    map.insert(3, 3);
    let mut late = joined(&map);
    let change = flush(&mut map);
    for client in [&mut client, &mut between, &mut late] {
        read(client, &change).expect("it makes sense");
        assert_eq!(*client, map);
    }
}

#[test]
fn replaced_collection_is_cleared_and_refilled() {
    let mut set = observed(SyncSortedSet::from([1, 2]));
    let mut client = joined(&set);
    set = SyncSortedSet::from([3]);
    FieldPlace::end_write(&mut set);
    set.set_log(OperationLog::Full { pending: 0 });
    set.set_observed(true);
    assert_eq!(full(&set), "010000000602000000", "as many as will be sent");
    set.insert(4);
    let change = flush(&mut set);
    assert_eq!(change, hex(&bytes("03000000 02 00 06 00 08")));
    read(&mut client, &change).expect("it makes sense");
    assert_eq!(client, set);
}

#[test]
fn initial_content_is_not_sent_again() {
    let mut set = SyncHashSet::new();
    set.insert(1);
    set.set_log(OperationLog::Full { pending: 0 });
    set.set_observed(false);
    set.set_observed(true);
    assert!(!set.is_dirty());
}

#[test]
fn hook_runs_once_for_each_operation_in_order() {
    let mut list = SyncList::from([1]);
    let reported = read(&mut list, "03000000 01 00000000 02 04 04").expect("it makes sense");
    let same = ListChange::Set {
        index: 0,
        previous: 1,
        value: 1,
    };
    let (one, none) = (vec![1], vec![]);
    let clear = |previous| ListChange::Clear { previous };
    assert_eq!(reported, Some(vec![same, clear(one), clear(none)]));

    let mut map = SyncDictionary::from([(1, 1)]);
    let reported =
        read(&mut map, "05000000 00 0202 01 0402 02 06 02 02 03").expect("it makes sense");
    let all = vec![
        DictionaryChange::Set {
            key: 1,
            previous: 1,
            value: 1,
        },
        DictionaryChange::Add { key: 2, value: 1 },
        DictionaryChange::Remove {
            key: 1,
            previous: 1,
        },
        DictionaryChange::Clear {
            previous: vec![(2, 1)],
        },
    ];
    assert_eq!(reported, Some(all));

    let mut set = SyncHashSet::from([1]);
    let reported = read(&mut set, "04000000 00 02 01 04 02 02").expect("it makes sense");
    let all = vec![
        SetChange::Add { value: 1 },
        SetChange::Remove { value: 2 },
        SetChange::Clear { previous: vec![1] },
        SetChange::Clear { previous: vec![] },
    ];
    assert_eq!(reported, Some(all));
}

#[test]
fn received_operations_are_logged_only_where_forwarded() {
    fn check<F: HookField<Previous: Debug> + Default>(change: &str, goes_on: &str) {
        let mut client = observed(F::default());
        read(&mut client, change).expect("it makes sense");
        assert!(!client.is_dirty());

        let bytes = bytes(change);
        for observed in [true, false] {
            let reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
            let mut server = F::default();
            server.set_log(OperationLog::Full { pending: 0 });
            server.set_observed(observed);
            server
                .read_delta(&mut reader.relaying())
                .expect("it makes sense");
            assert_eq!(server.is_dirty(), observed);
            let sent = if observed { goes_on } else { "00000000" };
            assert_eq!(flush(&mut server), hex(&self::bytes(sent)));
        }
    }
    let list = "04000000 00 02 01 00000000 02 03 00000000 04";
    check::<SyncList<i32>>(list, list);
    check::<SyncDictionary<i32, i32>>("03000000 01 0202 00 0204 02 06", "02000000 00 0202 01 0204");
    let set = "04000000 00 02 00 02 01 06 02";
    check::<SyncHashSet<i32>>(set, set);
    check::<SyncSortedSet<i32>>(set, set);
}

#[test]
fn snapshot_replaces_unsent_client_writes() {
    let mut list = observed(SyncList::from([1]));
    list.push(2);
    read_full(&mut list, "01000000 0a 00000000").expect("it makes sense");
    assert!(!list.is_dirty());
    assert_eq!(list, [5]);
    list.push(6);
    assert_eq!(flush(&mut list), hex(&bytes("01000000 00 0c")));
}

#[test]
fn malformed_operations_are_errors() {
    fn refused<F: HookField<Previous: Debug> + Default>(start: &str, changes: &[&str]) {
        for change in changes {
            let mut field = F::default();
            read_full(&mut field, start).expect("it makes sense");
            assert!(read(&mut field, change).is_err(), "{change}");
        }
    }
    refused::<SyncList<i32>>(
        "01000000 02 00000000",
        &[
            "",
            "010000",
            "01000000",
            "02000000 04",
            "ffffffff 04",
            "01000000 00",
            "01000000 05",
            "01000000 ff",
            "01000000 01 01000000 02",
            "01000000 02 02000000 02",
            "01000000 03 01000000",
            "01000000 03 ffffffff",
            "01000000 03 0000",
            "0c000000 00 02 00 02 00 02 00 02 00 02 00 02 00 02 00 02 00 02 00 02 00 02 00 02",
            "0c000000 00 02 00 02 00 02 00 02 00 02 00 02 00 02 00 02 00 02 00 02 00 02 02 00000000 02",
        ],
    );
    refused::<SyncDictionary<i32, i32>>(
        "01000000 02 02 00000000",
        &[
            "01000000",
            "ffffffff 03",
            "01000000 00 02",
            "01000000 04",
            "0c000000 00 0402 00 0602 00 0802 00 0a02 00 0c02 00 0e02 00 1002 00 1202 00 1402 00 1602 00 1802 00 1a02",
        ],
    );
    let set: &[&str] = &[
        "01000000",
        "ffffffff 02",
        "01000000 00",
        "01000000 01",
        "01000000 03 02",
        "0c000000 00 04 00 06 00 08 00 0a 00 0c 00 0e 00 10 00 12 00 14 00 16 00 18 00 1a",
    ];
    refused::<SyncHashSet<i32>>("01000000 02 00000000", set);
    refused::<SyncSortedSet<i32>>("01000000 02 00000000", set);

    for start in [
        "",
        "01000000",
        "ffffffff",
        "0d000000 020406080a0c0e10121416181a 00000000",
    ] {
        assert!(read_full(&mut SyncList::<i32>::new(), start).is_err());
        assert!(read_full(&mut SyncHashSet::<i32>::new(), start).is_err());
        assert!(read_full(&mut SyncDictionary::<i32, i32>::new(), start).is_err());
    }
    let many = format!("ffff0000 {}", "00000000");
    let mut nothing = SyncList::<Nothing>::new();
    let bytes = bytes(&many);
    let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
    assert!(
        nothing.read_full(&mut reader).is_err(),
        "elements of no bytes"
    );
}

#[test]
fn snapshot_refuses_a_repeated_key_but_not_a_repeated_element() {
    let twice = "02000000 0202 0204 00000000";
    assert!(read_full(&mut SyncDictionary::<i32, i32>::new(), twice).is_err());
    let mut set = SyncHashSet::<i32>::new();
    read_full(&mut set, "02000000 02 02 00000000").expect("it makes sense");
    assert_eq!(set.len(), 1);
}

#[test]
fn collection_without_a_full_log_is_cleared_and_refilled() {
    let mut list = SyncList::from([1]);
    list.clear_dirty();
    let mut client = joined(&list);
    list.push(2);
    let change = flush(&mut list);
    assert_eq!(change, hex(&bytes("03000000 04 00 02 00 04")));
    read(&mut client, &change).expect("it makes sense");
    assert_eq!(client, list);
}

#[test]
fn dirty_collection_that_drops_its_log_is_sent_whole() {
    let mut list = observed(SyncList::from([1]));
    list.push(2);
    list.set_log(OperationLog::Coalesced);
    assert!(list.is_dirty());
    list.clear_dirty();
    list.set(0, 3);
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    list.write_delta(&mut writer);
    let mut client = SyncList::from([1, 2]);
    let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Compact);
    client.read_delta(&mut reader).expect("it makes sense");
    assert_eq!(client, list);
}
