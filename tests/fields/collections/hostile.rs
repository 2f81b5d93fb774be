//! Bytes that no server sends: an error or a value, never a panic, and little memory.

use allocation_counter::measure;
use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{
    SyncField,
    wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind},
};
use syncvar_testing::cases;

use crate::collections::model::full;
use crate::collections::model::subject::Subject;
use crate::collections::{delta, read, varint};

const DIALECTS: [Encoding; 2] = [Encoding::Unet, Encoding::Compact];

/// What is read at once takes this much memory at most, however much is announced.
const LITTLE: u64 = 256 * 1024;

/// Reads bytes into a collection of this content, as a full state and as a change, with a hook and
/// without. Whatever comes of it, a full state makes it right again.
fn feed<C: Subject>(content: &C::Model, bytes: &[u8], dialect: Encoding) {
    let right = full(&C::from_model(content), dialect);
    let mut whole = C::from_model(content);
    let mut plain = C::from_model(content);
    let mut hooked = C::from_model(content);
    let mut told = Ok(None);
    let memory = measure(|| {
        let _ = read(bytes, dialect, |reader| whole.read_full(reader));
        let _ = read(bytes, dialect, |reader| plain.read_delta(reader));
        told = read(bytes, dialect, |reader| {
            hooked.read_delta_with_previous(reader)
        });
    });
    assert!(memory.bytes_max < LITTLE, "{memory:?} for {bytes:?}");

    let again = read(bytes, dialect, |reader| {
        C::from_model(content).read_delta(reader)
    });
    assert_eq!(again.is_ok(), told.is_ok(), "a hook makes no difference");
    if let Ok(told) = told {
        assert_eq!(plain.model(), hooked.model());
        let mut replayed = content.clone();
        if let Some(told) = told {
            C::replay(&mut replayed, &told);
        }
        assert_eq!(replayed, hooked.model());
    }
    for collection in [&mut whole, &mut plain, &mut hooked] {
        read(&right, dialect, |reader| collection.read_full(reader)).unwrap();
        assert_eq!(collection.model(), *content);
    }
}

/// Every way to cut bytes short, and to turn one bit of them round.
fn damaged(bytes: &[u8]) -> Vec<Vec<u8>> {
    let cut = (0..bytes.len()).map(|length| bytes[..length].to_vec());
    let turned = (0..bytes.len() * 8).map(|bit| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    });
    cut.chain(turned).collect()
}

/// Damages what a server sends.
fn damage<C: Subject>(content: &C::Model, ops: &[C::Op]) {
    for dialect in DIALECTS {
        let mut collection = C::from_model(content);
        collection.clear_dirty();
        let mut model = content.clone();
        for op in ops {
            collection.act(&mut model, op);
        }
        for bytes in [delta(&collection, dialect), full(&collection, dialect)] {
            for bytes in damaged(&bytes) {
                feed::<C>(content, &bytes, dialect);
            }
        }
    }
}

/// Small numbers are operations and positions.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![3 => 0..9_u8, 1 => any::<u8>()], 0..60)
}

macro_rules! no_bytes_harm {
    ($($any:ident, $damaged:ident: $type:ty;)*) => {
        proptest! {
            #![proptest_config(cases(100))]
            $(
                #[test]
                fn $any(content in <$type as Subject>::content(), bytes in bytes()) {
                    for dialect in DIALECTS {
                        feed::<$type>(&content, &bytes, dialect);
                    }
                }
            )*
        }

        proptest! {
            #![proptest_config(cases(3))]
            $(
                #[test]
                fn $damaged(
                    content in <$type as Subject>::content(),
                    ops in vec(<$type as Subject>::op(), 1..8),
                ) {
                    damage::<$type>(&content, &ops);
                }
            )*
        }
    };
}

no_bytes_harm! {
    no_bytes_harm_a_list, nor_does_damage_to_those_of_a_list: SyncList<u32>;
    no_bytes_harm_a_dictionary, nor_does_damage_to_those_of_a_dictionary: SyncDictionary<String, i32>;
    no_bytes_harm_a_hash_set, nor_does_damage_to_those_of_a_hash_set: SyncHashSet<i32>;
    no_bytes_harm_a_sorted_set, nor_does_damage_to_those_of_a_sorted_set: SyncSortedSet<i32>;
}

/// A change of one operation, with a position, and then some bytes.
fn operation(number: u8, index: u64, rest: &[u8], dialect: Encoding) -> Vec<u8> {
    let mut bytes = vec![1];
    match dialect {
        Encoding::Unet => {
            bytes.push(number);
            let mut writer = NetworkWriter::new();
            writer.write_packed_u64(index);
            bytes.extend(writer.as_bytes());
        }
        _ => bytes.extend(varint(index << 3 | u64::from(number))),
    }
    [&bytes, rest].concat()
}

/// What a collection says to a change, with little room for elements.
fn refuse<C: SyncField>(mut collection: C, bytes: &[u8], dialect: Encoding) -> ReadErrorKind {
    let mut reader = NetworkReader::with_encoding(bytes, dialect).with_max_elements(3);
    collection.read_delta(&mut reader).unwrap_err().kind()
}

type Names = SyncDictionary<String, u32>;

#[test]
fn positions_beyond_the_end_are_errors() {
    let list = || SyncList::from([1_u32, 2, 3]);
    let far = 1_u64 << 60;
    for dialect in DIALECTS {
        for index in [3, 4, far] {
            // Insert, RemoveAt, Set.
            for number in [2, 4, 5] {
                let bytes = operation(number, index, &[7], dialect);
                let kind = refuse(list(), &bytes, dialect);
                let expected = matches!(kind, ReadErrorKind::IndexOutOfRange { length: 3, .. });
                assert!(expected, "{number} at {index}: {kind:?}");
            }
        }
        // Splice: one from the fourth on, so many from the first on, and many from far away on.
        let mut many = NetworkWriter::with_encoding(dialect);
        many.write_packed_u64(u64::MAX);
        let (one, none): (&[u8], &[u8]) = match dialect {
            Encoding::Unet => (&[1, 0, 0], many.as_bytes()),
            _ => (&[1, 0], &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
        };
        let none = [none, &one[1..]].concat();
        for bytes in [
            operation(6, 3, one, dialect),
            operation(6, 0, &none, dialect),
            operation(6, far, &none, dialect),
            // Runs: two stay and two go.
            operation(7, 1, &[2, 2], dialect),
            operation(7, 2, &[1, 1, 1, 1], dialect),
        ] {
            let kind = refuse(list(), &bytes, dialect);
            assert!(
                matches!(kind, ReadErrorKind::IndexOutOfRange { .. }),
                "{kind:?}"
            );
        }
        let kind = refuse(list(), &operation(7, far, &[0, 1], dialect), dialect);
        let ended = matches!(kind, ReadErrorKind::UnexpectedEnd { .. });
        assert!(ended, "fewer runs than announced: {kind:?}");
        // No runs, and a run that takes nothing out, would take time and no bytes.
        for (runs, bytes) in [(0, &[][..]), (1, &[1, 0]), (2, &[0, 1, 1, 0])] {
            let kind = refuse(list(), &operation(7, runs, bytes, dialect), dialect);
            assert!(
                matches!(kind, ReadErrorKind::InvalidValue { .. }),
                "{kind:?}"
            );
        }
    }
}

#[test]
fn more_elements_than_the_limit_are_errors_however_they_come() {
    for dialect in DIALECTS {
        let list = || SyncList::from([1_u32, 2, 3]);
        let splice: &[u8] = match dialect {
            Encoding::Unet => &[1, 2, 0, 7, 7],
            _ => &[1, 2, 7, 7],
        };
        let key: &[u8] = match dialect {
            Encoding::Unet => &[1, 0, b'd', 1],
            _ => &[1, b'd', 1],
        };
        let names = ["a", "b", "c"].map(|name| (name.to_string(), 1));
        let whole: &[u8] = match dialect {
            Encoding::Unet => &[0, 4, 0, 1, 2, 3, 4],
            _ => &[0, 4, 1, 2, 3, 4],
        };
        let nine = match dialect {
            Encoding::Unet => 9,
            _ => 18,
        };
        for kind in [
            refuse(list(), &operation(0, 0, &[7], dialect), dialect),
            refuse(list(), &operation(2, 0, &[7], dialect), dialect),
            refuse(list(), &operation(6, 0, splice, dialect), dialect),
            refuse(list(), whole, dialect),
            refuse(Names::from(names), &operation(0, 0, key, dialect), dialect),
            refuse(Names::default(), whole, dialect),
            refuse(
                SyncHashSet::from([1, 2, 3]),
                &operation(0, 0, &[nine], dialect),
                dialect,
            ),
            refuse(SyncHashSet::<i32>::default(), whole, dialect),
            refuse(
                SyncSortedSet::from([1, 2, 3]),
                &operation(0, 0, &[nine], dialect),
                dialect,
            ),
            refuse(SyncSortedSet::<i32>::default(), whole, dialect),
        ] {
            let expected = ReadErrorKind::TooManyElements { count: 4, limit: 3 };
            assert_eq!(kind, expected, "{dialect:?}");
        }
    }
}

#[test]
fn operations_that_there_are_not_are_errors() {
    for dialect in DIALECTS {
        let most = if dialect == Encoding::Unet { 255 } else { 7 };
        for number in 3..=most {
            let bytes = operation(number, 0, &[0; 8], dialect);
            let mut kinds = vec![
                refuse(Names::default(), &bytes, dialect),
                refuse(SyncHashSet::<i32>::default(), &bytes, dialect),
                refuse(SyncSortedSet::<i32>::default(), &bytes, dialect),
            ];
            if number == 3 || number > 7 {
                kinds.push(refuse(SyncList::<u32>::default(), &bytes, dialect));
            }
            let (what, value) = ("operation of a collection", number.into());
            for kind in kinds {
                assert_eq!(kind, ReadErrorKind::InvalidValue { what, value });
            }
        }
    }
}

#[test]
fn keys_that_come_twice_and_keys_that_are_not_there_are_errors() {
    let twice = ReadErrorKind::Custom("a key that comes twice");
    let absent = ReadErrorKind::Custom("a key is removed that is not there");
    for dialect in DIALECTS {
        let (ones, names, name): (&[u8], &[u8], &[u8]) = match dialect {
            Encoding::Unet => (&[0, 2, 0, 1, 1], &[0, 2, 0, 0, 0, 1, 0, 0, 2], &[0, 0]),
            _ => (&[0, 2, 1, 1], &[0, 2, 0, 1, 0, 2], &[0]),
        };
        let one = if dialect == Encoding::Unet { 1 } else { 2 };
        let (add, remove) = (
            operation(0, 0, &[one], dialect),
            operation(2, 0, &[one], dialect),
        );
        let hash = SyncHashSet::<i32>::default;
        let sorted = SyncSortedSet::<i32>::default;
        assert_eq!(refuse(hash(), ones, dialect), twice);
        assert_eq!(refuse(sorted(), ones, dialect), twice);
        assert_eq!(refuse(Names::default(), names, dialect), twice);
        assert_eq!(refuse(SyncHashSet::from([1]), &add, dialect), twice);
        assert_eq!(refuse(SyncSortedSet::from([1]), &add, dialect), twice);
        assert_eq!(refuse(hash(), &remove, dialect), absent);
        assert_eq!(refuse(sorted(), &remove, dialect), absent);
        let remove = operation(2, 0, name, dialect);
        assert_eq!(refuse(Names::default(), &remove, dialect), absent);
    }
}

/// An empty struct, which takes no byte.
#[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Nothing;

#[test]
fn zero_sized_and_announced_elements_take_little_memory() {
    fn small<C: SyncField + Default>(bytes: &[u8], dialect: Encoding) {
        let mut collection = C::default();
        let mut results = [true; 2];
        let memory = measure(|| {
            results = [
                read(bytes, dialect, |reader| collection.read_full(reader)).is_ok(),
                read(bytes, dialect, |reader| collection.read_delta(reader)).is_ok(),
            ];
        });
        assert!(memory.bytes_max < LITTLE, "{memory:?} for {bytes:?}");
        assert_eq!(results, [false; 2], "{bytes:?}");
    }
    for dialect in DIALECTS {
        for bytes in announcements(dialect) {
            small::<SyncList<[u32; 0]>>(&bytes, dialect);
            small::<SyncList<Nothing>>(&bytes, dialect);
            small::<SyncList<[u64; 8]>>(&bytes, dialect);
            small::<SyncDictionary<[u32; 0], Nothing>>(&bytes, dialect);
            small::<SyncDictionary<u32, Nothing>>(&bytes, dialect);
            small::<SyncDictionary<u32, [u64; 8]>>(&bytes, dialect);
            small::<SyncHashSet<Nothing>>(&bytes, dialect);
            small::<SyncHashSet<[u64; 8]>>(&bytes, dialect);
            small::<SyncSortedSet<Nothing>>(&bytes, dialect);
            small::<SyncSortedSet<[u64; 8]>>(&bytes, dialect);
        }
    }

    /// Bytes that announce very much.
    fn announcements(dialect: Encoding) -> Vec<Vec<u8>> {
        let huge = varint(1 << 60);
        let mut bytes = match dialect {
            Encoding::Unet => vec![
                vec![0, 255, 255],
                vec![255, 255],
                vec![6, 0, 0, 0, 255, 255],
            ],
            _ => vec![
                [&[0], &huge[..]].concat(),
                huge.clone(),
                varint(1_000_000),
                [&[0], &varint(1_000_000)[..]].concat(),
                [&[1, 6, 0], &huge[..]].concat(),
            ],
        };
        let mut writer = NetworkWriter::new();
        writer.write_packed_u64(1 << 60);
        bytes.push(writer.as_bytes().to_vec());
        bytes
    }
}

#[test]
fn lists_of_zero_sized_elements_travel() {
    for dialect in DIALECTS {
        let mut list = SyncList::from([Nothing, Nothing]);
        list.clear_dirty();
        list.push(Nothing);
        list.remove(0);
        list.extend([Nothing, Nothing]);
        let mut replica = SyncList::from([Nothing, Nothing]);
        let bytes = delta(&list, dialect);
        read(&bytes, dialect, |reader| replica.read_delta(reader)).unwrap();
        assert_eq!(replica.len(), 4);
    }
}
