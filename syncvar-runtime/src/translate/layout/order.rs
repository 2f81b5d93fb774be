//! The order of keys, as the `Ord` of a Rust type has it.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Layout, StructLayout, VariantLayout};
use crate::value::{MapValue, StructValue, Value};

impl Layout {
    /// Compares two keys: numbers by size, texts by their bytes, structs by their members in order, variants by their numbers.
    /// Values that do not fit the type are equal.
    pub fn compare(&self, a: &Value, b: &Value) -> Ordering {
        match (self, a, b) {
            (_, Value::Optional(a), Value::Optional(b)) => match (self, a, b) {
                (Self::Optional(layout), Some(a), Some(b)) => layout.compare(a, b),
                _ => a.is_some().cmp(&b.is_some()),
            },
            (Self::Struct(layout), Value::Struct(a), Value::Struct(b)) => layout.compare(a, b),
            (Self::Enum(layout), Value::Variant(a), Value::Variant(b)) => {
                let find = |name: &Arc<str>| layout.variants.iter().find(|it| it.name == *name);
                match (find(&a.name), find(&b.name)) {
                    (Some(variant), Some(other)) if variant.name == other.name => {
                        variant.members.compare(&a.members, &b.members)
                    }
                    (variant, other) => {
                        let number = |it: &VariantLayout| it.number;
                        variant.map(number).cmp(&other.map(number))
                    }
                }
            }
            (Self::Sequence(element), Value::List(a), Value::List(b)) => {
                element.compare_lists(a, b)
            }
            (Self::Array(layout), Value::List(a), Value::List(b)) => {
                layout.element.compare_lists(a, b)
            }
            (Self::Set(element), Value::Set(a), Value::Set(b)) => {
                let (a, b) = (element.sorted(a.iter()), element.sorted(b.iter()));
                let elements = a.iter().zip(&b).map(|(a, b)| element.compare(a, b));
                first_difference(elements).then(a.len().cmp(&b.len()))
            }
            (Self::Map(map), Value::Map(a), Value::Map(b)) => {
                let (a, b) = (map.key.sorted_entries(a), map.key.sorted_entries(b));
                let pairs = a.iter().zip(&b);
                let entries = pairs.map(|((key, value), (other_key, other_value))| {
                    let keys = map.key.compare(key, other_key);
                    keys.then_with(|| map.value.compare(value, other_value))
                });
                first_difference(entries).then(a.len().cmp(&b.len()))
            }
            _ => compare_scalars(a, b),
        }
    }

    /// Returns the elements of a set in order.
    pub(super) fn sorted<'a>(&self, elements: impl Iterator<Item = &'a Value>) -> Vec<&'a Value> {
        let mut sorted: Vec<_> = elements.collect();
        self.sort(&mut sorted);
        sorted
    }

    fn sort(&self, elements: &mut [&Value]) {
        elements.sort_by(|a, b| self.compare(a, b));
    }

    /// Returns the entries of a map in the order of their keys, which have this layout.
    pub(super) fn sorted_entries<'a>(&self, entries: &'a MapValue) -> Vec<(&'a Value, &'a Value)> {
        let mut sorted: Vec<_> = entries.iter().collect();
        sorted.sort_by(|(a, _), (b, _)| self.compare(a, b));
        sorted
    }

    fn compare_lists(&self, a: &[Value], b: &[Value]) -> Ordering {
        let elements = a.iter().zip(b).map(|(a, b)| self.compare(a, b));
        first_difference(elements).then(a.len().cmp(&b.len()))
    }
}

impl StructLayout {
    fn compare(&self, a: &StructValue, b: &StructValue) -> Ordering {
        let members = self.names.iter().zip(&self.members);
        first_difference(
            members.map(|(name, layout)| match (a.get(name), b.get(name)) {
                (Some(a), Some(b)) => layout.compare(a, b),
                _ => Ordering::Equal,
            }),
        )
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn compare_scalars(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Unsigned(a), Value::Unsigned(b)) => a.cmp(b),
        (Value::Integer(_), Value::Unsigned(_)) => Ordering::Less,
        (Value::Unsigned(_), Value::Integer(_)) => Ordering::Greater,
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Char(a), Value::Char(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Object(a), Value::Object(b)) => a.cmp(b),
        (
            Value::Behaviour { object, index },
            Value::Behaviour {
                object: other,
                index: at,
            },
        ) => (object, index).cmp(&(other, at)),
        _ => Ordering::Equal,
    }
}
