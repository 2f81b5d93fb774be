//! Work and memory of received changes.

use std::cell::Cell;
use std::hash::{Hash, Hasher};

use allocation_counter::measure;
use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::SyncValue;
use syncvar::limits::{Limits, ReadBudget};
use syncvar::prelude::*;
use syncvar::values::FixedString4096;
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind};
use syncvar::{SyncField, fields::HookField, schema::TypeSchema, wire::ReadError};
use syncvar_testing::cases;

const ENCODINGS: [Encoding; 3] = [Encoding::Unet, Encoding::Compact, Encoding::Mirror];

/// An operation on a list of numbers.
#[derive(Clone, Debug)]
enum Op {
    Add(u64),
    Insert(usize, u64),
    RemoveAt(usize),
    Set(usize, u64),
    Splice(usize, usize, Vec<u64>),
    Remove(Vec<(usize, usize)>),
    Clear,
}

impl Op {
    /// Applies the operation to a model. Positions are taken modulo the length.
    fn apply(self, model: &mut Vec<u64>) -> Option<Self> {
        let length = model.len();
        let at = |index: usize| index.checked_rem(length);
        Some(match self {
            Self::Add(value) => {
                model.push(value);
                Self::Add(value)
            }
            Self::Insert(index, value) => {
                model.insert(at(index)?, value);
                Self::Insert(at(index)?, value)
            }
            Self::RemoveAt(index) => {
                model.remove(at(index)?);
                Self::RemoveAt(at(index)?)
            }
            Self::Set(index, value) => {
                model[at(index)?] = value;
                Self::Set(at(index)?, value)
            }
            Self::Splice(index, count, values) => {
                let index = at(index)?;
                let count = count.min(length - index);
                model.splice(index..index + count, values.clone());
                Self::Splice(index, count, values)
            }
            Self::Remove(runs) => {
                let mut index = 0;
                let mut fitting = Vec::new();
                for (stay, go) in runs {
                    if index + stay + go <= model.len() {
                        index += stay;
                        model.drain(index..index + go);
                        fitting.push((stay, go));
                    }
                }
                (!fitting.is_empty()).then_some(Self::Remove(fitting))?
            }
            Self::Clear => {
                model.clear();
                Self::Clear
            }
        })
    }

    fn write(&self, writer: &mut NetworkWriter) {
        let mirror = writer.encoding() == Encoding::Mirror;
        let numbers: [u8; 5] = if mirror {
            [0, 2, 3, 1, 4]
        } else {
            [0, 2, 4, 5, 1]
        };
        let [add, insert, remove_at, set, clear] = numbers;
        match self {
            Self::Add(value) => {
                head(add, 0, writer, false);
                writer.write(value);
            }
            Self::Insert(index, value) => {
                head(insert, *index, writer, true);
                writer.write(value);
            }
            Self::RemoveAt(index) => head(remove_at, *index, writer, true),
            Self::Set(index, value) => {
                head(set, *index, writer, true);
                writer.write(value);
            }
            Self::Splice(index, count, values) => {
                head(6, *index, writer, true);
                writer.write(&u64::try_from(*count).unwrap());
                writer.write(values);
            }
            Self::Remove(runs) => {
                head(7, runs.len(), writer, true);
                for (stay, go) in runs {
                    writer.write(&u64::try_from(*stay).unwrap());
                    writer.write(&u64::try_from(*go).unwrap());
                }
            }
            Self::Clear => head(clear, 0, writer, false),
        }
    }
}

/// Number and position of an operation.
fn head(number: u8, index: usize, writer: &mut NetworkWriter, has_index: bool) {
    let index = u64::try_from(index).unwrap();
    match writer.encoding() {
        Encoding::Unet => {
            writer.write_u8(number);
            writer.write_packed_u64(index);
        }
        Encoding::Compact => writer.write(&(index << 3 | u64::from(number))),
        _ => {
            writer.write_u8(number);
            if has_index {
                writer.write_u32(index.try_into().unwrap());
            }
        }
    }
}

fn delta_of(ops: &[Op], encoding: Encoding) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(encoding);
    match encoding {
        Encoding::Mirror => writer.write_u32(ops.len().try_into().unwrap()),
        _ => writer.write(&u64::try_from(ops.len()).unwrap()),
    }
    for op in ops {
        op.write(&mut writer);
    }
    writer.as_bytes().to_vec()
}

fn budget(work: usize) -> ReadBudget {
    ReadBudget {
        work,
        ..ReadBudget::UNLIMITED
    }
}

/// Reads a delta. Returns the work it took.
fn work_of(field: &mut impl SyncField, bytes: &[u8], encoding: Encoding) -> usize {
    let limit = usize::MAX / 2;
    let mut reader = NetworkReader::with_encoding(bytes, encoding).with_budget(budget(limit));
    field.read_delta(&mut reader).unwrap();
    reader.finish().unwrap();
    limit - reader.budget().work
}

fn op() -> impl Strategy<Value = Op> {
    let (index, value) = (0..10_000_usize, any::<u64>());
    prop_oneof![
        3 => value.prop_map(Op::Add),
        6 => (index.clone(), value).prop_map(|(index, value)| Op::Insert(index, value)),
        6 => index.clone().prop_map(Op::RemoveAt),
        3 => (index.clone(), value).prop_map(|(index, value)| Op::Set(index, value)),
        3 => (index, 0..50_usize, vec(value, 0..20))
            .prop_map(|(index, count, values)| Op::Splice(index, count, values)),
        3 => vec((0..400_usize, 1..40_usize), 1..6).prop_map(Op::Remove),
        1 => Just(Op::Clear),
    ]
}

fn replay(model: &mut Vec<u64>, changes: Vec<ListChange<u64>>) {
    for change in changes {
        match change {
            ListChange::Add { index, value } => {
                assert_eq!(index, model.len());
                model.push(value);
            }
            ListChange::Insert { index, value } => model.insert(index, value),
            ListChange::Set {
                index,
                previous,
                value,
            } => assert_eq!(std::mem::replace(&mut model[index], value), previous),
            ListChange::RemoveAt { index, previous } => assert_eq!(model.remove(index), previous),
            ListChange::Clear { previous } => assert_eq!(std::mem::take(model), previous),
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn long_list_equals_a_vec_after_any_operations(
        ops in vec(op(), 1..60),
        length in 0..3000_u64,
        encoding in prop::sample::select(ENCODINGS.to_vec()),
    ) {
        let content: Vec<u64> = (0..length).collect();
        let mut model = content.clone();
        let is_mirrors = |op: &Op| !matches!(op, Op::Splice(..) | Op::Remove(_));
        let ops = ops.into_iter().filter(|op| encoding != Encoding::Mirror || is_mirrors(op));
        let ops: Vec<_> = ops.filter_map(|op| op.apply(&mut model)).collect();
        prop_assume!(!ops.is_empty());
        let bytes = delta_of(&ops, encoding);
        let mut list = SyncList::from(content.clone());
        work_of(&mut list, &bytes, encoding);
        prop_assert_eq!(&list, &model);
        let mut hooked = SyncList::from(content.clone());
        let mut reader = NetworkReader::with_encoding(&bytes, encoding);
        let told = hooked.read_delta_with_previous(&mut reader).unwrap();
        prop_assert_eq!(&hooked, &model);
        let mut replayed = content;
        replay(&mut replayed, told.unwrap_or_default());
        prop_assert_eq!(&replayed, &model);
    }
}

/// Finding 1: many operations at one place cost the length once, not each.
#[test]
fn runs_of_operations_cost_the_list_once() {
    const LENGTH: usize = 100_000;
    let inserts = vec![Op::Insert(0, 1); 10_000];
    let removals = vec![Op::RemoveAt(0); 10_000];
    let both = alternating([Op::Insert(0, 1), Op::RemoveAt(0)]);
    let ends = alternating([Op::Insert(0, 1), Op::Add(1)]);
    let splices = alternating([Op::Splice(7, 0, vec![1]), Op::Splice(7, 1, vec![])]);
    let runs = alternating([Op::Insert(0, 1), Op::Remove(vec![(0, 1)])]);
    let middle = (0..10_000).map(|index| Op::Insert(LENGTH / 2 + index, 1));
    let backwards = (0..10_000).map(|index| Op::RemoveAt(LENGTH / 2 - index));
    let all = [
        inserts,
        removals,
        both,
        ends,
        middle.collect(),
        backwards.collect(),
    ];
    for encoding in ENCODINGS {
        let own: &[_] = if encoding == Encoding::Mirror {
            &[]
        } else {
            &[splices.clone(), runs.clone()]
        };
        for ops in all.iter().chain(own) {
            let mut list: SyncList<u64> = (0..100_000).collect();
            let work = work_of(&mut list, &delta_of(ops, encoding), encoding);
            let once = LENGTH * size_of::<u64>();
            assert!(work < 4 * once + ops.len() * 100, "{work} for {:?}", ops[0]);
        }
    }

    fn alternating(ops: [Op; 2]) -> Vec<Op> {
        std::iter::repeat_n(ops, 5_000).flatten().collect()
    }
}

#[test]
fn distant_operations_meet_the_limit_of_work() {
    let mut ops = Vec::new();
    for index in 0..1000 {
        ops.push(Op::Insert(index, 1));
        ops.push(Op::Insert(50_000, 1));
    }
    for encoding in ENCODINGS {
        let list = || (0..100_000_u64).collect::<SyncList<u64>>();
        let bytes = delta_of(&ops, encoding);
        let work = work_of(&mut list(), &bytes, encoding);
        assert!(work > 2000 * 49_000 * 8, "{work}");
        let read = |limit, operations: &[Op]| {
            let bytes = delta_of(operations, encoding);
            let mut reader = NetworkReader::with_encoding(&bytes, encoding);
            reader = reader.with_budget(budget(limit));
            let (mut list, result) = (list(), ());
            let read = list.read_delta(&mut reader).map(|()| result);
            (read, list.len())
        };
        let (refused, length) = read(work - 1, &ops);
        let kind = refused.unwrap_err().kind();
        assert!(matches!(kind, ReadErrorKind::TooMuchWork { .. }), "{kind}");
        assert!(length > 101_000, "the list keeps its elements");
        assert!(read(work, &ops[..1000]).0.is_ok(), "half of it is fine");
    }
}

/// Bytes of a delta with a number of equal operations.
fn repeated(operation: &[u8], count: u64) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    writer.write(&count);
    let count = usize::try_from(count).unwrap();
    [writer.as_bytes(), &operation.repeat(count)].concat()
}

/// Reads a delta with the limits of a packet. Returns its error and the most memory.
fn within_limits<F: HookField>(field: &mut F, bytes: &[u8]) -> (Option<ReadErrorKind>, u64) {
    let limits = Limits::default();
    let mut kinds = [None, None];
    let memory = measure(|| {
        let budget = limits.budget(bytes.len(), limits.max_work);
        let reader = || NetworkReader::with_encoding(bytes, Encoding::Compact).with_budget(budget);
        kinds[0] = field
            .read_delta(&mut reader())
            .err()
            .map(|error| error.kind());
        let told = field.read_delta_with_previous(&mut reader());
        kinds[1] = told.err().map(|error| error.kind());
    });
    (kinds[0].or(kinds[1]), memory.bytes_max)
}

/// Finding 2: elements count with their memory, in every collection and with every operation.
#[test]
fn empty_texts_meet_the_limit_of_memory() {
    type Text = FixedString4096;
    let check = |read: &dyn Fn(u64) -> (Option<ReadErrorKind>, u64), most: u64| {
        let (refused, memory) = read(most * 4);
        assert!(
            matches!(refused, Some(ReadErrorKind::TooMuchMemory { .. })),
            "{refused:?}"
        );
        // A `Vec` doubles its memory and holds both halves meanwhile.
        assert!(memory < 64 << 20, "{memory}");
        let (refused, _) = read(most / 2);
        assert_eq!(refused, None);
    };
    let most = (8 << 20) / 4100;
    check(
        &|count| within_limits(&mut SyncList::<Text>::new(), &repeated(&[0, 0], count)),
        most / 2,
    );
    let splice = |count: u64| {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        writer.write_bytes(&[1, 6, 0]);
        writer.write(&vec![Text::new(); count.try_into().unwrap()]);
        within_limits(&mut SyncList::<Text>::new(), writer.as_bytes())
    };
    check(&splice, most / 2);
    let keyed = |count: u64| {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        writer.write(&count);
        for key in 0..count {
            writer.write_u8(0);
            writer.write(&key);
            writer.write(&Text::new());
        }
        within_limits(&mut SyncDictionary::<u64, Text>::new(), writer.as_bytes())
    };
    check(&keyed, most / 2);
    type Read<'a> = dyn FnMut(&[u8]) -> (Option<ReadErrorKind>, u64) + 'a;
    let set = |count: u64, field: &mut Read<'_>| {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        writer.write_u8(0);
        writer.write(&count);
        for key in 0..count {
            writer.write(&Text::truncated(&key.to_string()));
        }
        field(writer.as_bytes())
    };
    check(
        &|count| {
            set(count, &mut |bytes| {
                within_limits(&mut SyncHashSet::<Text>::new(), bytes)
            })
        },
        most / 2,
    );
    check(
        &|count| {
            set(count, &mut |bytes| {
                within_limits(&mut SyncSortedSet::<Text>::new(), bytes)
            })
        },
        most / 2,
    );
}

thread_local! {
    static COMPARISONS: Cell<usize> = const { Cell::new(0) };
}

/// A peer that chooses keys cannot make them collide: the tables have random keys.
#[test]
fn keys_that_collide_without_a_random_key_cost_no_more() {
    /// A number that counts its comparisons.
    #[derive(Clone, Eq, Debug)]
    struct Counted(u64);

    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            COMPARISONS.set(COMPARISONS.get() + 1);
            self.0 == other.0
        }
    }

    impl Hash for Counted {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    impl SyncValue for Counted {
        const SCHEMA: TypeSchema = TypeSchema::Named("Counted");

        fn write(&self, writer: &mut NetworkWriter) {
            writer.write(&self.0);
        }
        fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
            reader.read().map(Self)
        }
        fn same(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }

    /// Inverse of the multiplier of rustc-hash, modulo 2^64: the hashes of its multiples have equal low
    /// bits.
    const INVERSE: u64 = {
        let factor = 0xf135_7aea_2e62_a9c5_u64;
        let mut inverse = factor;
        let mut round = 0;
        while round < 6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)));
            round += 1;
        }
        inverse
    };
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    writer.write_u8(0);
    writer.write(&4000_u64);
    for number in 0..4000_u64 {
        writer.write(&number.wrapping_mul(INVERSE));
    }
    COMPARISONS.set(0);
    let mut set = SyncHashSet::<Counted>::new();
    work_of(&mut set, writer.as_bytes(), Encoding::Compact);
    assert_eq!(set.len(), 4000);
    assert!(COMPARISONS.get() < 4000, "{}", COMPARISONS.get());
}
