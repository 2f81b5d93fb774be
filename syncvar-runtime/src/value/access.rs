//! Access to the parts of a value.

use std::ops::Index;

use super::{MapValue, SetValue, StructValue, Value};
use crate::NetId;

impl Value {
    /// Returns the truth value.
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the integer, if it fits `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => (*value).try_into().ok(),
            _ => None,
        }
    }

    /// Returns the integer, if it fits `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Integer(value) => (*value).try_into().ok(),
            _ => None,
        }
    }

    /// Returns the float, or an integer of at most 53 bits as a float.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Integer(value) => float_of(*value),
            _ => None,
        }
    }

    /// Returns the text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the elements.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the elements of a set.
    pub fn as_set(&self) -> Option<&SetValue> {
        match self {
            Self::Set(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the keys with their values.
    pub fn as_map(&self) -> Option<&MapValue> {
        match self {
            Self::Map(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the members of a struct or variant.
    pub const fn as_struct(&self) -> Option<&StructValue> {
        match self {
            Self::Struct(value) => Some(value),
            Self::Variant(variant) => Some(&variant.members),
            _ => None,
        }
    }

    /// Returns the name of the variant.
    pub fn as_variant(&self) -> Option<&str> {
        match self {
            Self::Variant(variant) => Some(&variant.name),
            _ => None,
        }
    }

    /// Returns the content of an optional value; `None` for other values.
    pub fn as_optional(&self) -> Option<Option<&Self>> {
        match self {
            Self::Optional(value) => Some(value.as_deref()),
            _ => None,
        }
    }

    /// Returns the object of a reference; [`NetId::NONE`] for no reference.
    pub const fn as_object(&self) -> Option<NetId> {
        match self {
            Self::Object(object) | Self::Behaviour { object, .. } => Some(object.id()),
            _ => None,
        }
    }

    /// Returns a member of a struct or variant, or the value of a text key of a map.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.get(&name.into()),
            _ => self.as_struct()?.get(name),
        }
    }

    /// Like [`get`](Self::get), for writing.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        match self {
            Self::Map(entries) => entries.get_mut(&name.into()),
            Self::Struct(members) => members.get_mut(name),
            Self::Variant(variant) => variant.members.get_mut(name),
            _ => None,
        }
    }
}

/// Access to a member.
///
/// # Panics
///
/// When the value lacks the member.
impl Index<&str> for Value {
    type Output = Self;

    #[track_caller]
    fn index(&self, name: &str) -> &Self {
        match self.get(name) {
            Some(value) => value,
            None => panic!("no member `{name}` in {self}"),
        }
    }
}

/// Access to an element of a list.
///
/// # Panics
///
/// When the value lacks the element.
impl Index<usize> for Value {
    type Output = Self;

    #[track_caller]
    fn index(&self, index: usize) -> &Self {
        match self.as_list().and_then(|list| list.get(index)) {
            Some(value) => value,
            None => panic!("no element {index} in {self}"),
        }
    }
}

/// Returns an integer of at most 53 bits as a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "a number of at most 53 bits is exact"
)]
pub(crate) fn float_of(value: i128) -> Option<f64> {
    (value.unsigned_abs() <= 1 << 53).then_some(value as f64)
}
