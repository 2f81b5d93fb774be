//! Random values of each type.

use syncvar::prelude::*;
use syncvar::schema::SchemaType;
use syncvar::testing::Random;
use syncvar::untyped::Value;

use crate::schemas::types::{named, range};

/// Parts of texts: of one to four bytes, the byte order mark, the ends of the characters in UTF-16.
const TEXTS: [&str; 9] = [
    "a",
    "ä",
    "あ",
    "\u{feff}",
    "😀",
    "\u{ffff}",
    "\u{10ffff}",
    "\0",
    "\n",
];

/// Returns the members of a type of the library that consists of others.
fn parts(name: &str) -> Option<(&'static [&'static str], &'static str)> {
    Some(match name {
        "Vector2" => (&["x", "y"], "f32"),
        "Vector3" => (&["x", "y", "z"], "f32"),
        "Vector4" | "Quaternion" => (&["x", "y", "z", "w"], "f32"),
        "Color" => (&["r", "g", "b", "a"], "f32"),
        "Color32" => (&["r", "g", "b", "a"], "u8"),
        "Rect" => (&["x", "y", "width", "height"], "f32"),
        "Ray" => (&["direction", "origin"], "Vector3"),
        "Ray2D" => (&["origin", "direction"], "Vector2"),
        "IVec2" => (&["x", "y"], "i32"),
        "UVec3" => (&["x", "y", "z"], "u32"),
        "DVec3" => (&["x", "y", "z"], "f64"),
        "DQuat" => (&["x", "y", "z", "w"], "f64"),
        _ => return None,
    })
}

fn integer(random: &mut Random, (low, high): (i128, i128)) -> i128 {
    match random.below(4) {
        0 => i128::from(random.below(10)),
        1 => low + i128::from(random.below(3)),
        2 => high - i128::from(random.below(3)),
        _ => i128::from(random.number().cast_signed()),
    }
    .clamp(low, high)
}

fn bytes(random: &mut Random, count: usize) -> Vec<u8> {
    let bytes = (0..count).map(|_| random.number().to_le_bytes()[3]);
    bytes.collect()
}

fn text(random: &mut Random, longest: usize) -> String {
    let mut text = String::new();
    for _ in 0..random.below(7) {
        let part = random.pick(&TEXTS).unwrap();
        if text.len() + part.len() <= longest {
            text.push_str(part);
        }
    }
    text
}

/// Returns a float in a range, or one of the special ones.
fn float(random: &mut Random, size: f32) -> f32 {
    let special = [
        0.0,
        -0.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        1e-42,
    ];
    if random.chance(200) {
        return *random.pick(&special).unwrap();
    }
    random.between(-size, size)
}

fn floats(random: &mut Random, count: usize) -> Value {
    let floats: Vec<_> = (0..count).map(|_| float(random, 9.0)).collect();
    floats.into()
}

fn named_value(random: &mut Random, name: &str) -> Value {
    if let Some((members, of)) = parts(name) {
        return Value::structure(members.iter().map(|it| (it, named_value(random, of))));
    }
    match name {
        "f32" => float(random, 100.0).into(),
        "f64" | "OaDate" if random.chance(200) => Value::Float(1e300),
        "f64" | "OaDate" => Value::Float(f64::from(float(random, 1.0)) / 3.0),
        "bool" => random.chance(500).into(),
        "String" => text(random, 40).into(),
        "char" => Value::Char(random.pick(&TEXTS).unwrap().chars().next().unwrap()),
        "u128" if random.chance(300) => u128::MAX.into(),
        "u128" => integer(random, (0, i128::MAX)).into(),
        "i128" => integer(random, (i128::MIN, i128::MAX)).into(),
        "Duration" => Value::structure([
            ("seconds", Value::from(random.below(1_000))),
            ("nanoseconds", random.below(1_000_000_000).into()),
        ]),
        "Decimal" => {
            let mut bytes = bytes(random, 16);
            let sign = if random.chance(500) { 0x80 } else { 0 };
            bytes[12..].copy_from_slice(&[0, 0, random.below(29) as u8, sign]);
            Value::Bytes(bytes.into())
        }
        "Uuid" | "NetworkHash128" => Value::Bytes(bytes(random, 16).into()),
        "Postcard" => {
            let count = random.below(9) as usize;
            Value::Bytes(bytes(random, count).into())
        }
        "NetRef" => Value::object(NetId(random.below(20))),
        "BehaviourRef" => {
            let object = random.below(20);
            let index = if object == 0 {
                0
            } else {
                random.below(64) as u8
            };
            let object = NetId(object).into();
            Value::Behaviour { object, index }
        }
        "Plane" => Value::structure([
            ("normal", named_value(random, "Vector3")),
            ("distance", named_value(random, "f32")),
        ]),
        "Matrix4x4" => floats(random, 16),
        "Mat2" => floats(random, 4),
        "Mat3" => floats(random, 9),
        "NetId" | "LayerMask" => integer(random, range("u32").unwrap()).into(),
        name => {
            let plain = name.strip_prefix("NonZero").unwrap_or(name);
            let number = integer(random, range(&plain.to_lowercase()).unwrap());
            let is_zero = number == 0 && plain != name;
            if is_zero { 1 } else { number }.into()
        }
    }
}

/// Returns a random value of a type.
pub(super) fn value(random: &mut Random, of: &SchemaType) -> Value {
    let many = |random: &mut Random, of: &SchemaType| -> Vec<Value> {
        (0..random.below(4)).map(|_| value(random, of)).collect()
    };
    let map = |random: &mut Random, key: &SchemaType, of: &SchemaType| {
        let keys = many(random, key).into_iter();
        let entries: Vec<_> = keys.map(|key| (key, value(random, of))).collect();
        Value::map(entries)
    };
    match of {
        SchemaType::Named(name) => named_value(random, name),
        SchemaType::Struct { members, .. } => {
            let members = members.iter();
            Value::structure(members.map(|it| (&it.names.name, value(random, &it.value))))
        }
        SchemaType::Enum { variants, .. } => {
            let variant = random.pick(variants).unwrap();
            let members = variant.members.iter();
            let members = members.map(|it| (&it.names.name, value(random, &it.value)));
            let members: Vec<_> = members.collect();
            Value::variant_of(variant.names.name.as_str(), members)
        }
        SchemaType::Sequence(element) if **element == named("u8") => {
            let count = random.below(5) as usize;
            Value::Bytes(bytes(random, count).into())
        }
        SchemaType::Sequence(element) => Value::List(many(random, element)),
        SchemaType::Array(element, longest) if **element == named("FixedString") => {
            text(random, *longest).into()
        }
        SchemaType::Array(element, count) => {
            Value::List((0..*count).map(|_| value(random, element)).collect())
        }
        SchemaType::Optional(of) => Value::optional(random.chance(600).then(|| value(random, of))),
        SchemaType::Map(key, of) => map(random, key, of),
        SchemaType::Set(element) => Value::set(many(random, element)),
        SchemaType::Collection { parts, name } => match (name.as_str(), parts.as_slice()) {
            ("SyncDictionary", [key, of]) => map(random, key, of),
            ("SyncList", [element]) => Value::List(many(random, element)),
            (_, elements) => Value::set(many(random, &elements[0])),
        },
        SchemaType::Encoded {
            codec,
            parameters,
            value: of,
        } => encoded_value(random, (codec, parameters), of),
        _ => unreachable!("a type of these tests"),
    }
}

/// Returns a value within the range of its encoding.
fn encoded_value(
    random: &mut Random,
    (codec, parameters): (&str, &[i64]),
    of: &SchemaType,
) -> Value {
    let SchemaType::Named(name) = of else {
        unreachable!("a type of these tests");
    };
    let (low, high) = match codec {
        "Bits" => {
            let bits = parameters[0];
            let range = if name.starts_with('u') {
                (0, (1 << bits) - 1)
            } else {
                (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            };
            return integer(random, range).into();
        }
        "Quantized" => (parameters[0] as f32, parameters[1] as f32),
        "Half" => (-60_000.0, 60_000.0),
        "SmallestThree" => (-1.0, 1.0),
        _ => return value(random, of),
    };
    let mut one = |_: &&str| match random.below(8) {
        0 => random.between(0.0, 1e-6),
        1 => 0.0,
        _ => random.between(low, high),
    };
    match parts(name) {
        Some((members, _)) => Value::structure(members.iter().map(|it| (it, one(it)))),
        None => one(&"").into(),
    }
}
