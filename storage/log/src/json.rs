//! Values in JSON: the form of the feature `serde`, without its crates.

use serde_json::{Map, Number};
use syncvar_runtime::untyped::{MapValue, StructValue, Value};

/// Returns a value in JSON. Members stand by name, a tuple is a list. A variant without data is its name, with data an
/// object of its name and its members. A map with keys that are no texts is a list of pairs. References are the numbers
/// of their objects. A number that JSON lacks is null.
pub fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Integer(value) => number(Number::from_i128(*value)),
        Value::Unsigned(value) => number(Number::from_u128(*value)),
        Value::Float(value) => (*value).into(),
        Value::Char(value) => value.to_string().into(),
        Value::Text(value) => value.as_str().into(),
        Value::Bytes(bytes) => bytes.to_vec().into(),
        Value::List(values) => values.iter().map(to_json).collect(),
        Value::Set(elements) => elements.iter().map(to_json).collect(),
        Value::Map(entries) => map(entries),
        Value::Struct(members) => members_to_json(members),
        Value::Variant(variant) if variant.members.is_empty() => variant.name.as_ref().into(),
        Value::Variant(variant) => {
            let members = members_to_json(&variant.members);
            Map::from_iter([(variant.name.to_string(), members)]).into()
        }
        Value::Optional(Some(value)) => to_json(value),
        Value::Object(object) => object.id().0.into(),
        Value::Behaviour { object, index } => {
            vec![object.id().0.into(), serde_json::Value::from(*index)].into()
        }
        // `Optional(None)`.
        _ => serde_json::Value::Null,
    }
}

/// Returns a number of up to 64 bits, and a larger one as the nearest float.
fn number(number: Option<Number>) -> serde_json::Value {
    number.map_or(serde_json::Value::Null, serde_json::Value::Number)
}

fn map(entries: &MapValue) -> serde_json::Value {
    let texts = entries.iter().map(|(key, value)| {
        let key = key.as_str()?;
        Some((key.to_owned(), to_json(value)))
    });
    if let Some(members) = texts.collect::<Option<Map<_, _>>>() {
        return members.into();
    }
    let pair = |(key, value)| serde_json::Value::from(vec![to_json(key), to_json(value)]);
    entries.iter().map(pair).collect()
}

fn members_to_json(members: &StructValue) -> serde_json::Value {
    if members.is_tuple() {
        return members.iter().map(|(_, value)| to_json(value)).collect();
    }
    let members = members.iter();
    let members = members.map(|(name, value)| (name.to_string(), to_json(value)));
    members.collect::<Map<_, _>>().into()
}
