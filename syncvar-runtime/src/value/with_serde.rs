//! Values in the data formats of serde, JSON above all.

use std::fmt;

use bytes::Bytes;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{MapValue, StructValue, Value, VariantValue};

/// Members by name; elements for a tuple. A variant without data is its name, with data a map of its name and its members. A
/// map with keys that are no texts is a list of pairs. References are the numbers of their objects.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serialize_integer(*value, serializer),
            Self::Unsigned(value) => serializer.serialize_u128(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Char(value) => serializer.serialize_char(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Bytes(value) => serializer.serialize_bytes(value),
            Self::List(values) => serializer.collect_seq(values),
            Self::Set(elements) => serializer.collect_seq(elements.iter()),
            Self::Map(entries) => serialize_map(entries, serializer),
            Self::Struct(members) => members.serialize(serializer),
            Self::Variant(variant) => variant.serialize(serializer),
            Self::Optional(None) => serializer.serialize_none(),
            Self::Optional(Some(value)) => value.serialize(serializer),
            Self::Object(object) => serializer.serialize_u32(object.id().0),
            Self::Behaviour { object, index } => (object.id().0, index).serialize(serializer),
        }
    }
}

/// Formats have integers of 64 bits mostly.
fn serialize_integer<S: Serializer>(value: i128, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(value) = i64::try_from(value) {
        return serializer.serialize_i64(value);
    }
    match u64::try_from(value) {
        Ok(value) => serializer.serialize_u64(value),
        Err(_) => serializer.serialize_i128(value),
    }
}

fn serialize_map<S: Serializer>(entries: &MapValue, serializer: S) -> Result<S::Ok, S::Error> {
    if entries.iter().all(|(key, _)| key.as_str().is_some()) {
        return serializer.collect_map(entries.iter());
    }
    let mut pairs = serializer.serialize_seq(Some(entries.len()))?;
    for pair in entries.iter() {
        pairs.serialize_element(&pair)?;
    }
    pairs.end()
}

impl Serialize for StructValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_tuple() {
            return serializer.collect_seq(self.values());
        }
        serializer.collect_map(self.iter())
    }
}

impl Serialize for VariantValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.members.is_empty() {
            return serializer.serialize_str(&self.name);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(&*self.name, &self.members)?;
        map.end()
    }
}

/// Numbers, texts, lists and structs. A write to a field accepts them for the other kinds: a text for a variant without data or
/// a character, a struct for a map or a variant with data, a list for a tuple, a set, a map or bytes, a number for an object.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_char<E>(self, value: char) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
        Ok(Bytes::copy_from_slice(value).into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Optional(None))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Optional(None))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(Value::Optional(Some(Box::new(value))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members: Vec<(String, Value)> = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            members.push((name, value));
        }
        Ok(Value::structure(members))
    }
}
