//! Encodings that are chosen for a field: what is on the wire, what it may be off by, and that nothing
//! is sent that makes no difference.
//!
//! Lesson 26: zigzag for signed integers, and fixed width, can be chosen. Lesson 28: quantised floats,
//! ranges, bit counts, and the comparison is made on the quantised value.
#![expect(
    clippy::float_cmp,
    reason = "what is decoded is one float and no other"
)]

mod bounds;
mod changes;
mod integers;
mod refused;
mod shapes;

use std::fmt::Debug;

use syncvar::prelude::*;
use syncvar::{
    codec::{Half, Quantized, SyncCodec},
    wire::{Encoding, NetworkReader, NetworkWriter},
};

/// From -500 to 500 in steps of 0.1.
type Metres = Quantized<-500, 500, 10>;

/// A behaviour with fields in steps, which writes down what its hook is told.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var(with = Metres, hook = on_x)]
    x: SyncVar<f32>,
    #[sync_var(with = Half)]
    speed: SyncVar<f32>,
    #[sync_var]
    name: SyncVar<String>,
    log: Vec<(f32, f32)>,
}

impl Unit {
    fn on_x(&mut self, previous: f32) {
        self.log.push((previous, *self.x));
    }
}

/// Writes a value and reads it back, in one dialect; returns the bytes and what was read.
///
/// What is read is written as the same bytes again and counts as the same, and fewer bytes are an
/// error.
fn travel_in<C, T>(dialect: Encoding, value: &T) -> (Vec<u8>, T)
where
    C: SyncCodec<T>,
    T: Clone + Debug + Send + Sync + 'static,
{
    let written = |value: &T| {
        let mut writer = NetworkWriter::with_encoding(dialect);
        C::write(value, &mut writer);
        assert_eq!(writer.error(), None, "{value:?}");
        writer.as_bytes().to_vec()
    };
    let bytes = written(value);
    let mut reader = NetworkReader::with_encoding(&bytes, dialect);
    let read = C::read(&mut reader).expect("it was written");
    reader.finish().expect("all of it is read");
    assert_eq!(written(&read), bytes, "{value:?} became {read:?}");
    assert!(C::same(value, &read), "{value:?} became {read:?}");
    let mut in_place = value.clone();
    let mut reader = NetworkReader::with_encoding(&bytes, dialect);
    C::read_in_place(&mut in_place, &mut reader).expect("it was written");
    assert_eq!(written(&in_place), bytes);
    for length in 0..bytes.len() {
        let mut reader = NetworkReader::with_encoding(&bytes[..length], dialect);
        assert!(C::read(&mut reader).is_err(), "cut to {length} bytes");
    }
    (bytes, read)
}

/// The same for a codec whose bytes are the same in every dialect.
fn travel<C, T>(value: &T) -> (Vec<u8>, T)
where
    C: SyncCodec<T>,
    T: Clone + Debug + Send + Sync + 'static,
{
    let (unet, read) = travel_in::<C, T>(Encoding::Unet, value);
    for dialect in [Encoding::Compact, Encoding::Mirror] {
        assert_eq!(travel_in::<C, T>(dialect, value).0, unet);
    }
    (unet, read)
}
