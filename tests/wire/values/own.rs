//! Types of the user's own: derived, by hand, and around types of other crates.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hash};
use std::net::Ipv4Addr;
use std::num::NonZeroU8;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::{
    schema::TypeSchema,
    values::Vector3,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use crate::values::round_trip;

/// M20: a list of structs whose members are primitives, arrays and an engine's types.
#[test]
fn a_list_of_structs_of_primitives_arrays_and_vectors_travels() {
    #[derive(SyncValue, Clone, Default)]
    struct Item {
        id: u32,
        price: f64,
        name: String,
        effects: Vec<i32>,
        sockets: [u8; 3],
        place: Vector3,
    }
    let sword = Item {
        id: 7,
        price: -0.5,
        name: "sword".into(),
        effects: vec![1, -2],
        sockets: [1, 2, 3],
        place: Vector3::new(1.0, 2.0, 3.0),
    };
    round_trip(
        &vec![sword.clone(), Item::default(), sword],
        &vec![Item::default()],
    );
}

/// M20, N26: of whatever travels, and of type parameters in it.
#[test]
fn a_struct_can_have_members_of_every_type_that_travels() {
    type Table<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

    #[derive(SyncValue, Clone, Default)]
    struct Shelf<K: Ord + Hash, V: Ord> {
        places: HashMap<String, Vec<Option<NonZeroU8>>>,
        table: Table<K, V>,
        sorted: BTreeMap<K, BTreeSet<V>>,
        open: (Duration, FixedString<8>),
        picture: Bytes,
        owner: u128,
    }
    let mut shelf = Shelf::<u16, i64>::default();
    shelf
        .places
        .insert("top".into(), vec![NonZeroU8::new(3), None]);
    shelf.table.insert(7, -1);
    shelf.sorted.insert(8, BTreeSet::from([1, 2]));
    shelf.open = (
        Duration::from_millis(3),
        FixedString::truncated("nine o'clock"),
    );
    shelf.picture = Bytes::from_static(b"png");
    shelf.owner = u128::MAX;
    round_trip(&shelf, &Shelf::default());
    round_trip(&Shelf::default(), &shelf);
}

/// N17: a struct that is nothing but numbers, whole.
#[test]
fn a_struct_of_numbers_is_copied_whole() {
    #[derive(SyncValue, Clone, Copy, Default)]
    struct Stats {
        strength: u8,
        speed: f32,
        alive: bool,
    }
    let (strength, speed, alive) = (200, 1.5, true);
    let stats = Stats {
        strength,
        speed,
        alive,
    };
    assert_eq!(
        round_trip(&stats, &Stats::default()),
        [200, 0, 0, 192, 63, 1]
    );
}

/// N9, N10, N12: what C# calls managed costs a null byte there; here only an `Option` has one, and
/// arrays and strings inside a struct are read in place.
#[test]
fn struct_with_heap_memory_has_no_null_byte_and_reuses_memory() {
    #[derive(SyncValue, Clone, Default)]
    struct Squad {
        name: String,
        members: Vec<u16>,
        motto: Option<String>,
        ranks: [String; 2],
    }
    let mut squad = Squad {
        motto: Some("before".into()),
        ..Squad::default()
    };
    squad.name.push_str("a long name that stays where it is");
    squad.members.reserve(100);
    squad.ranks[1].reserve(50);
    let places = |squad: &Squad| {
        let motto = squad.motto.as_ref().map(|motto| motto.as_ptr());
        (
            squad.name.as_ptr(),
            squad.members.as_ptr(),
            motto,
            squad.ranks[1].as_ptr(),
        )
    };
    let before = places(&squad);
    let sent = Squad {
        name: "A".into(),
        members: vec![1, 2],
        motto: Some("on".into()),
        ranks: [String::new(), "B".into()],
    };
    let bytes = round_trip(&sent, &Squad::default());
    assert_eq!(bytes, b"\x01\0A\x02\0\x01\x02\x01\x02\0on\0\0\x01\0B");
    NetworkReader::new(&bytes).read_into(&mut squad).unwrap();
    assert_eq!(places(&squad), before);
    assert!(squad.same(&sent));
}

/// N16, T16: the user's own methods are called once to write on the server, and once to read on the
/// client.
#[test]
fn a_value_by_hand_is_written_once_and_read_once() {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);

    static READ: AtomicUsize = AtomicUsize::new(0);

    /// Counts how often it is written and read.
    #[derive(Clone, Default, Debug, PartialEq)]
    struct Counted(u8);

    impl SyncValue for Counted {
        const SCHEMA: TypeSchema = TypeSchema::Named("Counted");

        fn write(&self, writer: &mut NetworkWriter) {
            WRITTEN.fetch_add(1, Ordering::Relaxed);
            writer.write_u8(self.0);
        }

        fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
            READ.fetch_add(1, Ordering::Relaxed);
            reader.read_u8().map(Self)
        }

        fn same(&self, other: &Self) -> bool {
            self == other
        }
    }

    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Meter {
        #[sync_var]
        counted: SyncVar<Counted>,
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Meter>("meter"));
    let id = net.server.spawn(Meter::default());
    net.settle();
    let calls = || {
        (
            WRITTEN.load(Ordering::Relaxed),
            READ.load(Ordering::Relaxed),
        )
    };
    let before = calls();
    net.server
        .get_mut::<Meter>(id)
        .unwrap()
        .counted
        .set(Counted(9));
    net.settle();
    assert_eq!(calls(), (before.0 + 1, before.1 + 1));
    let meter = net.replicas::<Meter>(id).next().flatten().unwrap();
    assert_eq!(meter.counted, Counted(9));
}

/// N19, T18: a type of another crate travels inside one of the user's own. Without that it does not
/// compile: `ui/not_a_value/type_of_another_crate.rs`.
#[test]
fn a_type_of_another_crate_travels_inside_one_of_ones_own() {
    #[derive(Clone, PartialEq)]
    struct Host(Ipv4Addr);

    impl SyncValue for Host {
        const SCHEMA: TypeSchema = TypeSchema::Named("Host");

        fn write(&self, writer: &mut NetworkWriter) {
            writer.write_bytes(&self.0.octets());
        }

        fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
            Ok(Self(reader.read_u32()?.to_le_bytes().into()))
        }

        fn same(&self, other: &Self) -> bool {
            self == other
        }
    }
    let hosts = vec![Host(Ipv4Addr::LOCALHOST)];
    assert_eq!(round_trip(&hosts, &Vec::new()), [1, 0, 127, 0, 0, 1]);
}

/// N20: a plain `String` is supported, and is read into the memory that it has.
#[test]
fn a_plain_string_travels_and_keeps_its_memory() {
    let mut motto: SyncVar<String> = "a long motto, longer than the next".into();
    let place = motto.as_ptr();
    let bytes = round_trip(&String::from("short"), &String::new());
    NetworkReader::new(&bytes).read_into(&mut *motto).unwrap();
    assert_eq!((motto.as_str(), motto.as_ptr()), ("short", place));
}
