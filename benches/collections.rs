//! Time and bytes of an operation on a collection, for several sizes.
//!
//! A pass is 64 operations on a collection that clients know, each written as one delta, and the reading
//! of these deltas by a client. `Vec` is the cost of the operations alone. The bytes of each operation
//! are printed first.

mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use syncvar::{
    SyncDictionary, SyncField, SyncList,
    wire::{Encoding, NetworkReader, NetworkWriter},
};

use support::random::Random;

const SIZES: [u32; 3] = [10, 1_000, 100_000];
const OPERATIONS: u32 = 64;

/// Operation on a list. The list keeps about the same length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Append,
    Set,
    Remove,
}

impl Operation {
    const ALL: [Self; 3] = [Self::Append, Self::Set, Self::Remove];

    fn name(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Set => "set",
            Self::Remove => "remove",
        }
    }

    /// Returns the initial length for a pass that has `size` elements when it is measured.
    fn start(self, size: u32) -> u32 {
        match self {
            Self::Remove => size + OPERATIONS,
            Self::Append | Self::Set => size,
        }
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    println!("bytes of an operation as a change of a field, `Compact` and `Unet`");
    for size in SIZES {
        for operation in Operation::ALL {
            let [compact, unet] = [Encoding::Compact, Encoding::Unet].map(|encoding| {
                let deltas = deltas(&list(operation.start(size)), operation, encoding);
                let bytes: usize = deltas.iter().map(Vec::len).sum();
                let bytes = u32::try_from(bytes).expect("few bytes");
                // UNet limits lists to 65 535 elements.
                let is_possible = encoding == Encoding::Compact || size <= 65_535;
                is_possible.then(|| f64::from(bytes) / f64::from(OPERATIONS))
            });
            let name = operation.name();
            let text = |bytes: Option<f64>| bytes.map_or("-".into(), |bytes| format!("{bytes:.2}"));
            let (compact, unet) = (text(compact), text(unet));
            println!("  list of {size:>6}, {name:<6} {compact:>5} {unet:>5}");
        }
    }
    for operation in Operation::ALL {
        measure_list(&mut criterion, operation);
    }
    measure_dictionary(&mut criterion);
    criterion.final_summary();
}

/// Returns a list that clients know.
fn list(size: u32) -> SyncList<u32> {
    let mut list: SyncList<u32> = (0..size).collect();
    list.clear_dirty();
    list
}

/// Runs the operation at a random position of the list.
fn operate(list: &mut SyncList<u32>, operation: Operation, random: &mut Random) {
    let index = somewhere(list.len(), random);
    match operation {
        Operation::Append => list.push(7),
        Operation::Set => {
            list.set(index, 200_000 + random.below(1000));
        }
        Operation::Remove => {
            list.remove(index);
        }
    }
}

/// Runs the operation on a `Vec`.
fn operate_plainly(items: &mut Vec<u32>, operation: Operation, random: &mut Random) {
    let index = somewhere(items.len(), random);
    match operation {
        Operation::Append => items.push(7),
        Operation::Set => items[index] = 200_000 + random.below(1000),
        Operation::Remove => {
            black_box(items.remove(index));
        }
    }
}

fn somewhere(length: usize, random: &mut Random) -> usize {
    random.below(u32::try_from(length).expect("short lists")) as usize
}

/// Returns the deltas of a pass, one per operation.
fn deltas(list: &SyncList<u32>, operation: Operation, encoding: Encoding) -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    let mut list = list.clone();
    list.clear_dirty();
    let delta = |_| {
        operate(&mut list, operation, &mut random);
        let mut writer = NetworkWriter::with_encoding(encoding);
        list.write_delta(&mut writer);
        list.clear_dirty();
        writer.as_bytes().to_vec()
    };
    (0..OPERATIONS).map(delta).collect()
}

fn measure_list(criterion: &mut Criterion, operation: Operation) {
    let mut group = criterion.benchmark_group(format!("list {}", operation.name()));
    group.throughput(Throughput::Elements(OPERATIONS.into()));
    for size in SIZES {
        let start = list(operation.start(size));
        group.bench_function(BenchmarkId::new("Vec", size), |bencher| {
            bencher.iter_batched_ref(
                || (start.to_vec(), Random::new(1)),
                |(items, random)| {
                    for _ in 0..OPERATIONS {
                        operate_plainly(items, operation, random);
                    }
                },
                BatchSize::LargeInput,
            );
        });
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        group.bench_function(BenchmarkId::new("server", size), |bencher| {
            bencher.iter_batched_ref(
                || {
                    let mut list = start.clone();
                    list.clear_dirty();
                    (list, Random::new(1))
                },
                |(list, random)| {
                    for _ in 0..OPERATIONS {
                        operate(list, operation, random);
                        writer.truncate(0);
                        list.write_delta(&mut writer);
                        list.clear_dirty();
                    }
                },
                BatchSize::LargeInput,
            );
        });
        let deltas = deltas(&start, operation, Encoding::Compact);
        group.bench_function(BenchmarkId::new("client", size), |bencher| {
            bencher.iter_batched_ref(
                || start.clone(),
                |replica| apply(replica, &deltas),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

fn apply(replica: &mut impl SyncField, deltas: &[Vec<u8>]) {
    for delta in deltas {
        let mut reader = NetworkReader::with_encoding(delta, Encoding::Compact);
        replica.read_delta(&mut reader).expect("it was written");
    }
}

/// Returns a dictionary that clients know.
fn dictionary(size: u32) -> SyncDictionary<u32, u32> {
    let mut map: SyncDictionary<u32, u32> = (0..size).map(|key| (key, key)).collect();
    map.clear_dirty();
    map
}

/// Inserts and removes one key per step; passes each delta to `sent`.
fn churn(map: &mut SyncDictionary<u32, u32>, size: u32, mut sent: impl FnMut(&[u8])) {
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    for key in size..size + OPERATIONS {
        map.insert(key, key);
        map.remove(&(key - size));
        writer.truncate(0);
        map.write_delta(&mut writer);
        map.clear_dirty();
        sent(writer.as_bytes());
    }
}

fn measure_dictionary(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("dictionary put and remove");
    group.throughput(Throughput::Elements(u64::from(OPERATIONS) * 2));
    for size in SIZES {
        let start = dictionary(size);
        group.bench_function(BenchmarkId::new("server", size), |bencher| {
            bencher.iter_batched_ref(
                || {
                    let mut map = start.clone();
                    map.clear_dirty();
                    map
                },
                |map| {
                    churn(map, size, |bytes| {
                        black_box(bytes);
                    });
                },
                BatchSize::LargeInput,
            );
        });
        let mut deltas = Vec::new();
        churn(&mut dictionary(size), size, |bytes| {
            deltas.push(bytes.to_vec());
        });
        group.bench_function(BenchmarkId::new("client", size), |bencher| {
            bencher.iter_batched_ref(
                || start.clone(),
                |replica| apply(replica, &deltas),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}
