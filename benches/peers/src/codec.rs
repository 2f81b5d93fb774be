//! One object of eight fields to bytes and back: a full state, one object per call, into a buffer
//! that is used again.

use std::hint::black_box;
use std::time::Instant;

use bincode::config::{self, Config};
use speedy::{Readable, Writable};
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};
use syncvar::{Framing, NetworkBehaviour};

use crate::plain_unit::PlainUnit;
use crate::rows::{CodecRow, Row};
use crate::support::floor_codec::{ALL_FIELDS, read_fields, write_fields};
use crate::support::random::Random;
use crate::support::replication::label;
use crate::support::workload::{Unit, Values};

const OBJECTS: usize = 1000;
const PASSES: usize = 401;

/// Measures every codec and prints a row for each.
pub(crate) fn run() {
    eprintln!("codecs");
    let mut random = Random::new(1);
    let values: Vec<Values> = (0..OBJECTS).map(|_| Values::random(&mut random)).collect();
    floor(&values);
    syncvar(&values, Framing::Compact);
    syncvar(&values, Framing::Unet);
    let units: Vec<PlainUnit> = values.into_iter().map(PlainUnit::from).collect();
    bincode("bincode 2, standard", "varints", &units, config::standard());
    bincode("bincode 2, legacy", "fixed size", &units, config::legacy());
    postcard(&units);
    bitcode(&units);
    speedy(&units);
}

fn floor(values: &[Values]) {
    let mut replica = Values::default();
    measure(
        "floor",
        "varints by hand; decodes in place",
        values,
        |values, buffer| write_fields(buffer, ALL_FIELDS, values),
        |mut bytes| {
            read_fields(&mut bytes, ALL_FIELDS, &mut replica).expect("it reads itself");
            black_box(&replica);
        },
    );
}

/// Without `measure`, for a `NetworkWriter` has a buffer of its own.
fn syncvar(values: &[Values], framing: Framing) {
    let mut units: Vec<Unit> = values.iter().cloned().map(Unit::from).collect();
    let encoding = match framing {
        Framing::Unet => Encoding::Unet,
        Framing::Compact => Encoding::Compact,
    };
    let mut writer = NetworkWriter::with_encoding(encoding);
    let encode = nanoseconds_per_object(|| {
        writer.truncate(0);
        for unit in &mut units {
            unit.on_serialize(&mut writer, true);
        }
        black_box(writer.as_bytes());
    });
    let decode = nanoseconds_per_object(|| {
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), encoding);
        for unit in &mut units {
            let read = unit.on_deserialize(&mut reader, true);
            read.expect("a behaviour reads what it wrote");
        }
    });
    print(
        label(framing),
        "decodes in place",
        encode,
        decode,
        writer.len(),
    );
}

fn bincode(codec: &str, note: &str, units: &[PlainUnit], format: impl Config) {
    measure(
        codec,
        note,
        units,
        |unit, buffer| {
            bincode::encode_into_std_write(unit, buffer, format).expect("it has a form");
        },
        |bytes| {
            let unit = bincode::decode_from_slice::<PlainUnit, _>(bytes, format);
            black_box(unit.expect("it reads itself"));
        },
    );
}

/// Through a slice, which is faster than `to_extend`.
fn postcard(units: &[PlainUnit]) {
    let mut room = [0; 256];
    measure(
        "postcard 1.1",
        "varints, through serde",
        units,
        |unit, buffer| {
            let bytes = postcard::to_slice(unit, &mut room).expect("it has a form");
            buffer.extend_from_slice(bytes);
        },
        |bytes| {
            black_box(postcard::from_bytes::<PlainUnit>(bytes).expect("it reads itself"));
        },
    );
}

fn bitcode(units: &[PlainUnit]) {
    let mut codec = bitcode::Buffer::new();
    let mut decoder = bitcode::Buffer::new();
    measure(
        "bitcode 0.6",
        "made for columns of many objects",
        units,
        |unit, buffer| buffer.extend_from_slice(codec.encode(unit)),
        |bytes| {
            black_box(decoder.decode::<PlainUnit>(bytes).expect("it reads itself"));
        },
    );
}

fn speedy(units: &[PlainUnit]) {
    measure(
        "speedy 0.8",
        "fixed size",
        units,
        |unit, buffer| unit.write_to_stream(buffer).expect("it has a form"),
        |bytes| {
            black_box(PlainUnit::read_from_buffer(bytes).expect("it reads itself"));
        },
    );
}

/// `encode` appends an object to the buffer, `decode` is handed the bytes of one.
fn measure<T>(
    codec: &str,
    note: &str,
    objects: &[T],
    mut encode: impl FnMut(&T, &mut Vec<u8>),
    mut decode: impl FnMut(&[u8]),
) {
    let mut buffer = Vec::new();
    let mut ends = Vec::with_capacity(objects.len());
    for object in objects {
        encode(object, &mut buffer);
        ends.push(buffer.len());
    }
    let encode = nanoseconds_per_object(|| {
        buffer.clear();
        for object in objects {
            encode(object, &mut buffer);
        }
        black_box(&buffer);
    });
    let decode = nanoseconds_per_object(|| {
        let mut start = 0;
        for &end in &ends {
            decode(&buffer[start..end]);
            start = end;
        }
    });
    print(codec, note, encode, decode, buffer.len());
}

/// The median of many passes over all objects, after some that are not counted.
fn nanoseconds_per_object(mut pass: impl FnMut()) -> f64 {
    for _ in 0..PASSES / 10 {
        pass();
    }
    let mut times: Vec<f64> = (0..PASSES)
        .map(|_| {
            let start = Instant::now();
            pass();
            start.elapsed().as_secs_f64() * 1e9 / OBJECTS as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[PASSES / 2]
}

fn print(codec: &str, note: &str, encode: f64, decode: f64, bytes: usize) {
    let row = CodecRow {
        codec: codec.into(),
        encode_nanoseconds: encode,
        decode_nanoseconds: decode,
        bytes: bytes as f64 / OBJECTS as f64,
        note: note.into(),
    };
    Row::Codec(row).print();
}
