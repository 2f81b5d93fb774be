//! Equality and hashes of values, by their bytes: floats are compared by their bits.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

use super::{StructValue, Value, VariantValue};

impl PartialEq for StructValue {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.names, &other.names) || self.names == other.names)
            && self.values == other.values
    }
}

impl Eq for StructValue {}

impl Hash for StructValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.values.hash(state);
    }
}

impl PartialEq for VariantValue {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.members == other.members
    }
}

impl Eq for VariantValue {}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Unsigned(a), Self::Unsigned(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Char(a), Self::Char(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Set(a), Self::Set(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Struct(a), Self::Struct(b)) => a == b,
            (Self::Variant(a), Self::Variant(b)) => a == b,
            (Self::Optional(a), Self::Optional(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            (
                Self::Behaviour { object, index },
                Self::Behaviour {
                    object: other,
                    index: at,
                },
            ) => (object, index) == (other, at),
            _ => false,
        }
    }
}

impl Eq for Value {}

/// Hash of a key. Maps and sets hash their length alone: their order does not count.
impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        discriminant(self).hash(state);
        match self {
            Self::Bool(value) => value.hash(state),
            Self::Integer(value) => value.hash(state),
            Self::Unsigned(value) => value.hash(state),
            Self::Float(value) => value.to_bits().hash(state),
            Self::Char(value) => value.hash(state),
            Self::Text(value) => value.hash(state),
            Self::Bytes(value) => value.hash(state),
            Self::List(values) => values.hash(state),
            Self::Set(elements) => elements.len().hash(state),
            Self::Map(entries) => entries.len().hash(state),
            Self::Struct(members) => members.hash(state),
            Self::Variant(variant) => {
                variant.name.hash(state);
                variant.members.hash(state);
            }
            Self::Optional(value) => value.hash(state),
            Self::Object(object) => object.hash(state),
            Self::Behaviour { object, index } => (object, index).hash(state),
        }
    }
}
