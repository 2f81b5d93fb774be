//! Values as the client in TypeScript shows them, in JSON.
//!
//! JSON has no other numbers, bytes, maps and sets: an object with one member whose name begins with `$` stands for each.

use serde_json::{Value as Json, json};
use syncvar::schema::{SchemaMember, SchemaType};
use syncvar::untyped::{StructValue, Value};

/// Returns a value of a type.
pub(super) fn json(of: &SchemaType, value: &Value) -> Json {
    match (of, value) {
        (SchemaType::Encoded { value: of, .. } | SchemaType::Measured(of), _) => json(of, value),
        (SchemaType::Named(name), _) => named(name, value),
        (SchemaType::Struct { members, .. }, Value::Struct(values)) => structure(members, values),
        (SchemaType::Enum { variants, .. }, Value::Variant(variant)) => {
            let of = variants.iter().find(|it| *it.names.name == *variant.name);
            let of = of.expect("a variant of its type");
            if of.members.is_empty() {
                return json!(of.names.name);
            }
            json!({ &of.names.name: structure(&of.members, &variant.members) })
        }
        (SchemaType::Optional(of), Value::Optional(value)) => {
            value.as_ref().map_or(Json::Null, |value| json(of, value))
        }
        (SchemaType::Sequence(of) | SchemaType::Array(of, _), Value::List(all)) => {
            all.iter().map(|it| json(of, it)).collect()
        }
        (SchemaType::Array(..), Value::Bytes(all)) => json!(all.to_vec()),
        (SchemaType::Map(key, of), Value::Map(_)) => map(key, of, value),
        (SchemaType::Set(of), Value::Set(_)) => set(of, value),
        (SchemaType::Collection { parts, .. }, _) => match (parts.as_slice(), value) {
            ([key, of], _) => map(key, of, value),
            ([of], Value::List(all)) => all.iter().map(|it| json(of, it)).collect(),
            (parts, _) => set(&parts[0], value),
        },
        (_, value) => plain(value),
    }
}

/// Returns the arguments of a call.
pub(super) fn arguments(of: &[SchemaMember], values: &[Value]) -> Json {
    let all = of.iter().zip(values);
    all.map(|(of, value)| json(&of.value, value)).collect()
}

fn structure(of: &[SchemaMember], values: &StructValue) -> Json {
    let all = of.iter().zip(values.iter());
    let mut all = all.map(|(of, (name, value))| (name.to_owned(), json(&of.value, value)));
    if values.is_tuple() {
        all.map(|(_, value)| value).collect()
    } else {
        Json::Object(all.by_ref().collect())
    }
}

fn map(key: &SchemaType, of: &SchemaType, value: &Value) -> Json {
    let Value::Map(entries) = value else {
        return plain(value);
    };
    let entries = entries
        .iter()
        .map(|(at, value)| json!([json(key, at), json(of, value)]));
    json!({ "$map": sorted(entries) })
}

fn set(of: &SchemaType, value: &Value) -> Json {
    let Value::Set(elements) = value else {
        return plain(value);
    };
    json!({ "$set": sorted(elements.iter().map(|it| json(of, it))) })
}

/// Returns elements in one order: that of the wire says nothing.
fn sorted(elements: impl Iterator<Item = Json>) -> Vec<Json> {
    let mut all: Vec<_> = elements.collect();
    all.sort_by_key(Json::to_string);
    all
}

fn named(name: &str, value: &Value) -> Json {
    match value {
        Value::Integer(number) if name.ends_with("64") || name.ends_with("128") => {
            json!({ "$big": number.to_string() })
        }
        Value::Struct(parts) if name == "Duration" => {
            let number = |name: &str| parts.get(name).and_then(Value::as_f64).unwrap_or_default();
            json!(number("seconds") + number("nanoseconds") / 1e9)
        }
        Value::Bytes(bytes) if name == "NetworkHash128" => json!(hex::encode(bytes)),
        Value::Bytes(bytes) if name == "Uuid" => {
            let text = hex::encode(bytes);
            let parts = [
                &text[..8],
                &text[8..12],
                &text[12..16],
                &text[16..20],
                &text[20..],
            ];
            json!(parts.join("-"))
        }
        Value::Bytes(bytes) if name == "Decimal" => json!(decimal(bytes)),
        value => plain(value),
    }
}

/// Returns the text of a decimal: 12 bytes of digits, a scale and a sign.
fn decimal(bytes: &[u8]) -> String {
    let low = bytes[..12].iter().rev();
    let digits = low.fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    let scale = usize::from(bytes[14]);
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, part) = digits.split_at(digits.len() - scale);
    let (sign, point) = (
        if bytes[15] > 0 { "-" } else { "" },
        if scale > 0 { "." } else { "" },
    );
    format!("{sign}{whole}{point}{part}")
}

/// Returns a value whose kind says everything.
fn plain(value: &Value) -> Json {
    match value {
        Value::Bool(it) => json!(it),
        Value::Integer(it) => json!(i64::try_from(*it).expect("a number of 32 bits")),
        Value::Unsigned(it) => json!({ "$big": it.to_string() }),
        Value::Float(it) if it.is_finite() && (*it != 0.0 || it.is_sign_positive()) => json!(it),
        Value::Float(it) if it.is_nan() => json!({ "$float": "NaN" }),
        Value::Float(it) if it.is_infinite() => {
            json!({ "$float": if *it > 0.0 { "Infinity" } else { "-Infinity" } })
        }
        Value::Float(_) => json!({ "$float": "-0" }),
        Value::Char(it) => json!(it.to_string()),
        Value::Text(it) => json!(it),
        Value::Bytes(it) => json!({ "$bytes": hex::encode(it) }),
        Value::List(all) => all.iter().map(plain).collect(),
        Value::Struct(members) => {
            let members = members.iter();
            Json::Object(
                members
                    .map(|(name, it)| (name.to_owned(), plain(it)))
                    .collect(),
            )
        }
        Value::Object(object) => json!(object.id().0),
        Value::Behaviour { object, index } if object.id().0 > 0 => {
            json!({ "object": object.id().0, "behaviour": index })
        }
        Value::Behaviour { .. } => Json::Null,
        other => unreachable!("{other} has a type with parts"),
    }
}
