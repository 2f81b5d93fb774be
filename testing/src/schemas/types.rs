//! Random types, and random values of a type.

use syncvar::schema::{Names, SchemaMember, SchemaType, SchemaVariant};
use syncvar::testing::Random;
use syncvar::untyped::Value;

use super::codecs::{bits_range, random_encoded};

pub(crate) const INTEGERS: [&str; 8] = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"];

pub(crate) fn named(name: &str) -> SchemaType {
    SchemaType::Named(name.into())
}

pub(super) fn member(name: impl Into<String>, value: SchemaType) -> SchemaMember {
    SchemaMember {
        names: Names::new(name),
        value,
    }
}

/// Returns a type without parts.
pub(super) fn random_leaf(random: &mut Random) -> SchemaType {
    match random.below(14) {
        0..=5 => named(random.pick(&INTEGERS).unwrap()),
        6 => named("f32"),
        7 => named("f64"),
        8 => named("bool"),
        9 => named("Vector3"),
        12 | 13 => random_encoded(random),
        10 => SchemaType::Array(Box::new(named("FixedString")), 8),
        _ => named("String"),
    }
}

/// Returns a type of a key.
fn random_key(random: &mut Random) -> SchemaType {
    match random.below(3) {
        0 => named("String"),
        _ => named(random.pick(&INTEGERS).unwrap()),
    }
}

/// Returns a type with at most this many levels of parts.
pub(crate) fn random_type(random: &mut Random, depth: u32) -> SchemaType {
    let inner = |random: &mut Random| Box::new(random_type(random, depth - 1));
    if depth == 0 || random.chance(400) {
        return random_leaf(random);
    }
    match random.below(9) {
        0 => SchemaType::Optional(inner(random)),
        1 => SchemaType::Sequence(inner(random)),
        2 => SchemaType::Array(inner(random), 1 + random.below(3) as usize),
        3 => SchemaType::Map(Box::new(random_key(random)), inner(random)),
        4 => SchemaType::Set(Box::new(random_key(random))),
        5 | 6 => {
            let count = 1 + random.below(3);
            let members =
                (0..count).map(|at| member(format!("m{at}"), random_type(random, depth - 1)));
            SchemaType::Struct {
                name: "S".into(),
                members: members.collect(),
            }
        }
        _ => random_enum(random),
    }
}

fn random_enum(random: &mut Random) -> SchemaType {
    let has_data = random.chance(500);
    let count = 2 + random.below(3);
    let has_other = random.chance(600);
    let variants = (0..count).map(|at| SchemaVariant {
        names: Names::new(format!("V{at}")),
        number: i64::from(at * 2),
        is_other: has_other && at == 1,
        members: if has_data && random.chance(600) {
            vec![member("x", random_leaf(random))]
        } else {
            Vec::new()
        },
    });
    SchemaType::Enum {
        name: "E".into(),
        variants: variants.collect(),
    }
}

/// Returns the type of a field: a collection too.
pub(crate) fn random_field_type(random: &mut Random) -> SchemaType {
    let (name, parts) = match random.below(12) {
        0 | 3 => ("SyncList", vec![random_type(random, 1)]),
        1 => (
            "SyncDictionary",
            vec![random_key(random), random_type(random, 1)],
        ),
        2 => ("SyncHashSet", vec![random_key(random)]),
        4 | 5 => return random_enum(random),
        _ => return random_type(random, 2),
    };
    SchemaType::Collection {
        name: name.into(),
        parts,
    }
}

/// Returns the least and the greatest number of an integer type.
pub(crate) fn range(name: &str) -> Option<(i128, i128)> {
    let bits: u32 = name.get(1..)?.parse().ok()?;
    match name.get(..1)? {
        "u" => Some((0, (1 << bits) - 1)),
        "i" => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        _ => None,
    }
}

fn random_integer(random: &mut Random, name: &str) -> Value {
    random_within(random, range(name).unwrap())
}

fn random_within(random: &mut Random, (low, high): (i128, i128)) -> Value {
    let number = match random.below(4) {
        0 => i128::from(random.below(10)),
        1 => low + i128::from(random.below(3)),
        2 => high - i128::from(random.below(3)),
        _ => i128::from(random.number().cast_signed()) % (high + 1),
    };
    number.clamp(low, high).into()
}

/// Returns a random value of a type.
pub(super) fn random_value(random: &mut Random, of: &SchemaType) -> Value {
    let many = |random: &mut Random, of: &SchemaType| -> Vec<Value> {
        (0..random.below(4))
            .map(|_| random_value(random, of))
            .collect()
    };
    match of {
        SchemaType::Encoded {
            codec,
            parameters,
            value,
        } => match (&**value, codec.as_str()) {
            (SchemaType::Named(name), "Bits") => {
                random_within(random, bits_range(name, parameters[0]))
            }
            // Values of a quantised range too.
            (SchemaType::Named(name), _) if name == "f32" || name == "f64" => {
                Value::from(random.between(-10.0, 10.0))
            }
            _ => random_value(random, value),
        },
        SchemaType::Named(name) => match name.as_str() {
            "f32" => Value::from(random.between(-100.0, 100.0)),
            "f64" if random.chance(200) => Value::from(1e300),
            "f64" => Value::from(f64::from(random.between(-1.0, 1.0)) / 3.0),
            "bool" => Value::from(random.chance(500)),
            "String" => Value::from("ä".repeat(random.below(7) as usize)),
            "Vector3" => {
                let mut next = || Value::from(random.between(-9.0, 9.0));
                Value::structure([("x", next()), ("y", next()), ("z", next())])
            }
            name => random_integer(random, name),
        },
        SchemaType::Struct { members, .. } => Value::structure(
            members
                .iter()
                .map(|it| (&it.names.name, random_value(random, &it.value))),
        ),
        SchemaType::Enum { variants, .. } => {
            let variant = random.pick(variants).unwrap();
            let members = variant.members.iter();
            let members: Vec<_> = members
                .map(|it| (&it.names.name, random_value(random, &it.value)))
                .collect();
            Value::variant_of(variant.names.name.as_str(), members)
        }
        SchemaType::Sequence(element) if **element == named("u8") => {
            let bytes: Vec<u8> = (0..random.below(4))
                .map(|_| random.number().to_le_bytes()[0])
                .collect();
            Value::Bytes(bytes.into())
        }
        SchemaType::Sequence(element) => Value::List(many(random, element)),
        SchemaType::Array(element, longest) if **element == named("FixedString") => {
            Value::from("b".repeat(random.below(*longest as u32 + 1) as usize))
        }
        SchemaType::Array(element, count) => {
            Value::List((0..*count).map(|_| random_value(random, element)).collect())
        }
        SchemaType::Optional(value) => {
            Value::optional(random.chance(600).then(|| random_value(random, value)))
        }
        SchemaType::Map(key, value) => {
            let entries = many(random, key).into_iter();
            let entries: Vec<_> = entries
                .map(|key| (key, random_value(random, value)))
                .collect();
            Value::map(entries)
        }
        SchemaType::Set(element) => Value::set(many(random, element)),
        SchemaType::Collection { parts, name } => match (name.as_str(), parts.as_slice()) {
            ("SyncDictionary", [key, value]) => {
                let entries = many(random, key).into_iter();
                let entries: Vec<_> = entries
                    .map(|key| (key, random_value(random, value)))
                    .collect();
                Value::map(entries)
            }
            ("SyncList", [element]) => Value::List(many(random, element)),
            (_, [element, ..]) => Value::set(many(random, element)),
            _ => unreachable!("a collection of these tests"),
        },
        _ => unreachable!("a type of these tests"),
    }
}
