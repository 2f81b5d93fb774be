//! Encoding and decoding of a behaviour with eight fields, in reused memory.
//!
//! A pass is 1000 distinct objects, so a microsecond in the report is a nanosecond per object. The
//! floor writes and reads the same values as variable-length integers, by hand; the encoding
//! `Compact` has the same bytes. A snapshot has all fields; a delta has the dirty mask and the dirty
//! fields.

mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use syncvar::{
    Framing, NetworkBehaviour,
    behaviour::BehaviourFields,
    wire::{NetworkReader, NetworkWriter},
};

use support::floor_codec::{
    ALL_FIELDS, HEALTH, read_delta, read_fields, write_delta, write_fields,
};
use support::random::Random;
use support::replication::label;
use support::workload::{Unit, Values};

const OBJECTS: usize = 1000;

/// Content of the bytes: all fields without a mask, or a mask and its fields.
#[derive(Clone, Copy, Debug)]
enum State {
    Full,
    Delta(u64),
}

impl State {
    fn is_full(self) -> bool {
        matches!(self, Self::Full)
    }
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
        for encoding in [Framing::Compact, Framing::Unet] {
            measure_syncvar(&mut criterion, name, state, encoding, values.clone());
        }
    }
    criterion.final_summary();
}

fn measure_floor(criterion: &mut Criterion, name: &str, state: State, mut values: Vec<Values>) {
    let mut buffer = Vec::new();
    let id = BenchmarkId::new("floor", name);
    let mut group = criterion.benchmark_group("codec/encode");
    group.bench_function(id.clone(), |bencher| {
        bencher.iter(|| encode_values(&values, state, &mut buffer));
    });
    group.finish();
    // Encodes again: a filter may have skipped the benchmark above.
    encode_values(&values, state, &mut buffer);
    let mut group = criterion.benchmark_group("codec/decode");
    group.bench_function(id, |bencher| {
        bencher.iter(|| decode_values(&mut values, state, &buffer));
    });
    group.finish();
}

fn encode_values(values: &[Values], state: State, buffer: &mut Vec<u8>) {
    buffer.clear();
    for values in values {
        match state {
            State::Full => write_fields(buffer, ALL_FIELDS, values),
            State::Delta(mask) => write_delta(buffer, mask, values),
        }
    }
    black_box(buffer);
}

fn decode_values(values: &mut [Values], state: State, mut bytes: &[u8]) {
    for values in values {
        let read = match state {
            State::Full => read_fields(&mut bytes, ALL_FIELDS, values),
            State::Delta(_) => read_delta(&mut bytes, values),
        };
        read.expect("the floor reads itself");
    }
}

fn measure_syncvar(
    criterion: &mut Criterion,
    name: &str,
    state: State,
    encoding: Framing,
    values: Vec<Values>,
) {
    let mut units: Vec<Unit> = values.into_iter().map(Unit::from).collect();
    if let State::Delta(mask) = state {
        for unit in &mut units {
            unit.set_dirty_bit(mask);
        }
    }
    let mut writer = NetworkWriter::with_encoding(encoding.encoding());
    let id = BenchmarkId::new(label(encoding), name);
    let mut group = criterion.benchmark_group("codec/encode");
    group.bench_function(id.clone(), |bencher| {
        bencher.iter(|| encode_units(&mut units, state, &mut writer));
    });
    group.finish();
    encode_units(&mut units, state, &mut writer);
    let mut group = criterion.benchmark_group("codec/decode");
    group.bench_function(id, |bencher| {
        bencher.iter(|| decode_units(&mut units, state, &writer));
    });
    group.finish();
}

fn encode_units(units: &mut [Unit], state: State, writer: &mut NetworkWriter) {
    writer.truncate(0);
    for unit in units {
        unit.on_serialize(writer, state.is_full());
    }
    black_box(writer.as_bytes());
}

fn decode_units(units: &mut [Unit], state: State, writer: &NetworkWriter) {
    let mut reader = NetworkReader::with_encoding(writer.as_bytes(), writer.encoding());
    for unit in units {
        let read = unit.on_deserialize(&mut reader, state.is_full());
        read.expect("a behaviour reads what it wrote");
    }
}
