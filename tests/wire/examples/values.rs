//! Sections 1 to 3: numbers, values, behaviours.

use syncvar::NetworkBehaviour;
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::{
    NetworkSceneId,
    behaviour::BehaviourList,
    values::{Color32, Decimal, Ray, Vector3},
    wire::Encoding,
};

use syncvar_testing::spawn_with_id;

use crate::examples::{Examples, One, Orc, Two, bytes, bytes_in};
use crate::untyped::round_trip;

#[derive(NetworkBehaviour)]
struct Data {
    #[sync_var]
    int1: SyncVar<i32>,
    #[sync_var]
    int2: SyncVar<i32>,
    #[sync_var]
    my_string: SyncVar<String>,
}

impl Data {
    fn example() -> Self {
        Self {
            int1: 66.into(),
            int2: 23487.into(),
            my_string: "Example string".into(),
        }
    }
}

#[derive(SyncValue, Clone)]
#[allow(dead_code, reason = "the example is the third")]
enum Gait {
    Stand,
    Walk,
    Run,
}

#[derive(SyncValue, Clone)]
#[allow(dead_code, reason = "the example is the second")]
enum Effect {
    None,
    Burn { damage: u32, seconds: f32 },
}

#[derive(SyncValue, Clone)]
struct Buff {
    id: u32,
    name: String,
    timer: f32,
}

#[test]
pub(crate) fn values_are_written_as_documented() -> Examples {
    let packed = |number| bytes(|writer| writer.write_packed_u64(number));
    let (origin, direction) = (Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.0, 0.0, 1.0));
    Examples::check(vec![
        ("packed 240", packed(240)),
        ("packed 241", packed(241)),
        ("packed 2287", packed(2287)),
        ("packed 2288", packed(2288)),
        ("packed 67824", packed(67824)),
        ("packed 16777216", packed(16_777_216)),
        ("packed 2^32", packed(1 << 32)),
        ("packed 2^64 - 1", packed(u64::MAX)),
        ("`300_u16`", value(&300_u16)),
        ("`-1_i32`", value(&-1_i32)),
        ("`-2_i64`", value(&-2_i64)),
        ("`'あ'`", value(&'あ')),
        ("`true`", value(&true)),
        ("`1.5_f32`", value(&1.5_f32)),
        ("`\"é\"`", value(&String::from("é"))),
        ("`Decimal::new(110, 2)`", value(&Decimal::new(110, 2))),
        ("`Vector3::new(1.0, 2.0, 3.0)`", value(&origin)),
        (
            "`Ray` from (1, 2, 3) to (0, 0, 1)",
            value(&Ray { origin, direction }),
        ),
        (
            "`Color32::new(255, 128, 0, 255)`",
            value(&Color32::new(255, 128, 0, 255)),
        ),
        ("`NetId(300)`", value(&NetId(300))),
        (
            "`NetRef::from(NetId(300))`",
            value(&NetRef::from(NetId(300))),
        ),
        ("`NetRef::NONE`", value(&NetRef::NONE)),
        (
            "`BehaviourRef` to the third behaviour of #300",
            value(&third_behaviour()),
        ),
        ("`BehaviourRef::NONE`", value(&BehaviourRef::<One>::NONE)),
        (
            "`Gait::Run` of `enum Gait { Stand, Walk, Run }`",
            value(&Gait::Run),
        ),
        (
            "`Effect::Burn { damage: 5, seconds: 0.5 }`, the second variant",
            value(&Effect::Burn {
                damage: 5,
                seconds: 0.5,
            }),
        ),
        (
            "`Buff { id: 1, name: \"x\", timer: 2.0 }`",
            value(&Buff {
                id: 1,
                name: "x".into(),
                timer: 2.0,
            }),
        ),
        ("`vec![5_i32, 300]`", value(&vec![5_i32, 300])),
        ("`vec![1_u8, 2, 255]`", value(&vec![1_u8, 2, 255])),
        ("`Some(7_u8)`", value(&Some(7_u8))),
        ("`None::<u8>`", value(&None::<u8>)),
        ("`[1_u8, 2]`", value(&[1_u8, 2])),
        ("`(1_u8, true)`", value(&(1_u8, true))),
    ])
}

#[test]
pub(crate) fn compact_values_are_written_as_documented() -> Examples {
    let burn = Effect::Burn {
        damage: 5,
        seconds: 0.5,
    };
    let buff = Buff {
        id: 1,
        name: "x".into(),
        timer: 2.0,
    };
    let hurt = |orc: &mut Orc| {
        orc.base.hp.set(5);
        orc.rage.set(9);
    };
    Examples::check(vec![
        ("varint 127", compact(&127_u64)),
        ("varint 128", compact(&128_u64)),
        ("varint 16383", compact(&16_383_u64)),
        ("varint 16384", compact(&16_384_u64)),
        ("varint 2^32 - 1", compact(&u32::MAX)),
        ("varint 2^63", compact(&(1_u64 << 63))),
        ("varint 2^64 - 1", compact(&u64::MAX)),
        ("zigzag -1", compact(&-1_i64)),
        ("zigzag 64", compact(&64_i64)),
        ("zigzag -2^63", compact(&i64::MIN)),
        ("varint 2^64", compact(&(1_u128 << 64))),
        ("varint 2^128 - 1", compact(&u128::MAX)),
        ("zigzag -2^127", compact(&i128::MIN)),
        ("compact `200_u8`", compact(&200_u8)),
        ("compact `300_u16`", compact(&300_u16)),
        ("compact `-1_i32`", compact(&-1_i32)),
        ("compact `-2_i64`", compact(&-2_i64)),
        ("compact `'あ'`", compact(&'あ')),
        ("compact `1.5_f32`", compact(&1.5_f32)),
        ("compact `\"é\"`", compact(&String::from("é"))),
        ("compact `NetId(300)`", compact(&NetId(300))),
        (
            "compact `NetRef::from(NetId(300))`",
            compact(&NetRef::from(NetId(300))),
        ),
        ("compact `NetRef::NONE`", compact(&NetRef::NONE)),
        (
            "compact `BehaviourRef` to the third behaviour of #300",
            compact(&third_behaviour()),
        ),
        (
            "compact `BehaviourRef::NONE`",
            compact(&BehaviourRef::<One>::NONE),
        ),
        ("compact `NetworkSceneId(5)`", compact(&NetworkSceneId(5))),
        ("compact `Gait::Run`", compact(&Gait::Run)),
        (
            "compact `Effect::Burn { damage: 5, seconds: 0.5 }`",
            compact(&burn),
        ),
        (
            "compact `Buff { id: 1, name: \"x\", timer: 2.0 }`",
            compact(&buff),
        ),
        ("compact `vec![5_i32, 300]`", compact(&vec![5_i32, 300])),
        ("compact `vec![1_u8, 2, 255]`", compact(&vec![1_u8, 2, 255])),
        ("compact `Some(7_u8)`", compact(&Some(7_u8))),
        (
            "compact full `Data`",
            bytes_in(Encoding::Compact, |writer| {
                assert!(Data::example().on_serialize(writer, true));
            }),
        ),
        (
            "compact `Data` with `int1 = 77` changed",
            compact_delta(Data::example(), |data| _ = data.int1.set(77)),
        ),
        (
            "compact `Data` clean",
            compact_delta(Data::example(), |_| ()),
        ),
        (
            "compact `Orc` with `hp = 5`, `rage = 9` changed",
            compact_delta(Orc::default(), hurt),
        ),
    ])
}

#[test]
pub(crate) fn behaviours_are_written_as_documented() -> Examples {
    let name = "full `Data { int1: 66, int2: 23487, my_string: \"Example string\" }`";
    let hurt = |orc: &mut Orc| {
        orc.base.hp.set(5);
        orc.rage.set(9);
    };
    Examples::check(vec![
        (name, full(Data::example())),
        (
            "`Data` with `int1 = 77` changed",
            delta(Data::example(), |data| _ = data.int1.set(77)),
        ),
        ("`Data` clean", delta(Data::example(), |_| ())),
        (
            "`Data` with `int1 = 77` and `my_string = \"hi\"` changed",
            delta(Data::example(), |data| {
                data.int1.set(77);
                data.my_string.set("hi".into());
            }),
        ),
        (
            "`Orc { base: Creature { hp, speed }, rage }` with `hp = 5`, `rage = 9` changed",
            delta(Orc::default(), hurt),
        ),
        (
            "`Orc` with `rage = 9` changed",
            delta(Orc::default(), |orc| _ = orc.rage.set(9)),
        ),
        ("`Orc` clean", delta(Orc::default(), |_| ())),
    ])
}

/// A reference to the only `One` of an object of three behaviours.
fn third_behaviour() -> BehaviourRef<One> {
    let parts = || {
        BehaviourList::new()
            .with(Two::default())
            .with(Two::default())
            .with(One::default())
    };
    let mut server = NetworkServer::new(Prefabs::new().register_with("three", parts));
    let id = spawn_with_id(&mut server, parts(), 300);
    BehaviourRef::to(&server, id).expect("it has one")
}

pub(crate) fn value<T: SyncValue>(value: &T) -> String {
    bytes(|writer| {
        writer.write(value);
        round_trip(T::SCHEMA, writer.as_bytes(), Encoding::Unet);
    })
}

fn full(mut behaviour: impl NetworkBehaviour) -> String {
    bytes(|writer| assert!(behaviour.on_serialize(writer, true)))
}

fn delta<B: NetworkBehaviour>(mut behaviour: B, change: impl FnOnce(&mut B)) -> String {
    change(&mut behaviour);
    bytes(|writer| {
        behaviour.on_serialize(writer, false);
    })
}

pub(crate) fn compact<T: SyncValue>(value: &T) -> String {
    bytes_in(Encoding::Compact, |writer| {
        writer.write(value);
        round_trip(T::SCHEMA, writer.as_bytes(), Encoding::Compact);
    })
}

fn compact_delta<B: NetworkBehaviour>(mut behaviour: B, change: impl FnOnce(&mut B)) -> String {
    change(&mut behaviour);
    bytes_in(Encoding::Compact, |writer| {
        behaviour.on_serialize(writer, false);
    })
}
