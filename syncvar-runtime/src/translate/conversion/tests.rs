//! The table of the guide, "Change a struct that has shipped", value by value.

use std::cell::Cell;

use super::{Fit, MAX_INSERTED, Types};
use crate::schema::{Measure, SchemaType};
use crate::translate::layout::Measures;
use crate::value::{MapValue, Value};
use crate::{Encoding, NetworkReader, NetworkWriter, ReadError};

/// Result of a conversion.
#[derive(Debug, PartialEq)]
enum Seen {
    Value(String),
    Unfit,
    Refused(String),
}

fn convert(from: &str, to: &str, value: &Value, encoding: Encoding, reads_plain: bool) -> Seen {
    let percent: Measure = |bytes, _| (!bytes.is_empty()).then_some(1);
    let measures = Measures::from_iter([("Percent".to_string(), percent)]);
    let types = Types {
        measures: &measures,
        inserted: &Cell::new(MAX_INSERTED),
    };
    let (from, mut to) = (
        SchemaType::parse(from).unwrap(),
        SchemaType::parse(to).unwrap(),
    );
    if reads_plain {
        to = to.plain();
    }
    let conversion = match types.convert(&from, &to, None) {
        Ok(conversion) => conversion,
        Err(refusal) => return Seen::Refused(refusal.to_string()),
    };
    let mut bytes = NetworkWriter::with_encoding(encoding);
    types
        .layout(&from)
        .unwrap()
        .write_value(value, &mut bytes)
        .unwrap();
    // A byte of the next field.
    bytes.write_u8(7);
    let mut reader = NetworkReader::with_encoding(bytes.as_bytes(), encoding);
    let (mut writer, mut fit) = (NetworkWriter::with_encoding(encoding), Fit::default());
    conversion
        .convert(&mut reader, &mut writer, &mut fit)
        .unwrap();
    assert_eq!(reader.rest(), [7], "{from} to {to}");
    if fit.unfit {
        return Seen::Unfit;
    }
    let mut converted = NetworkReader::with_encoding(writer.as_bytes(), encoding);
    let layout = types.layout(&to).unwrap();
    let value = layout.read_value(&mut converted);
    let value = value.unwrap_or_else(|error| panic!("{from} to {to}, {encoding:?}: {error}"));
    converted.finish().unwrap();
    Seen::Value(value.to_string())
}

fn check(from: &str, to: &str, value: impl Into<Value>, expected: &str) {
    let value = value.into();
    let expected = match expected {
        "unfit" => Seen::Unfit,
        value => Seen::Value(value.into()),
    };
    for encoding in [Encoding::Unet, Encoding::Compact] {
        for reads_plain in [false, true] {
            let seen = convert(from, to, &value, encoding, reads_plain);
            assert_eq!(seen, expected, "{from} to {to}, {encoding:?}");
        }
    }
}

fn structure(members: &[(&str, Value)]) -> Value {
    Value::structure(members.iter().map(|(name, value)| (*name, value.clone())))
}

#[test]
fn numbers_of_another_width() {
    check("u8", "i64", 200, "200");
    check("i32", "u8", 200, "200");
    check("i32", "u8", -1, "unfit");
    check("u32", "NonZeroU32", 0, "unfit");
    check("i8", "i128", -5, "-5");
    check("f32", "f64", 1.5_f32, "1.5");
    check("f64", "f32", 1e300, "unfit");
    check("f64", "f32", 0.1, "0.10000000149011612");
    check(
        "Vector3",
        "DVec3",
        crate::Vector3::new(1.0, 2.0, 3.0),
        "{ x: 1.0, y: 2.0, z: 3.0 }",
    );
}

#[test]
fn codecs() {
    check("i32 as ZigZag", "i32", -300, "-300");
    check("u32 as Bits<12>", "u8 as Fixed", 255, "255");
    check("u32 as Bits<12>", "u8 as Fixed", 256, "unfit");
    check("char as Fixed", "char", 'あ', "'あ'");
    check(
        "Vector2 as Half",
        "Vector2",
        crate::Vector2::new(1.0, -2.0),
        "{ x: 1.0, y: -2.0 }",
    );
    check(
        "[f32; 2] as Quantized<0, 10, 1>",
        "[f32; 2]",
        [3.0_f32, 4.0],
        "[3.0, 4.0]",
    );
    check(
        "Quaternion as SmallestThree",
        "Quaternion",
        crate::Quaternion::IDENTITY,
        "{ x: 0.0, y: 0.0, z: 0.0, w: 1.0 }",
    );
    // The reader receives the writer's value, whatever its own codec could hold.
    let quantized = "f32 as Quantized<0, 10, 1>";
    let seen = |reads_plain| {
        convert(
            "f32",
            quantized,
            &20.25_f32.into(),
            Encoding::Compact,
            reads_plain,
        )
    };
    assert_eq!(
        (seen(true), seen(false)),
        (Seen::Value("20.25".into()), Seen::Unfit)
    );
}

#[test]
fn values_sequences_and_optional_values() {
    check("u8", "u16?", 5, "5");
    check("u8?", "u16", Some(5), "5");
    check("u8?", "u16", None::<u8>, "unfit");
    check("u8?", "u16?", None::<u8>, "none");
    check("u16", "[u8]", 5, "0x05");
    check("[u16]", "u8", vec![5, 6], "5");
    check("[u16]", "u8", Vec::<u8>::new(), "unfit");
    check("[u16; 2]", "[u32]", [1, 2], "[1, 2]");
    check("[u16]", "[u32; 2]", [1, 2], "[1, 2]");
    check("[u16]", "[u32; 2]", [1], "unfit");
    check("[u16]", "[u8]", [1, 300], "unfit");
    check(
        "[u8]",
        "[u16]",
        Value::Bytes(vec![1, 255].into()),
        "[1, 255]",
    );
    check("[i16]", "{i32}", [3, -1, 2, 3], "{-1, 2, 3}");
    check("{i16}", "[i32]", Value::set([-1, 2]), "[-1, 2]");
    check("SyncList<u16>", "[u32]", [1, 300], "[1, 300]");
    check("[u16]", "SyncList<u8>", [1, 255], "[1, 255]");
    check(
        "SyncHashSet<u16>",
        "SyncList<u32>",
        Value::set([300, 1]),
        "[1, 300]",
    );
    check("String", "[FixedString; 2]", "ab", "\"ab\"");
    check("String", "[FixedString; 2]", "abc", "unfit");
    check("[FixedString; 4]", "String", "abc", "\"abc\"");
}

#[test]
fn maps() {
    let map = Value::from([(1, "a"), (300, "b")].into_iter().collect::<MapValue>());
    check(
        "[u16: String]",
        "[u32: String]",
        map.clone(),
        "{1: \"a\", 300: \"b\"}",
    );
    check("[u16: String]", "[u8: String]", map.clone(), "unfit");
    check(
        "SyncDictionary<u16, String>",
        "[u32: String?]",
        map,
        "{1: \"a\", 300: \"b\"}",
    );
}

#[test]
fn members_by_name() {
    let item = || structure(&[("id", 3.into()), ("name", "x".into()), ("time", 2.5.into())]);
    let from = "Item { id: u8, name: String, time: f32 }";
    check(
        from,
        "Thing { id: u16, time: f32, level: u8 }",
        item(),
        "{ id: 3, time: 2.5, level: 0 }",
    );
    check(
        from,
        "Item { time: f32, id: u8 }",
        item(),
        "{ time: 2.5, id: 3 }",
    );
    check(from, "Item { count was id: u32 }", item(), "{ count: 3 }");
    check(
        "Item { id was number: u8 }",
        "Item { number: u8 }",
        structure(&[("id", 1.into())]),
        "{ number: 1 }",
    );
    check(
        "{ 0: u8, 1: bool }",
        "{ 0: u16, 1: bool, 2: u8? }",
        structure(&[("0", 1.into()), ("1", true.into())]),
        "(1, true, none)",
    );
    check(
        "Item { id: Percent measured, n: u8 }",
        "Item { n: u16 }",
        structure(&[("id", Value::Bytes(vec![9].into())), ("n", 1.into())]),
        "{ n: 1 }",
    );
}

#[test]
fn variants_by_name() {
    let unit = |name: &str| Value::variant(name);
    check("E [A = 0, B = 5]", "E [B = 1, A = 2]", unit("B"), "B");
    check("E [A = 0, B = 5]", "E [A = 0]", unit("B"), "unfit");
    check(
        "E [A = 0, B = 5]",
        "E [A = 0, Rest = 9 other]",
        unit("B"),
        "Rest",
    );
    check("E [A = 0, B = 5]", "E [A = 0, C was B = 5]", unit("B"), "C");
    check(
        "E [A = 0, B = 1]",
        "E [A = 0, B = 1 { x: u8 }]",
        unit("B"),
        "B { x: 0 }",
    );
    let burn = || Value::variant_of("Burn", [("damage", 5)]);
    check(
        "E [A = 0, Burn = 1 { damage: u8 }]",
        "E [Burn = 0 { damage: u16, time: f32 }]",
        burn(),
        "Burn { damage: 5, time: 0.0 }",
    );
    check(
        "E [A = 0, Burn = 1 { damage: u8 }]",
        "E [A = 0, Rest = 1 other { x: u8 }]",
        burn(),
        "Rest { x: 0 }",
    );
}

#[test]
fn other_pairs_are_refused_with_both_types() {
    let pairs = [
        ("u8", "String"),
        ("u8", "bool"),
        ("f32", "u8"),
        ("NetId", "u32"),
        ("Vector3", "String"),
        ("Vector2", "Vector3"),
        ("[u8; 3]", "[u8; 4]"),
        ("[u8: u8]", "[u8]"),
        ("SyncList<u8>", "u8"),
        ("Percent measured", "u8"),
        ("{u8}", "u8"),
        ("E [A = 0]", "u8"),
        ("Percent measured", "Other measured"),
        ("char", "u32"),
        ("Uuid", "NetworkHash128"),
    ];
    for (from, to) in pairs {
        let Seen::Refused(text) = convert(from, to, &0.into(), Encoding::Compact, true) else {
            panic!("{from} to {to}");
        };
        assert!(text.contains(from) || text.contains("Other"), "{text}");
    }
    let text = "in `at`, `u8` cannot become `String`";
    assert_eq!(
        convert(
            "S { at: u8 }",
            "S { at: String }",
            &0.into(),
            Encoding::Compact,
            true
        ),
        Seen::Refused(text.into())
    );
}

/// Converts operations; `present` is the reader's value. Returns the bytes of the reader.
fn operate(
    from: &str,
    to: &str,
    bytes: &[u8],
    present: &[u8],
) -> Result<(Vec<u8>, Fit), ReadError> {
    let types = Types {
        measures: &Measures::default(),
        inserted: &Cell::new(MAX_INSERTED),
    };
    let from = SchemaType::parse(from).unwrap();
    let to = SchemaType::parse(to).unwrap();
    let whole = types.convert(&from, &to, None).unwrap();
    let operations = types.operations(&from, &to, &whole).unwrap().unwrap();
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::Compact);
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    let mut fit = Fit::default();
    let mut present = || Some(present.to_vec());
    operations.convert(&mut reader, &mut writer, &mut fit, &mut present)?;
    reader.finish()?;
    Ok((writer.as_bytes().to_vec(), fit))
}

#[test]
fn values_of_collections_that_do_not_fit_become_0() {
    // Add 300, add 5, insert 7 at 0: `position * 8 + number`.
    let bytes = [3, 0, 0xac, 2, 0, 5, 2, 7];
    let (converted, fit) = operate("SyncList<u16>", "SyncList<u8>", &bytes, &[]).unwrap();
    assert_eq!(converted, [3, 0, 0, 0, 5, 2, 7]);
    assert!(fit.replaced && !fit.unfit);
}

#[test]
fn keys_that_do_not_fit_are_left_out() {
    let (from, to) = ("SyncDictionary<u16, u8>", "SyncDictionary<u8, u8>");
    // Put 300: 1, put 2: 3, remove 300.
    let bytes = [3, 0, 0xac, 2, 1, 0, 2, 3, 2, 0xac, 2];
    assert_eq!(operate(from, to, &bytes, &[]).unwrap().0, [1, 0, 2, 3]);
}

#[test]
fn operations_with_keys_that_do_not_fit_leave_the_key_0_alone() {
    let (from, to) = ("SyncDictionary<u16, u8>", "[u8: u8]");
    // Of {0: 9}: put 300: 1, put 2: 3, remove 300.
    let bytes = [3, 0, 0xac, 2, 1, 0, 2, 3, 2, 0xac, 2];
    let (converted, fit) = operate(from, to, &bytes, &[1, 0, 9]).unwrap();
    assert_eq!(converted, [2, 0, 9, 2, 3]);
    assert!(fit.replaced && !fit.unfit);
    // Of {0}: put 300, put 2, remove 300.
    let bytes = [3, 0, 0xac, 2, 0, 2, 2, 0xac, 2];
    let (converted, _) = operate("SyncHashSet<u16>", "{u8}", &bytes, &[1, 0]).unwrap();
    assert_eq!(converted, [2, 0, 2]);
}

#[test]
fn operations_for_a_sequence_are_applied_to_its_present_value() {
    let (from, to) = ("SyncList<u16>", "[u32]");
    let present = [3, 1, 2, 3];
    // Of [1, 2, 3]: add 9; set 8 at 0; remove at 1; splice 5, 6 for one at 0.
    let bytes = [4, 0, 9, 5, 8, 12, 6, 1, 2, 5, 6];
    let (converted, fit) = operate(from, to, &bytes, &present).unwrap();
    assert_eq!((&converted[..], fit.unfit), (&[4, 5, 6, 3, 9][..], false));
    // A position without an element.
    assert!(operate(from, to, &[1, 5 + 8 * 9, 8], &present).is_err());
}
