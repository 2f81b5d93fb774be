//! What a `SyncVar` can hold, and how it comes back.

mod compact;
mod fixed_strings;
mod foreign;
mod keyed;
#[cfg(feature = "serde")]
mod limits;
mod memory;
mod networks;
mod numbers;
mod own;
#[cfg(feature = "serde")]
mod postcards;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::prelude::*;
use proptest::{collection, option};
use syncvar::NetworkBehaviour;
use syncvar::SyncValue;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    NetworkSceneId,
    values::{
        Color, Color32, Decimal, LayerMask, Matrix4x4, NetworkHash128, OaDate, Plane, Quaternion,
        Ray, Ray2D, Rect, Vector2, Vector2Int, Vector3, Vector3Int, Vector4,
    },
    wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind},
};
use syncvar_testing::{apply, written};

/// Writes a value, reads it back, and into another value in place, in every dialect; returns its
/// bytes in UNet's.
fn round_trip<T: SyncValue>(value: &T, other: &T) -> Vec<u8> {
    round_trip_in(Encoding::Compact, value, other);
    round_trip_in(Encoding::Mirror, value, other);
    round_trip_in(Encoding::Unet, value, other)
}

fn round_trip_in<T: SyncValue>(dialect: Encoding, value: &T, other: &T) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(dialect);
    writer.write(value);
    assert!(writer.error().is_none());
    let reader_of = |length| NetworkReader::with_encoding(&writer.as_bytes()[..length], dialect);
    let mut reader = reader_of(writer.len());
    let back: T = reader.read().expect("it was written");
    assert!(back.same(value));
    reader.finish().expect("all of it is read");
    let mut in_place = other.clone();
    reader_of(writer.len())
        .read_into(&mut in_place)
        .expect("it was written");
    assert!(in_place.same(value));
    for length in 0..writer.len() {
        let error = reader_of(length).read::<T>().err();
        assert!(
            error.is_some_and(|error| error.offset() <= length),
            "cut to {length} bytes"
        );
    }
    writer.as_bytes().to_vec()
}

/// The error of reading a value, and at which byte.
fn error_in<T: SyncValue>(dialect: Encoding, bytes: &[u8]) -> (ReadErrorKind, usize) {
    let mut reader = NetworkReader::with_encoding(bytes, dialect);
    let error = reader.read::<T>().err().expect("it is refused");
    assert!(error.offset() <= bytes.len());
    (error.kind(), error.offset())
}

/// M1, M13, N13, N14, T7: every primitive and every type of Unity comes back.
#[test]
fn every_type_comes_back_and_is_an_error_when_cut_short() {
    for (bytes, length) in [
        (round_trip(&true, &false), 1),
        (round_trip(&200_u8, &0), 1),
        (round_trip(&-7_i8, &0), 5),
        (round_trip(&50_000_u16, &0), 3),
        (round_trip(&-300_i16, &0), 5),
        (round_trip(&3_000_000_000_u32, &0), 5),
        (round_trip(&-123_456_i32, &0), 5),
        (round_trip(&(1_u64 << 50), &0), 8),
        (round_trip(&-5_i64, &0), 9),
        (round_trip(&3.25_f32, &0.0), 4),
        (round_trip(&-0.1_f64, &0.0), 8),
        (round_trip(&'あ', &'a'), 3),
        (round_trip_in(Encoding::Unet, &'🎲', &'a'), 4),
        (round_trip(&String::from("日本"), &String::new()), 8),
        (round_trip(&Decimal::new(-1999, 2), &Decimal::default()), 16),
        (round_trip(&Vector2::new(1.0, -2.5), &Vector2::default()), 8),
        (
            round_trip(&Vector3::new(1.0, -2.5, 0.0), &Vector3::default()),
            12,
        ),
        (
            round_trip(&Vector4::new(1.0, -2.5, 0.0, 4.0), &Vector4::default()),
            16,
        ),
        (
            round_trip(&Quaternion::IDENTITY, &Quaternion::default()),
            16,
        ),
        (
            round_trip(&Color::new(2.0, -1.0, 0.0, 0.1), &Color::default()),
            16,
        ),
        (
            round_trip(&Color32::new(1, 2, 3, 4), &Color32::default()),
            4,
        ),
        (
            round_trip(&Rect::new(5.0, 6.0, -7.0, -8.0), &Rect::default()),
            16,
        ),
        (
            round_trip(
                &Plane {
                    normal: Vector3::new(3.0, 0.0, 4.0),
                    distance: -2.0,
                },
                &Plane::default(),
            ),
            16,
        ),
        (
            round_trip(
                &Ray {
                    origin: Vector3::new(1.0, 2.0, 3.0),
                    ..Ray::default()
                },
                &Ray::default(),
            ),
            24,
        ),
        (
            round_trip(
                &Matrix4x4 {
                    rows: [[1.0, 2.0, 3.0, 4.0]; 4],
                },
                &Matrix4x4::default(),
            ),
            64,
        ),
        (
            round_trip(&NetworkHash128::of("a"), &NetworkHash128::default()),
            16,
        ),
        (round_trip(&NetId(300), &NetId::NONE), 2),
        (round_trip(&NetworkSceneId(12), &NetworkSceneId(0)), 1),
        (round_trip(&LayerMask(5), &LayerMask(0)), 1),
        (round_trip(&OaDate(36_526.5), &OaDate(0.0)), 8),
        (round_trip(&vec![1_u16, 300], &vec![7; 9]), 5),
        (round_trip(&vec![1_u8, 2], &Vec::new()), 4),
        (round_trip(&Some(5_u8), &None), 2),
        (round_trip(&None, &Some(5_u8)), 1),
        (round_trip(&Some(Box::new(5_u8)), &Some(Box::new(6))), 2),
        (round_trip(&[1_u8, 2, 3], &[0; 3]), 3),
        (round_trip(&(1_u8, true, 'x'), &(0, false, 'a')), 3),
    ] {
        assert_eq!(bytes.len(), length, "{bytes:?}");
    }
}

/// N14: the engine's types that Netcode knows and UNet does not; as glam's, if the other side has
/// those.
#[test]
fn vectors_of_integers_and_a_ray_in_the_plane_come_back() {
    let cell = Vector2Int::new(i32::MIN, 7);
    assert_eq!(
        round_trip(&cell, &Vector2Int::default()),
        round_trip(&(i32::MIN, 7), &(0, 0))
    );
    let place = Vector3Int::new(1, -300, i32::MAX);
    assert_eq!(
        round_trip(&place, &Vector3Int::default()),
        round_trip(&(1, -300, i32::MAX), &(0, 0, 0))
    );
    let ray = Ray2D {
        origin: Vector2::new(f32::NAN, -0.0),
        direction: Vector2::new(3.0, 4.0),
    };
    assert_eq!(
        round_trip(&ray, &Ray2D::default()),
        round_trip(&(ray.origin, ray.direction), &Default::default())
    );
    let other = Vector2::new(3.0, 5.0);
    for changed in [
        Ray2D {
            origin: other,
            ..ray
        },
        Ray2D {
            direction: other,
            ..ray
        },
    ] {
        assert!(ray.same(&ray) && !ray.same(&changed));
    }
    assert_eq!(Vector2Int::SCHEMA.to_string(), "IVec2");
    assert_eq!(Vector3Int::SCHEMA.to_string(), "IVec3");
}

#[derive(SyncValue, Clone, PartialEq, Debug, Default)]
struct Inner {
    a: i16,
    b: u8,
}

#[derive(SyncValue, Clone, PartialEq, Debug, Default)]
struct Outer {
    on: bool,
    inner: Inner,
    inners: Vec<Inner>,
    #[sync_value(skip)]
    cached: u32,
    label: String,
}

#[derive(NetworkBehaviour, Default)]
struct Machine {
    #[sync_var]
    outer: SyncVar<Outer>,
    #[sync_var]
    tail: SyncVar<u8>,
}

/// M14: whole, with whatever is nested in it (N26).
#[test]
fn struct_travels_whole_with_nested_values() {
    let mut machine = Machine::default();
    machine.outer.inner.a = -3;
    assert_eq!(
        machine.sync_var_dirty_bits(),
        1,
        "lesson 8: writing to a member is noticed"
    );
    machine.outer.inners.push(Inner { a: 1, b: 2 });
    assert_eq!(
        written(&mut machine, false).0,
        "0100fbfdffffff00010001020000"
    );
    let mut replica = Machine::default();
    apply(&mut replica, "0100fbfdffffff00010001020000", false);
    assert_eq!(replica.outer, *machine.outer);
}

/// N11, T22: read in place, members that do not travel keep their values.
#[test]
fn members_that_do_not_travel_keep_their_values() {
    let mut machine = Machine::default();
    machine.outer.label.push('x');
    let (bytes, _) = written(&mut machine, true);
    let mut replica = Machine::default();
    replica.outer.cached = 77;
    replica.clear_all_dirty_bits();
    apply(&mut replica, &bytes, true);
    assert_eq!(
        (replica.outer.cached, replica.outer.label.as_str()),
        (77, "x")
    );
    machine.outer.clear_dirty();
    machine.outer.set(Outer {
        cached: 5,
        ..machine.outer.get().clone()
    });
    assert!(!machine.outer.is_dirty(), "and make no difference");
}

#[derive(SyncValue, Clone, Copy, PartialEq, Debug)]
#[repr(i8)]
enum Gait {
    Backwards = -1,
    Stand,
    Run = 5,
}

#[derive(SyncValue, Clone, PartialEq, Debug)]
enum Effect {
    Nothing,
    Burn { damage: u32, seconds: f32 },
    Chain(Box<Inner>, String),
}

// checklist: N15
#[test]
fn enum_takes_four_bytes_or_its_position_and_members() {
    #[derive(SyncValue, Clone, Copy, PartialEq, Debug)]
    #[repr(u32)]
    enum Flags {
        All = 0xffff_ffff,
    }

    assert_eq!(round_trip(&Gait::Backwards, &Gait::Stand), [255; 4]);
    assert_eq!(round_trip(&Gait::Run, &Gait::Stand), [5, 0, 0, 0]);
    assert_eq!(round_trip(&Flags::All, &Flags::All), [255; 4]);
    assert_eq!(
        round_trip(
            &Effect::Nothing,
            &Effect::Burn {
                damage: 1,
                seconds: 0.0
            }
        ),
        [0]
    );
    assert_eq!(
        round_trip(
            &Effect::Burn {
                damage: 2,
                seconds: 1.0
            },
            &Effect::Nothing
        ),
        [1, 2, 0, 0, 128, 63]
    );
    let chain = Effect::Chain(Box::new(Inner { a: 1, b: 2 }), "x".into());
    assert_eq!(round_trip(&chain, &Effect::Nothing), [2, 1, 2, 1, 0, b'x']);
    let error = NetworkReader::new(&[9, 0, 0, 0])
        .read::<Gait>()
        .unwrap_err();
    assert_eq!(
        error.kind(),
        ReadErrorKind::UnknownVariant {
            name: "Gait",
            value: 9
        }
    );
    let error = NetworkReader::new(&[1, 2, 0]).read::<Effect>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "Effect::Burn.seconds: 4 bytes needed, 1 left, at byte 2"
    );
}

/// N1, N3, M9: the interface of the container.
#[test]
fn a_variable_is_read_and_written_like_its_value() {
    let mut name: SyncVar<String> = "Ann".into();
    assert_eq!(name.replace("Bob".into()), Some("Ann".into()));
    assert_eq!(name.replace("Bob".into()), None);
    assert!(name.is_dirty());
    name.clear_dirty();
    assert_eq!((name.len(), name.get().as_str()), (3, "Bob"));
    assert!(!name.is_dirty(), "reads are free");
    name.push('!');
    assert!(name.is_dirty());
    assert_eq!(name.clone().into_inner(), "Bob!");
    let items: SyncVar<Vec<i32>> = vec![1, 2].into();
    assert_eq!((items[1], items.iter().sum::<i32>()), (2, 3));
    assert_eq!(SyncVar::<u8>::default(), 0);
}

/// T25 and lesson 28: the comparison is on the bits, so NaN does not dirty for ever.
#[test]
fn nan_written_over_nan_is_sent_once() {
    #[derive(NetworkBehaviour, Default)]
    struct Gauge {
        #[sync_var]
        value: SyncVar<f32>,
    }
    let mut gauge = Gauge::default();
    gauge.value.set(f32::NAN);
    assert_eq!(written(&mut gauge, false).0, "010000c07f");
    gauge.clear_all_dirty_bits();
    gauge.value.set(f32::NAN);
    assert_eq!(gauge.sync_var_dirty_bits(), 0);
}

/// A variable is its value to serde as well, and what is read is not dirty.
#[cfg(feature = "serde")]
#[test]
fn a_variable_is_its_value_to_serde() {
    let mut name: SyncVar<String> = "Ann".into();
    name.set("Bob".into());
    assert_eq!(serde_json::to_string(&name).unwrap(), "\"Bob\"");
    let back: SyncVar<String> = serde_json::from_str("\"Bob\"").unwrap();
    assert!(back == "Bob" && !back.is_dirty());
    assert_eq!(
        serde_json::to_string(&Vector2::new(1.0, 2.0)).unwrap(),
        r#"{"x":1.0,"y":2.0}"#
    );
    assert_eq!(serde_json::from_str::<NetId>("7").unwrap(), NetId(7));
}

proptest! {
    #[test]
    fn every_number_comes_back(a: i8, b: u8, c: i16, d: u16, e: i32, f: u32, g: i64, h: u64) {
        round_trip(&a, &0);
        round_trip(&b, &0);
        round_trip(&c, &0);
        round_trip(&d, &0);
        round_trip(&e, &0);
        round_trip(&f, &0);
        round_trip(&g, &0);
        round_trip(&h, &0);
        round_trip(&f32::from_bits(f), &0.0);
        round_trip(&f64::from_bits(h), &0.0);
        round_trip(&OaDate(f64::from_bits(h)), &OaDate(0.0));
        round_trip(&NetRef::from(NetId(f)), &NetRef::NONE);
        round_trip(&Vector3Int::new(e, -1, 1), &Vector3Int::default());
        round_trip(&LayerMask(d.into()), &LayerMask(0));
    }

    #[test]
    fn every_value_that_may_be_absent_comes_back(
        small: (Option<i8>, Option<u8>, Option<i16>, Option<u16>),
        large: (Option<i32>, Option<u32>, Option<i64>, Option<u64>),
        others: (Option<bool>, Option<f32>, Option<Option<u32>>),
        text in option::of("[a-é]{0,3}"),
        list in option::of(collection::vec(any::<Option<i32>>(), 0..4)),
        map in option::of(collection::btree_map(any::<u32>(), option::of("[a-é]{0,3}"), 0..4)),
        boxed: Option<Box<u32>>,
        number: Option<std::num::NonZeroU64>,
    ) {
        round_trip(&small, &(None, Some(1), None, Some(1)));
        round_trip(&large, &(None, Some(1), None, Some(1)));
        round_trip(&others, &(None, Some(1.0), Some(None)));
        round_trip(&text, &Some("before".into()));
        round_trip(&list, &Some(vec![None]));
        round_trip(&boxed, &Some(Box::new(1)));
        round_trip(&map, &Some(BTreeMap::from([(1, None)])));
        round_trip(&number, &None);
    }

    #[test]
    fn every_text_and_list_comes_back(text: String, chars: Vec<char>, numbers: Vec<Option<i64>>) {
        round_trip(&text, &String::from("before"));
        round_trip_in(Encoding::Unet, &chars, &vec!['a']);
        round_trip_in(Encoding::Compact, &chars, &vec!['a']);
        let one_code_unit = chars.iter().filter(|c| c.len_utf16() == 1);
        round_trip(&one_code_unit.copied().collect(), &vec!['a']);
        round_trip(&numbers, &vec![None, Some(1)]);
    }

    #[test]
    fn every_struct_and_enum_comes_back(
        a: i16,
        b: u8,
        on: bool,
        label: String,
        count in 0_usize..5,
        damage: u32,
        id: u32,
    ) {
        let inner = Inner { a, b };
        let outer = Outer {
            on,
            inner: inner.clone(),
            inners: vec![inner.clone(); count],
            cached: 0,
            label: label.clone(),
        };
        round_trip(&outer, &Outer::default());
        let burn = Effect::Burn { damage, seconds: 1.5 };
        round_trip(&burn, &Effect::Nothing);
        round_trip(&Effect::Chain(Box::new(inner), label), &burn);
        round_trip(&NetId(id), &NetId::NONE);
        round_trip(&NetworkSceneId(id), &NetworkSceneId(0));
        round_trip(&(Some([b; 3]), vec![b; count], on), &(None, Vec::new(), false));
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes: Vec<u8>) {
        for dialect in [Encoding::Unet, Encoding::Compact, Encoding::Mirror] {
            let reader = || NetworkReader::with_encoding(&bytes, dialect);
            let _ = reader().read::<Outer>();
            let _ = reader().read::<Effect>();
            let _ = reader().read::<Gait>();
            let _ = reader().read::<Vec<Vec<String>>>();
            let _ = reader().read::<Vec<u8>>();
            let _ = reader().read::<Decimal>();
            let _ = reader().read::<char>();
            let _ = reader().read::<Option<Vec<Option<i32>>>>();
            let _ = reader().read::<Option<String>>();
            let _ = reader().read::<HashMap<u8, BTreeSet<u64>>>();
            let _ = reader().read::<OaDate>().map(OaDate::to_system_time);
        }
    }
}
