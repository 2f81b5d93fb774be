//! One behaviour of eight fields to bytes and back, in memory that is used again.
//!
//! A pass is 1000 distinct objects, so a microsecond in the report is a nanosecond per object. The
//! floor writes and reads the same values as variable-length integers, by hand. A full state is all
//! fields; a delta is the dirty mask and the fields that are in it.

mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use syncvar::{NetworkBehaviour, NetworkReader, NetworkWriter};

use support::floor_codec::{
    ALL_FIELDS, HEALTH, read_delta, read_fields, write_delta, write_fields,
};
use support::random::Random;
use support::workload::{Unit, Values};

const OBJECTS: usize = 1000;

/// What becomes bytes: all fields without a mask, or a mask and its fields.
#[derive(Clone, Copy, Debug)]
enum State {
    Full,
    Delta(u64),
}

const STATES: [(&str, State); 3] = [
    ("full", State::Full),
    ("delta of one field", State::Delta(HEALTH)),
    ("delta of all fields", State::Delta(ALL_FIELDS)),
];

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut random = Random::new(1);
    let values: Vec<Values> = (0..OBJECTS).map(|_| Values::random(&mut random)).collect();
    for (name, state) in STATES {
        measure_floor(&mut criterion, name, state, values.clone());
        measure_syncvar(&mut criterion, name, state, values.clone());
    }
    criterion.final_summary();
}

fn measure_floor(criterion: &mut Criterion, name: &str, state: State, mut values: Vec<Values>) {
    let mut buffer = Vec::new();
    let mut group = criterion.benchmark_group("codec/encode");
    group.bench_function(BenchmarkId::new("floor", name), |bencher| {
        bencher.iter(|| {
            buffer.clear();
            for values in &values {
                match state {
                    State::Full => write_fields(&mut buffer, ALL_FIELDS, values),
                    State::Delta(mask) => write_delta(&mut buffer, mask, values),
                }
            }
            black_box(&buffer);
        });
    });
    group.finish();
    let mut group = criterion.benchmark_group("codec/decode");
    group.bench_function(BenchmarkId::new("floor", name), |bencher| {
        bencher.iter(|| {
            let mut bytes = &buffer[..];
            for values in &mut values {
                let read = match state {
                    State::Full => read_fields(&mut bytes, ALL_FIELDS, values),
                    State::Delta(_) => read_delta(&mut bytes, values),
                };
                read.expect("the floor reads itself");
            }
        });
    });
    group.finish();
}

fn measure_syncvar(criterion: &mut Criterion, name: &str, state: State, values: Vec<Values>) {
    let mut units: Vec<Unit> = values.into_iter().map(Unit::from).collect();
    let initial_state = match state {
        State::Full => true,
        State::Delta(mask) => {
            for unit in &mut units {
                unit.set_dirty_bit(mask);
            }
            false
        }
    };
    let mut writer = NetworkWriter::new();
    let mut group = criterion.benchmark_group("codec/encode");
    group.bench_function(BenchmarkId::new("syncvar", name), |bencher| {
        bencher.iter(|| {
            writer.truncate(0);
            for unit in &mut units {
                unit.on_serialize(&mut writer, initial_state);
            }
            black_box(writer.as_bytes());
        });
    });
    group.finish();
    let mut group = criterion.benchmark_group("codec/decode");
    group.bench_function(BenchmarkId::new("syncvar", name), |bencher| {
        bencher.iter(|| {
            let mut reader = NetworkReader::new(writer.as_bytes());
            for unit in &mut units {
                let read = unit.on_deserialize(&mut reader, initial_state);
                read.expect("a behaviour reads what it wrote");
            }
        });
    });
    group.finish();
}
