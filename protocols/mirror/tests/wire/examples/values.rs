//! Section 1: values.

use std::collections::HashSet;

use syncvar::SyncValue;
use syncvar::mirror::CompressedQuaternion;
use syncvar::prelude::*;
use syncvar::{
    codec::SyncCodec,
    values::{Decimal, LayerMask, OaDate, Quaternion, Ray, Vector3, Vector3Int},
    wire::{Encoding, NetworkReader, NetworkWriter},
};

use crate::examples::Examples;

#[derive(SyncValue, Clone, PartialEq, Debug)]
enum Gait {
    Stand,
    Walk,
    Run,
}

/// The same with another number.
mod small {
    use syncvar::prelude::*;

    #[derive(SyncValue, Clone, PartialEq, Debug)]
    #[repr(u8)]
    pub(super) enum Gait {
        Stand,
        Walk,
        Run,
    }
}

#[derive(SyncValue, Clone, PartialEq, Debug, Default)]
struct Item {
    id: i32,
    name: String,
    weight: f32,
}

impl Item {
    fn new(id: i32, name: &str, weight: f32) -> Self {
        let name = name.into();
        Self { id, name, weight }
    }
}

#[derive(NetworkBehaviour, Default)]
struct Marker {
    #[sync_var]
    number: SyncVar<u8>,
}

/// Whether an example is of a type that is not compiled in: a feature of the facade, whose own tests have it.
pub(crate) fn is_absent(name: &str) -> bool {
    name.starts_with("`Uuid` ")
}

fn written<T: SyncValue>(value: &T) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write(value);
    assert_eq!(writer.error(), None);
    writer.as_bytes().to_vec()
}

/// The bytes of a value, which is read back from them.
fn bytes<T: SyncValue>(value: &T) -> String {
    let bytes = written(value);
    let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
    let read: T = reader.read().expect("it was written");
    assert!(read.same(value) && reader.remaining() == 0);
    hex::encode(bytes)
}

/// A reference to the third behaviour of #300, as it travels in the bytes of UNet.
fn third_marker() -> BehaviourRef<Marker> {
    let mut reader = NetworkReader::new(&[0xf1, 0x3c, 2]);
    reader.read().expect("an id and a position")
}

/// The bytes of no rotation, as a field with this encoding writes it.
fn compressed() -> String {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    CompressedQuaternion::write(&Quaternion::IDENTITY, &mut writer);
    hex::encode(writer.as_bytes())
}

pub(crate) fn examples() -> Examples {
    let ray = Ray {
        origin: Vector3::new(1.0, 2.0, 3.0),
        direction: Vector3::new(0.0, 0.0, 1.0),
    };
    let no_marker = BehaviourRef::<Marker>::NONE;
    vec![
        ("`300_u16`", bytes(&300_u16)),
        ("`-1_i8`", bytes(&-1_i8)),
        ("`240_u32`", bytes(&240_u32)),
        ("`300_u32`", bytes(&300_u32)),
        ("`-1_i32`", bytes(&-1_i32)),
        ("`1000_i32`", bytes(&1000_i32)),
        ("`70_000_u32`", bytes(&70_000_u32)),
        ("`i64::MIN`", bytes(&i64::MIN)),
        ("`'あ'`", bytes(&'あ')),
        ("`\"é\"`", bytes(&"é".to_owned())),
        ("`\"\"`", bytes(&String::new())),
        ("`Decimal::new(-110, 2)`", bytes(&Decimal::new(-110, 2))),
        ("`Ray` from (1, 2, 3) to (0, 0, 1)", bytes(&ray)),
        (
            "`Vector3Int::new(1, -1, 300)`",
            bytes(&Vector3Int::new(1, -1, 300)),
        ),
        ("`OaDate(-1.25)`", bytes(&OaDate(-1.25))),
        (
            "`NetRef::from(NetId(300))`",
            bytes(&NetRef::from(NetId(300))),
        ),
        (
            "`BehaviourRef` to the third behaviour of #300",
            bytes(&third_marker()),
        ),
        ("`BehaviourRef::NONE`", bytes(&no_marker)),
        (
            "`Gait::Run` of `enum Gait { Stand, Walk, Run }`",
            bytes(&Gait::Run),
        ),
        (
            "`Gait::Run` of `#[repr(u8)] enum Gait { Stand, Walk, Run }`",
            bytes(&small::Gait::Run),
        ),
        (
            "`Item { id: -7, name: \"sword\", weight: 1.5 }`",
            bytes(&Item::new(-7, "sword", 1.5)),
        ),
        (
            "`Some(Item { id: 3, name: \"n\", weight: 0.0 })`",
            bytes(&Some(Item::new(3, "n", 0.0))),
        ),
        ("`vec![1_i32, -1, 120]`", bytes(&vec![1_i32, -1, 120])),
        ("`vec![0_u8, 1, 127]`", bytes(&vec![0_u8, 1, 127])),
        ("`Some(-1_i32)`", bytes(&Some(-1_i32))),
        ("`None::<i32>`", bytes(&None::<i32>)),
        ("`Some(String::new())`", bytes(&Some(String::new()))),
        ("`None::<String>`", bytes(&None::<String>)),
        ("`None::<Vec<i32>>`", bytes(&None::<Vec<i32>>)),
        (
            "`HashSet::from([300, 2])` of `u32`",
            bytes(&HashSet::from([300_u32, 2])),
        ),
        (
            "`Quaternion::IDENTITY` with `CompressedQuaternion`",
            compressed(),
        ),
        // What is cut does not come back.
        (
            "`LayerMask(74_565)`",
            hex::encode(written(&LayerMask(74_565))),
        ),
    ]
}
