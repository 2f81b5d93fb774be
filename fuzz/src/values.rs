//! Bytes of a value, in each type, codec and encoding.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use syncvar::SyncValue;
use syncvar::codec::{Bits, Fixed, Half, Quantized, SmallestThree, ZigZag};
use syncvar::limits::Limits;
use syncvar::prelude::*;
use syncvar::unet::{ListHash, SyncListMessage};
use syncvar::values::{
    Color, Color32, Decimal, LayerMask, Matrix4x4, NetworkHash128, OaDate, Plane, Postcard,
    Quaternion, Ray, Ray2D, Rect, Vector2, Vector2Int, Vector3, Vector3Int, Vector4,
};
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};
use syncvar::{NetworkSceneId, codec::SyncCodec};

use crate::limits::bounded;
use crate::objects::{Body, Empty, Item, Kind, Tree};

/// Encodings by number.
pub const ENCODINGS: [Encoding; 3] = [Encoding::Unet, Encoding::Compact, Encoding::Mirror];

/// Value with serde's formats.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Foreign {
    list: Vec<Option<String>>,
    map: BTreeMap<i16, char>,
    pair: (f64, bool),
}

/// Type of a table of values.
type Check = fn(&[u8], Encoding);

macro_rules! table {
    ($($type:ty),* ; $($codec:ty: $of:ty),* $(,)?) => {
        const CHECKS: &[Check] = &[$(value::<$type>,)* $(codec::<$codec, $of>,)* list_message::<u32>, list_message::<String>];

        /// Names of the types, in the order of their numbers.
        pub const NAMES: &[&str] = &[$(stringify!($type),)* $(stringify!($codec: $of),)* "list of u32", "list of String"];
    };
}

table! {
    u8, i8, u16, i16, u32, i32, u64, i64, u128, i128, f32, f64, bool, char, String, Bytes, Duration,
    NonZeroU32, Option<u32>, Option<String>, Option<Vec<u8>>, Option<bool>, Vec<u8>, Vec<String>,
    Vec<Vec<Vec<u8>>>, Vec<f32>, Vec<bool>, Vec<Empty>, [u16; 3], [Option<u8>; 2], (u8, String), Empty, Box<i32>,
    BTreeMap<u16, String>, BTreeSet<i32>, HashMap<u8, u64>, HashSet<String>, Decimal, OaDate,
    Matrix4x4, Plane, Ray, Ray2D, Rect, Color, Color32, LayerMask, Quaternion, Vector2, Vector2Int,
    Vector3, Vector3Int, Vector4, NetId, NetRef, BehaviourRef<Body>, NetworkHash128,
    NetworkSceneId, FixedString32, FixedString128, uuid::Uuid, Postcard<Foreign>, glam::Vec3,
    glam::Quat, mint::Vector2<f32>, Item, Kind, Vec<Item>, Option<Kind>, Vec<FixedString4096>,
    Vec<Option<[f64; 64]>>, Postcard<Tree>;
    Bits<1>: u8, Bits<12>: u16, Bits<20>: i32, Bits<33>: u64, Fixed: u32, Fixed: i64, Fixed: char,
    ZigZag: i32, ZigZag: i64, Half: f32, Half: f64, Half: Vector3, Quantized<-500, 500, 100>: f32,
    Quantized<0, 1, 1>: Vector2, Quantized<-30_000, 30_000, 4>: f64, SmallestThree: Quaternion,
}

/// Reads a list message of UNet.
fn list_message<T: SyncValue + Default + PartialEq>(bytes: &[u8], _: Encoding) {
    let mut reader = reader(bytes, Encoding::Unet);
    let hash = ListHash::peek(&reader);
    let read = bounded(bytes.len(), || SyncListMessage::<T>::read(&mut reader));
    let Ok(message) = read else {
        return;
    };
    assert_eq!(hash, Ok((message.net_id, message.list_hash)));
    let mut list = SyncList::from(vec![T::default(); 3]);
    let _ = message.operation.clone().apply(&mut list);
    let written = write(Encoding::Unet, |writer| message.write(writer));
    let written = written.expect("a message that was read");
    let again = SyncListMessage::<T>::read(&mut NetworkReader::new(&written));
    let again = again.expect("a written message");
    assert_eq!(
        write(Encoding::Unet, |writer| again.write(writer)),
        Some(written)
    );
}

/// Runs an input: the number of a type, the number of an encoding, the bytes of a value.
///
/// # Panics
///
/// When a value that was read cannot be written and read again.
pub fn run(bytes: &[u8]) {
    let [number, encoding, bytes @ ..] = bytes else {
        return;
    };
    let check = CHECKS[usize::from(*number) % CHECKS.len()];
    let encoding = ENCODINGS[usize::from(*encoding) % ENCODINGS.len()];
    check(bytes, encoding);
}

fn value<T: SyncValue>(bytes: &[u8], encoding: Encoding) {
    let mut reader = reader(bytes, encoding);
    let Ok(read) = bounded(bytes.len(), || reader.read::<T>()) else {
        return;
    };
    assert!(reader.position() <= bytes.len());
    let written = write(encoding, |writer| writer.write(&read));
    let Some(written) = written else {
        return;
    };
    let mut reader = NetworkReader::with_encoding(&written, encoding);
    let again = reader.read::<T>().expect("a written value");
    reader.finish().expect("all bytes of a written value");
    assert!(again.same(&read), "another value");
    assert_eq!(
        write(encoding, |writer| writer.write(&again)),
        Some(written.clone())
    );
    // The same bytes change an existing value to the same value.
    let mut reader = self::reader(bytes, encoding);
    let mut changed = again;
    let previous = changed
        .read_with_previous(&mut reader)
        .expect("the same bytes");
    assert!(
        changed.same(&read) && previous.is_none(),
        "another value in place"
    );
}

fn codec<C: SyncCodec<T>, T: Clone + Send + Sync + 'static>(bytes: &[u8], encoding: Encoding) {
    let mut reader = reader(bytes, encoding);
    let Ok(read) = C::read(&mut reader) else {
        return;
    };
    let Some(written) = write(encoding, |writer| C::write(&read, writer)) else {
        return;
    };
    let mut reader = NetworkReader::with_encoding(&written, encoding);
    let again = C::read(&mut reader).expect("a written value");
    reader.finish().expect("all bytes of a written value");
    assert!(C::same(&again, &read), "another value");
    assert_eq!(
        write(encoding, |writer| C::write(&again, writer)),
        Some(written)
    );
}

/// Returns a reader with the limits of a packet.
pub fn reader(bytes: &[u8], encoding: Encoding) -> NetworkReader<'_> {
    let limits = Limits::default();
    let budget = limits.budget(bytes.len(), limits.max_work);
    NetworkReader::with_encoding(bytes, encoding).with_budget(budget)
}

/// Returns the bytes, or `None` for a value that cannot be written.
fn write(encoding: Encoding, write: impl FnOnce(&mut NetworkWriter)) -> Option<Vec<u8>> {
    let mut writer = NetworkWriter::with_encoding(encoding);
    write(&mut writer);
    writer.error().is_none().then(|| writer.as_bytes().to_vec())
}
