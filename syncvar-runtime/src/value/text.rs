//! Texts of values.

use std::fmt;

use super::{StructValue, Value, VariantValue};

/// Text such as `{ x: 1.5, names: ["a", "b"] }`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Char(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "{value:?}"),
            Self::Bytes(bytes) => write_bytes(f, bytes),
            Self::List(values) => write_list(f, "[", values.iter(), "]"),
            Self::Set(elements) => write_list(f, "{", elements.iter(), "}"),
            Self::Map(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", separator(index, ""))?;
                }
                f.write_str("}")
            }
            Self::Struct(members) => members.fmt(f),
            Self::Variant(variant) => variant.fmt(f),
            Self::Optional(Some(value)) => value.fmt(f),
            Self::Optional(None) => f.write_str("none"),
            Self::Object(object) => object.fmt(f),
            Self::Behaviour { object, .. } if object.is_none() => object.fmt(f),
            Self::Behaviour { object, index } => write!(f, "{object}.{index}"),
        }
    }
}

/// Text such as `{ x: 1, y: 2 }`, and `(1, 2)` for a tuple.
impl fmt::Display for StructValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_tuple() {
            return write_list(f, "(", self.values().iter(), ")");
        }
        f.write_str("{")?;
        for (index, (name, value)) in self.iter().enumerate() {
            write!(f, "{}{name}: {value}", separator(index, " "))?;
        }
        f.write_str(" }")
    }
}

/// Text such as `Run`, and `Burn { damage: 5 }` with members.
impl fmt::Display for VariantValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.members.is_tuple() {
            return self.members.fmt(f);
        }
        if self.members.is_empty() {
            return Ok(());
        }
        write!(f, " {}", self.members)
    }
}

const fn separator(index: usize, first: &'static str) -> &'static str {
    if index == 0 { first } else { ", " }
}

fn write_list<'a>(
    f: &mut fmt::Formatter<'_>,
    begin: &str,
    values: impl Iterator<Item = &'a Value>,
    end: &str,
) -> fmt::Result {
    f.write_str(begin)?;
    for (index, value) in values.enumerate() {
        write!(f, "{}{value}", separator(index, ""))?;
    }
    f.write_str(end)
}

fn write_bytes(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    f.write_str("0x")?;
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}
