//! Values without compiled types: read and written by the layout of their schema.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroI16;

use proptest::prelude::*;
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::schema::{SchemaType, TypeSchema};
use syncvar::untyped::{Value, ValueErrorKind};
use syncvar::values::{Color32, Ray, Vector3};
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind};
use syncvar_runtime::unstable::translate::layout::{Layout, Measures};

fn layout(schema: &str) -> Layout {
    let schema = SchemaType::parse(schema).unwrap();
    Layout::of(&schema, &Measures::default()).unwrap()
}

/// Reads bytes by the layout of a schema, checks that the value has the same bytes, and returns it.
pub(crate) fn round_trip(schema: TypeSchema, bytes: &[u8], encoding: Encoding) -> Value {
    let layout = Layout::of(&(&schema).into(), &Measures::default()).unwrap();
    let mut reader = NetworkReader::with_encoding(bytes, encoding);
    let value = layout.read_value(&mut reader).unwrap();
    assert_eq!(reader.remaining(), 0, "{schema}: {value}");
    let mut writer = NetworkWriter::with_encoding(encoding);
    layout.write_value(&value, &mut writer).unwrap();
    assert_eq!(writer.as_bytes(), bytes, "{schema}: {value}");
    let mut reader = NetworkReader::with_encoding(bytes, encoding);
    layout.measure(&mut reader).unwrap();
    assert_eq!(reader.remaining(), 0, "{schema}: {value}");
    value
}

/// Writes a value by the layout of a schema, in `Compact`.
fn write(schema: &str, value: impl Into<Value>) -> Result<String, String> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    let written = layout(schema).write_value(&value.into(), &mut writer);
    written.map_err(|error| error.to_string())?;
    Ok(hex::encode(writer.as_bytes()))
}

#[derive(SyncValue, Clone, Debug, PartialEq)]
struct Sample {
    numbers: (i8, u16, i64, u128, i128),
    floats: [f32; 3],
    wide: f64,
    text: String,
    letters: Vec<char>,
    position: Vector3,
    tint: Color32,
    level: NonZeroI16,
    effect: Option<Effect>,
    gait: Gait,
    counts: BTreeMap<String, Vec<u8>>,
    marks: BTreeSet<(Gait, u8)>,
    friend: NetRef,
}

#[derive(SyncValue, Clone, Debug, PartialEq)]
enum Effect {
    Idle,
    Burn { damage: u32, seconds: f32 },
    Push(Ray, bool),
}

#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gait {
    Run = 7,
    Walk = -2,
}

fn gaits() -> impl Strategy<Value = Gait> {
    prop_oneof![Just(Gait::Run), Just(Gait::Walk)]
}

fn floats() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits)
}

fn effects() -> impl Strategy<Value = Effect> {
    prop_oneof![
        Just(Effect::Idle),
        (any::<u32>(), floats()).prop_map(|(damage, seconds)| Effect::Burn { damage, seconds }),
        (vectors(), vectors(), any::<bool>())
            .prop_map(|(origin, direction, on)| Effect::Push(Ray { origin, direction }, on)),
    ]
}

fn vectors() -> impl Strategy<Value = Vector3> {
    (floats(), floats(), floats()).prop_map(|(x, y, z)| Vector3::new(x, y, z))
}

prop_compose! {
    fn samples()(
        numbers in any::<(i8, u16, i64, u128, i128)>(),
        floats in [floats(), floats(), floats()],
        wide in any::<u64>().prop_map(f64::from_bits),
        text in ".{0,12}",
        letters in proptest::collection::vec(any::<char>(), 0..4),
        position in vectors(),
        (tint, level) in (any::<[u8; 4]>(), any::<i16>()),
        effect in proptest::option::of(effects()),
        gait in gaits(),
        counts in proptest::collection::btree_map(".{0,3}", any::<Vec<u8>>(), 0..4),
        marks in proptest::collection::btree_set((gaits(), any::<u8>()), 0..6),
        friend in any::<u32>(),
    ) -> Sample {
        let [r, g, b, a] = tint;
        Sample {
            numbers, floats, wide, text, letters, position, effect, gait, counts, marks,
            tint: Color32::new(r, g, b, a),
            level: NonZeroI16::new(level).unwrap_or(NonZeroI16::MIN),
            friend: NetRef::from(NetId(friend)),
        }
    }
}

proptest! {
    #[test]
    fn values_of_every_kind_come_back_as_the_same_bytes(sample in samples()) {
        for encoding in [Encoding::Unet, Encoding::Compact] {
            let mut writer = NetworkWriter::with_encoding(encoding);
            writer.write(&sample);
            let value = round_trip(Sample::SCHEMA, writer.as_bytes(), encoding);
            prop_assert_eq!(value["text"].as_str(), Some(&*sample.text));
            prop_assert_eq!(value["numbers"]["2"].as_i64(), Some(sample.numbers.2));
            // Entries in another order have the same bytes.
            let mut shuffled = value.clone();
            for name in ["counts", "marks"] {
                let part = shuffled.get_mut(name).unwrap();
                if let Some(map) = part.as_map() {
                    let entries: Vec<_> = map.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
                    *part = Value::map(entries.into_iter().rev());
                } else {
                    let elements: Vec<_> = part.as_set().unwrap().iter().cloned().collect();
                    *part = elements.into_iter().rev().collect::<Vec<_>>().into();
                }
            }
            prop_assert_eq!(&shuffled["counts"], &value["counts"]);
            let layout = Layout::of(&(&Sample::SCHEMA).into(), &Measures::default()).unwrap();
            let mut again = NetworkWriter::with_encoding(encoding);
            layout.write_value(&shuffled, &mut again).unwrap();
            prop_assert_eq!(again.as_bytes(), writer.as_bytes());
        }
    }

    #[test]
    fn hostile_bytes_are_errors(bytes in any::<Vec<u8>>()) {
        let layout = Layout::of(&(&Sample::SCHEMA).into(), &Measures::default()).unwrap();
        for encoding in [Encoding::Unet, Encoding::Compact] {
            let mut reader = NetworkReader::with_encoding(&bytes, encoding);
            let value = layout.read_value(&mut reader);
            let mut measured = NetworkReader::with_encoding(&bytes, encoding);
            if value.is_ok() {
                layout.measure(&mut measured).unwrap();
                prop_assert_eq!(measured.remaining(), reader.remaining());
            }
        }
    }
}

#[test]
fn a_value_that_does_not_fit_names_its_place() {
    let schema = "Bag { items: [Item { name: String, level: u8 }], size: i16 as Bits<4> }";
    let item = |level: Value| Value::structure([("name", Value::from("a")), ("level", level)]);
    let bag = |items: Vec<Value>, size: i32| {
        Value::structure([("items", Value::from(items)), ("size", size.into())])
    };
    let good = bag(vec![item(1.into())], -8);
    assert_eq!(write(schema, good), Ok("0101610108".into()));
    let errors = [
        (
            bag(vec![item(256.into())], 0),
            "items[0].level: 256 is out of range",
        ),
        (
            bag(vec![item("1".into())], 0),
            "items[0].level: an integer expected, not a text",
        ),
        (
            bag(vec![1.into()], 0),
            "items[0]: a struct expected, not an integer",
        ),
        (bag(vec![], 8), "size: 8 is out of range"),
        (
            Value::structure([("size", 1)]),
            "the member `items` is missing",
        ),
        (
            Value::structure([
                ("items", Value::List(vec![])),
                ("size", 1.into()),
                ("x", 1.into()),
            ]),
            "no member `x`",
        ),
    ];
    for (value, error) in errors {
        assert_eq!(write(schema, value), Err(error.into()));
    }
}

#[test]
fn values_out_of_their_range_are_refused() {
    let refused: [(&str, Value, &str); 11] = [
        ("bool", 1.into(), "a bool expected, not an integer"),
        ("f32", 1e300.into(), "1e300 is out of range"),
        (
            "f32 as Quantized<0, 1, 100>",
            1.01.into(),
            "1.01 is out of range",
        ),
        ("NonZeroU8", 0.into(), "0 is out of range"),
        ("u64", (-1).into(), "-1 is out of range"),
        (
            "[FixedString; 2]",
            "abc".into(),
            "a text of 3 bytes, at most 2 fit",
        ),
        ("[u8; 2]", [1].into(), "1 elements, 2 expected"),
        ("{u8}", [2, 1, 2].into(), "the key 2 occurs twice"),
        ("Gait [Run = 0]", Value::variant("Fly"), "no variant `Fly`"),
        (
            "Duration",
            Value::structure([("seconds", 1)]),
            "the member `nanoseconds` is missing",
        ),
        ("SyncList<u8>", "a".into(), "a list expected, not a text"),
    ];
    for (schema, value, error) in refused {
        assert_eq!(write(schema, value), Err(error.into()), "{schema}");
    }
    let error = layout("u8").write_value(&256.into(), &mut NetworkWriter::new());
    assert_eq!(
        error.unwrap_err().kind(),
        &ValueErrorKind::OutOfRange("256".into())
    );
}

#[test]
fn related_values_are_accepted() {
    let accepted: [(&str, Value, &str); 6] = [
        ("f32", 1.into(), "0000803f"),
        ("u8?", 7.into(), "0107"),
        ("[u8]", [1, 2].into(), "020102"),
        ("{ 0: u8, 1: u8 }", [1, 2].into(), "0102"),
        ("Gait [Run = 0, Walk = 1]", "Walk".into(), "02"),
        ("{u8}", [2, 1].into(), "020102"),
    ];
    for (schema, value, bytes) in accepted {
        assert_eq!(write(schema, value), Ok(bytes.into()), "{schema}");
    }
}

#[test]
fn types_of_the_program_without_a_layout_are_named() {
    for schema in [
        "Percent",
        "f32 as Wobbly<1>",
        "SyncQueue<u8>",
        "Bag { a: [u8: Percent] }",
    ] {
        let parsed = SchemaType::parse(schema).unwrap();
        let error = Layout::of(&parsed, &Measures::default()).unwrap_err();
        let name = if schema.starts_with("Bag") {
            "Percent"
        } else {
            schema
        };
        assert_eq!(
            error.to_string(),
            format!("the layout of the type `{name}` is unknown")
        );
    }
}

#[test]
fn a_measured_type_is_skipped_and_kept_as_bytes() {
    // A text behind its length in one byte.
    let measure = |bytes: &[u8], _: bool| bytes.first().map(|length| 1 + usize::from(*length));
    let mut measures = Measures::default();
    measures.insert("Name".into(), measure);
    let schema = SchemaType::parse("[Name]").unwrap();
    let layout = Layout::of(&schema, &measures).unwrap();
    let bytes = [2, 1, b'a', 2, b'b', b'c'];
    let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Compact);
    let value = layout.read_value(&mut reader).unwrap();
    assert_eq!(value[1].as_bytes(), Some(&bytes[3..]));
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    layout.write_value(&value, &mut writer).unwrap();
    assert_eq!(writer.as_bytes(), bytes);
    assert!(
        layout
            .measure(&mut NetworkReader::with_encoding(
                &[1, 9],
                Encoding::Compact
            ))
            .is_err()
    );
    assert_eq!(layout.zero(), Some(Value::List(vec![])));
}

#[test]
fn every_type_begins_with_a_zero_value() {
    let zeros = [
        ("u8", "0"),
        ("NonZeroI8", "1"),
        ("String", "\"\""),
        ("Vector2", "{ x: 0.0, y: 0.0 }"),
        (
            "Effect [Burn = 0 { damage: u32 }, None = 1]",
            "Burn { damage: 0 }",
        ),
        ("{ 0: bool, 1: NetRef? }", "(false, none)"),
        ("SyncDictionary<u8, u8>", "{}"),
        ("f32 as Quantized<5, 6, 1>", "5.0"),
    ];
    for (schema, text) in zeros {
        let zero = layout(schema).zero().unwrap();
        assert_eq!(zero.to_string(), text, "{schema}");
        assert!(write(schema, zero).is_ok());
    }
}

#[test]
fn a_huge_array_in_a_schema_takes_neither_memory_nor_time() {
    let layout = layout("[[[Empty { }; 4000000000]; 4000000000]; 4000000000]");
    let mut reader = NetworkReader::with_encoding(&[], Encoding::Compact);
    layout.measure(&mut reader).unwrap();
    let error = layout.read_value(&mut reader).unwrap_err();
    assert!(matches!(error.kind(), ReadErrorKind::TooMuchMemory { .. }));
    assert_eq!(layout.zero(), None);
}
