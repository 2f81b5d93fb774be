//! Maps and sets as whole values.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::num::NonZeroU8;

use proptest::collection;
use proptest::prelude::*;
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind, WriteErrorKind};

use crate::values::{error_in, round_trip};

type Hasher = BuildHasherDefault<DefaultHasher>;

/// T21: dictionaries and sets, whole; equal ones have equal bytes.
#[test]
fn maps_travel_in_the_order_of_their_keys() {
    let sorted = BTreeMap::from(ammunition());
    let bytes = round_trip(&sorted, &BTreeMap::new());
    assert_eq!(
        bytes,
        b"\x03\0\x06\0arrows\xf1\x3c\x05\0bolts\0\x07\0rockets\x02"
    );
    let hashed = HashMap::from(ammunition());
    assert_eq!(round_trip(&hashed, &HashMap::new()), bytes);
    let mut reversed = ammunition();
    reversed.reverse();
    let other: HashMap<_, _, Hasher> = reversed.into_iter().collect();
    assert_eq!(round_trip(&other, &HashMap::default()), bytes);
    round_trip(&BTreeMap::<u8, u8>::new(), &BTreeMap::from([(1, 2)]));
    round_trip(&HashMap::<u8, u8>::new(), &HashMap::from([(1, 2)]));

    fn ammunition() -> [(String, u32); 3] {
        [
            ("rockets".into(), 2),
            ("arrows".into(), 300),
            ("bolts".into(), 0),
        ]
    }
}

/// T21.
#[test]
fn sets_travel_in_order() {
    let sorted = BTreeSet::from([300_u16, 2, 7]);
    let bytes = round_trip(&sorted, &BTreeSet::from([1]));
    assert_eq!(bytes, [3, 0, 2, 7, 0xf1, 0x3c]);
    assert_eq!(
        round_trip(&HashSet::from([7_u16, 300, 2]), &HashSet::new()),
        bytes
    );
    let other: HashSet<u16, Hasher> = [2, 300, 7].into_iter().collect();
    assert_eq!(round_trip(&other, &HashSet::default()), bytes);
    round_trip(&HashSet::new(), &HashSet::from([1_u8]));
}

/// T21: the largest there can be, and one more.
#[test]
fn a_map_has_the_limit_of_a_sequence() {
    let mut map: HashMap<u32, u8> = (0..65_535).map(|key| (key, 1)).collect();
    for dialect in [Encoding::Unet, Encoding::Compact] {
        let mut writer = NetworkWriter::with_encoding(dialect);
        writer.write(&map);
        let mut back = HashMap::new();
        NetworkReader::with_encoding(writer.as_bytes(), dialect)
            .read_into(&mut back)
            .unwrap();
        assert!(back == map);
    }
    map.insert(65_535, 1);
    let mut writer = NetworkWriter::new();
    writer.write(&map);
    writer.write(&(0..65_536_u32).collect::<BTreeSet<_>>());
    let (count, limit) = (65_536, 65_535);
    let error = writer.error().map(|error| error.kind());
    assert_eq!(
        error,
        Some(WriteErrorKind::TooManyElements { count, limit })
    );
    assert!(writer.is_empty(), "nothing of them is written");
}

#[test]
fn a_key_that_comes_twice_or_too_late_is_an_error() {
    for keys in [[5, 5], [5, 4]] {
        let map = [2, keys[0], 1, keys[1], 2];
        let set = [2, keys[0], keys[1]];
        let errors = [
            (error_in::<BTreeMap<u8, u8>>(Encoding::Compact, &map), 3),
            (error_in::<HashMap<u8, u8>>(Encoding::Compact, &map), 3),
            (error_in::<BTreeSet<u8>>(Encoding::Compact, &set), 2),
            (error_in::<HashSet<u8>>(Encoding::Compact, &set), 2),
        ];
        for (error, offset) in errors {
            assert_eq!(error, (ReadErrorKind::UnorderedKey, offset));
        }
        // Also where the key was there before.
        let mut reader = NetworkReader::with_encoding(&map, Encoding::Compact);
        let mut former = HashMap::from([(5_u8, 9_u8), (4, 9)]);
        let error = reader.read_into(&mut former).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a key that comes twice, or after a greater one, at byte 3"
        );
    }
}

/// D8: a count is checked against what is left before memory is taken.
#[test]
fn excessive_count_is_an_error_and_takes_no_memory() {
    let bytes = [0xff, 0xff, 1, 2, 3, 4];
    let mut map: HashMap<u8, u8> = HashMap::new();
    assert!(NetworkReader::new(&bytes).read_into(&mut map).is_err());
    assert!(map.capacity() < 100);
    let mut set: HashSet<u8> = HashSet::new();
    assert!(NetworkReader::new(&bytes).read_into(&mut set).is_err());
    assert!(set.capacity() < 100);
    assert!(
        NetworkReader::new(&bytes)
            .read::<BTreeMap<u8, u8>>()
            .is_err()
    );
    let too_many = ReadErrorKind::TooManyElements {
        count: 1 << 21,
        limit: 1 << 20,
    };
    let bytes = [0x80, 0x80, 0x80, 1, 1];
    assert_eq!(
        error_in::<HashSet<u8>>(Encoding::Compact, &bytes),
        (too_many, 0)
    );
    assert_eq!(
        error_in::<BTreeMap<u8, u8>>(Encoding::Compact, &bytes),
        (too_many, 0)
    );
    let zero = ReadErrorKind::InvalidValue {
        what: "NonZeroU8",
        value: 0,
    };
    assert_eq!(
        error_in::<BTreeSet<NonZeroU8>>(Encoding::Compact, &[1, 0]),
        (zero, 1)
    );
}

/// Keys of which nothing travels are all the same to the reader.
#[test]
fn keys_that_take_no_byte_are_one_key() {
    #[derive(SyncValue, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    struct Ticket {
        #[sync_value(skip)]
        number: u32,
    }
    let tickets: BTreeSet<Ticket> = (0..1025).map(|number| Ticket { number }).collect();
    let mut writer = NetworkWriter::new();
    writer.write(&tickets);
    let (count, limit) = (1025, 1024);
    let kind = WriteErrorKind::TooManyElements { count, limit };
    assert_eq!(writer.error().unwrap().kind(), kind);
    let error = error_in::<BTreeSet<Ticket>>(Encoding::Compact, &[2]);
    assert_eq!(error, (ReadErrorKind::UnorderedKey, 1));
}

#[derive(SyncValue, Clone, Default, PartialEq, Debug)]
struct Entry {
    label: String,
    #[sync_value(skip)]
    cached: u32,
}

fn entry(label: &str, cached: u32) -> Entry {
    let mut entry = Entry {
        cached,
        ..Entry::default()
    };
    entry.label.reserve(100);
    entry.label.push_str(label);
    entry
}

fn written<T: SyncValue>(value: &T) -> Vec<u8> {
    let mut writer = NetworkWriter::new();
    writer.write(value);
    writer.as_bytes().to_vec()
}

/// N11, T22: the values of keys that stay are read in place.
#[test]
fn kept_keys_keep_the_memory_and_skipped_members_of_values() {
    let mut hashed = HashMap::from([(1_u8, entry("a", 7)), (2, entry("b", 8))]);
    let mut sorted: BTreeMap<_, _> = hashed.clone().into_iter().collect();
    for entry in sorted.values_mut() {
        entry.label.reserve(100);
    }
    let places = [hashed[&1].label.as_ptr(), sorted[&1].label.as_ptr()];
    let sent = BTreeMap::from([(1_u8, entry("x", 0)), (3, entry("y", 0))]);
    let bytes = written(&sent);
    hashed.reserve(50);
    let capacity = hashed.capacity();
    NetworkReader::new(&bytes).read_into(&mut hashed).unwrap();
    NetworkReader::new(&bytes).read_into(&mut sorted).unwrap();
    assert_eq!(
        [hashed[&1].label.as_ptr(), sorted[&1].label.as_ptr()],
        places
    );
    assert_eq!((hashed[&1].label.as_str(), hashed[&1].cached), ("x", 7));
    assert_eq!((sorted[&1].label.as_str(), sorted[&1].cached), ("x", 7));
    assert_eq!((sorted.len(), hashed.len(), hashed[&3].cached), (2, 2, 0));
    assert_eq!(hashed.capacity(), capacity, "the table is kept");
}

#[test]
fn elements_that_stay_keep_their_memory() {
    let mut hashed: HashSet<String> = HashSet::from(["a".into(), "b".into()]);
    hashed.reserve(50);
    let mut sorted: BTreeSet<String> = hashed.iter().cloned().collect();
    let (capacity, place) = (hashed.capacity(), hashed.get("a").unwrap().as_ptr());
    let sorted_place = sorted.get("a").unwrap().as_ptr();
    let bytes = written(&BTreeSet::from([String::from("a"), "c".into()]));
    NetworkReader::new(&bytes).read_into(&mut hashed).unwrap();
    NetworkReader::new(&bytes).read_into(&mut sorted).unwrap();
    assert_eq!(
        (hashed.capacity(), hashed.get("a").unwrap().as_ptr()),
        (capacity, place)
    );
    assert_eq!(sorted.get("a").unwrap().as_ptr(), sorted_place);
    assert!(!hashed.contains("b") && sorted.contains("c") && sorted.len() == 2);
}

#[test]
fn maps_compare_as_their_values_do() {
    let nan = |key: u8| HashMap::from([(key, f32::NAN)]);
    assert!(nan(1).same(&nan(1)) && !nan(1).same(&nan(2)));
    let zero = |zero: f32| BTreeMap::from([(1_u8, zero)]);
    assert!(!zero(0.0).same(&zero(-0.0)) && !zero(0.0).same(&BTreeMap::new()));
    let cached = |cached| BTreeMap::from([(1_u8, entry("a", cached))]);
    assert!(
        cached(1).same(&cached(2)),
        "what does not travel makes no difference"
    );
    let set = |number: u8| HashSet::from([number]);
    assert!(set(1).same(&set(1)) && !set(1).same(&set(2)));
    let mut map = SyncVar::new(nan(1));
    assert!(!map.set(nan(1)) && map.set(nan(2)));
}

#[test]
fn the_schema_is_that_of_any_map_of_these() {
    assert_eq!(HashMap::<u8, String>::SCHEMA.to_string(), "[u8: String]");
    assert_eq!(BTreeMap::<u8, Vec<u8>>::SCHEMA.to_string(), "[u8: [u8]]");
    assert_eq!(HashSet::<u8, Hasher>::SCHEMA.to_string(), "{u8}");
    assert_eq!(BTreeSet::<u8>::SCHEMA.to_string(), "{u8}");
}

type Nested = BTreeMap<(u8, Option<String>), HashMap<u16, Vec<BTreeSet<char>>>>;

/// Few of everything, for each is read as often as it has bytes.
fn nested() -> impl Strategy<Value = Nested> {
    let sets = collection::vec(
        collection::btree_set(proptest::char::range('\0', '\u{ffff}'), 0..3),
        0..3,
    );
    let keys = (0..5_u8, proptest::option::of("[a-c]{0,2}"));
    collection::btree_map(keys, collection::hash_map(0..9_u16, sets, 0..3), 0..4)
}

proptest! {
    // checklist: N26
    #[test]
    fn every_nested_map_comes_back(value in nested(), other in nested()) {
        round_trip(&value, &other);
    }

    #[test]
    fn every_hash_map_has_the_bytes_of_the_sorted_one(value in collection::hash_map(any::<i32>(), any::<(bool, f64)>(), 0..9)) {
        let sorted: BTreeMap<_, _> = value.iter().map(|(key, value)| (*key, *value)).collect();
        prop_assert_eq!(round_trip(&value, &HashMap::new()), round_trip(&sorted, &BTreeMap::new()));
        let set: HashSet<i32> = value.into_keys().collect();
        round_trip(&set, &HashSet::from([1, 2, 3]));
    }

    #[test]
    fn no_bytes_make_a_reader_of_maps_panic(bytes: Vec<u8>, former in nested()) {
        for dialect in [Encoding::Unet, Encoding::Compact] {
            let reader = || NetworkReader::with_encoding(&bytes, dialect);
            let _ = reader().read::<HashMap<u8, Vec<BTreeSet<u8>>>>();
            let _ = reader().read_into(&mut former.clone());
            let _ = reader().read::<HashSet<String>>();
        }
    }
}
