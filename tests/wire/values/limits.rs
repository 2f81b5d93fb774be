//! Memory, work and depth of values.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;

use allocation_counter::measure;
use serde::{Deserialize, Serialize};
use syncvar::SyncValue;
use syncvar::limits::Limits;
use syncvar::schema::TypeSchema;
use syncvar::values::{FixedString, FixedString4096, Postcard};
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

const ENCODINGS: [Encoding; 3] = [Encoding::Unet, Encoding::Compact, Encoding::Mirror];

/// Checks that a value of a few bytes is refused before its memory is taken, and that half the limit
/// is enough for half of it.
fn amplified<T: SyncValue>(value: impl Fn(usize) -> T, most: usize) {
    for encoding in ENCODINGS {
        let written = |count| {
            let mut writer = NetworkWriter::with_encoding(encoding);
            writer.write(&value(count));
            assert_eq!(writer.error(), None);
            writer.as_bytes().to_vec()
        };
        let bytes = written(most * 2);
        let mut kind = None;
        let memory = measure(|| {
            let read = NetworkReader::with_encoding(&bytes, encoding).read::<T>();
            kind = read.err().map(|error| error.kind());
        });
        let refused = matches!(kind, Some(ReadErrorKind::TooMuchMemory { .. }));
        assert!(refused, "{encoding:?}: {kind:?}");
        assert!(memory.bytes_max < 32 << 20, "{memory:?}");
        let bytes = written(most / 2);
        assert!(
            NetworkReader::with_encoding(&bytes, encoding)
                .read::<T>()
                .is_ok()
        );
    }
}

type Wide = FixedString<2000>;

fn keys(count: usize) -> impl Iterator<Item = u32> {
    0..u32::try_from(count).unwrap()
}

fn named(key: u32) -> Wide {
    Wide::truncated(&format!("{key:09}"))
}

/// Finding 2: an element counts with its size in memory.
#[test]
fn small_bytes_of_large_values_meet_the_limit_of_memory() {
    // 8 MiB and 32 times the bytes.
    let most = (8 << 20) / size_of::<Wide>();
    amplified(|count| vec![Wide::new(); count], most);
    amplified(|count| vec![None::<[f64; 256]>; count], most);
    amplified(|count| vec![Some(Box::new(Wide::new())); count], most);
    amplified(|count| vec![vec![Wide::new(); 4]; count / 4], most);
    let entries = |count| keys(count).map(|key| (key, Wide::new()));
    amplified(|count| entries(count).collect::<BTreeMap<_, _>>(), most / 2);
    amplified(|count| entries(count).collect::<HashMap<_, _>>(), most / 2);
    amplified(
        |count| keys(count).map(named).collect::<BTreeSet<_>>(),
        most / 2,
    );
    let hashed = |count| keys(count).map(named).collect::<HashSet<_>>();
    amplified(hashed, most / 2);
    amplified(
        |count| Postcard(vec![FixedString4096::new(); count / 2]),
        most / 2,
    );
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Expression {
    Number(i32),
    Sum { left: Box<Self>, right: Box<Self> },
    Negation(Box<Self>),
}

/// Reads a value of a depth; `bytes` are written by hand, as no program would.
fn read_deep<T: SyncValue>(bytes: &[u8], encoding: Encoding) -> Result<T, ReadErrorKind> {
    let read = NetworkReader::with_encoding(bytes, encoding).read::<T>();
    read.map_err(|error| error.kind())
}

#[test]
fn deep_values_are_errors_instead_of_a_stack_overflow() {
    /// A type that contains itself, written by hand.
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Tree(Vec<Tree>);

    impl SyncValue for Tree {
        const SCHEMA: TypeSchema = TypeSchema::Named("Tree");

        fn write(&self, writer: &mut NetworkWriter) {
            writer.write(&self.0);
        }
        fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
            reader.read().map(Self)
        }
        fn same(&self, other: &Self) -> bool {
            self == other
        }
    }

    /// A list of serde's types, each node in a box.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Chain(Option<Box<Chain>>);

    let limit = Limits::default().max_depth;
    let deep = |depth: usize| [vec![1; depth], vec![0]].concat();
    let tree = |depth| read_deep::<Tree>(&deep(depth), Encoding::Compact);
    assert_eq!(tree(60_000), Err(ReadErrorKind::TooDeep));
    assert!(tree(limit / 2).is_ok());
    // A byte array of postcard: its length, and a 1 before each node.
    let packed = |bytes: Vec<u8>| {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        writer.write(&bytes);
        writer.as_bytes().to_vec()
    };
    let chain = |depth| read_deep::<Postcard<Chain>>(&packed(deep(depth)), Encoding::Compact);
    assert_eq!(chain(60_000), Err(ReadErrorKind::TooDeep));
    assert!(chain(limit / 2).is_ok());
    let negations = |depth| {
        let bytes = [vec![2; depth], vec![0, 2]].concat();
        read_deep::<Postcard<Expression>>(&packed(bytes), Encoding::Compact)
    };
    assert_eq!(negations(60_000), Err(ReadErrorKind::TooDeep));
    let sums = [vec![1; 60_000], vec![0, 2]].concat();
    let sums = read_deep::<Postcard<Expression>>(&packed(sums), Encoding::Compact);
    assert_eq!(sums, Err(ReadErrorKind::TooDeep));
    assert!(negations(limit / 2).is_ok());
}

#[test]
fn postcard_elements_without_bytes_meet_the_limit_of_work() {
    let count = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    let bytes = [&[9][..], &count].concat();
    let kind = read_deep::<Postcard<Vec<()>>>(&bytes, Encoding::Compact).unwrap_err();
    assert!(matches!(kind, ReadErrorKind::TooMuchWork { .. }), "{kind}");
}

/// Every kind of serde's values passes the limits unchanged.
#[test]
fn postcard_values_of_every_kind_come_back_within_the_limits() {
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Unit;
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Newtype(u64);
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Pair(i8, char);
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Unit,
        Newtype(String),
        Tuple(f32, f64),
        Struct { text: String, bytes: Vec<u8> },
    }
    fn comes_back<T>(value: T)
    where
        T: Clone
            + Debug
            + PartialEq
            + Send
            + Sync
            + 'static
            + Serialize
            + for<'de> Deserialize<'de>,
    {
        let mut writer = NetworkWriter::new();
        let sent = Postcard(value);
        writer.write(&sent);
        let back: Postcard<T> = NetworkReader::new(writer.as_bytes()).read().unwrap();
        assert_eq!(back.into_inner(), sent.into_inner());
    }
    comes_back((Unit, Newtype(7), Pair(-1, 'あ'), (), true));
    comes_back((i8::MIN, i16::MIN, i32::MIN, i64::MIN, i128::MIN));
    comes_back((u8::MAX, u16::MAX, u32::MAX, u64::MAX, u128::MAX));
    comes_back((None::<u8>, Some(Some(3_u8)), [1_u16; 4]));
    comes_back(vec![
        Kind::Unit,
        Kind::Newtype("a".into()),
        Kind::Tuple(0.5, -2.0),
        Kind::Struct {
            text: "b".into(),
            bytes: vec![1, 2],
        },
    ]);
    comes_back(BTreeMap::from([
        (1_u8, vec!["x".to_string()]),
        (2, Vec::new()),
    ]));
    comes_back(vec![Box::new(Expression::Sum {
        left: Box::new(Expression::Number(1)),
        right: Box::new(Expression::Negation(Box::new(Expression::Number(2)))),
    })]);
}
