//! Building of conversions from the types of both schemas.

mod enumeration;
mod members;
mod numbers;
mod sequences;

pub use members::find;

use std::cell::Cell;
use std::fmt;

use super::super::layout::{Layout, Measures};
use super::{Conversion, Operations};
use crate::schema::SchemaType;
use crate::value::Value;

/// Reason why a type cannot become a second type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRefusal(pub String);

impl fmt::Display for TypeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Builder of the conversions of a direction.
#[derive(Clone, Copy, Debug)]
pub struct Types<'a> {
    /// Measures of the types without a layout.
    pub measures: &'a Measures,
    /// Memory left for values in the place of missing members, in bytes: see [`MAX_INSERTED`].
    pub inserted: &'a Cell<usize>,
}

/// Limit of the values in the place of missing members, in bytes. A schema of few bytes can state arrays of any length.
pub const MAX_INSERTED: usize = 4 << 20;

impl Types<'_> {
    /// Returns the conversion of a value. `present` is the reader's value where the writer has none: that of the prefab.
    ///
    /// # Errors
    ///
    /// When no rule converts the types.
    pub fn convert(
        &self,
        from: &SchemaType,
        to: &SchemaType,
        present: Option<&Value>,
    ) -> Result<Conversion, TypeRefusal> {
        if has_same_bytes(from, to) {
            return Ok(Conversion::Copy(self.layout(from)?));
        }
        match (from, to) {
            (SchemaType::Optional(from), SchemaType::Optional(to)) => {
                let value = self.convert(from, to, None)?;
                Ok(Conversion::Optional(Box::new(value)))
            }
            (_, SchemaType::Optional(to)) => {
                let value = self.convert(from, to, None)?;
                Ok(Conversion::Wrap(Box::new(value)))
            }
            (SchemaType::Optional(from), _) => {
                let value = self.convert(from, to, present)?;
                Ok(Conversion::Unwrap(Box::new(value), self.zeroed_layout(to)?))
            }
            (SchemaType::Struct { members: from, .. }, SchemaType::Struct { members: to, .. }) => {
                let present = present.and_then(Value::as_struct);
                Ok(Conversion::Struct(self.members(from, to, present)?))
            }
            (SchemaType::Enum { variants: from, .. }, SchemaType::Enum { variants: to, .. }) => {
                Ok(Conversion::Enum(self.variants(from, to)?))
            }
            // One type with two codecs.
            _ if numbers::uncoded(from) == numbers::uncoded(to) => self.by_layout(from, to),
            _ => match self.sequences(from, to) {
                Some(conversion) => conversion,
                None => self.by_layout(from, to),
            },
        }
    }

    /// Returns the conversion of the operations of a collection; `None` for a field of another type.
    ///
    /// # Errors
    ///
    /// When no rule converts the types.
    pub fn operations(
        &self,
        from: &SchemaType,
        to: &SchemaType,
        whole: &Conversion,
    ) -> Result<Option<Operations>, TypeRefusal> {
        let SchemaType::Collection { parts, .. } = from else {
            return Ok(None);
        };
        let Layout::Collection(layout) = self.layout(from)? else {
            return Ok(None);
        };
        let to_parts = match to {
            SchemaType::Collection { parts, .. } => parts.iter().collect(),
            SchemaType::Sequence(part) | SchemaType::Array(part, _) | SchemaType::Set(part) => {
                vec![&**part]
            }
            SchemaType::Map(key, value) => vec![&**key, &**value],
            _ => return Err(refusal(from, to)),
        };
        let mut converted = Vec::new();
        let mut parts_of_reader = Vec::new();
        for (from, to) in parts.iter().zip(to_parts) {
            converted.push(self.convert(from, to, None)?);
            parts_of_reader.push(self.layout(to)?);
        }
        let mut converted = converted.into_iter();
        let element = converted.next().ok_or_else(|| refusal(from, to))?;
        Ok(Some(Operations {
            kind: layout.kind,
            element,
            value: converted.next(),
            whole: whole.clone(),
            to: self.layout(to)?,
            parts: parts_of_reader,
        }))
    }

    /// Returns the layout of a type.
    ///
    /// # Errors
    ///
    /// When the type has none.
    pub fn layout(&self, of: &SchemaType) -> Result<Layout, TypeRefusal> {
        Layout::of(of, self.measures).map_err(|unknown| TypeRefusal(unknown.to_string()))
    }

    /// Returns the layout of a type with a value 0, for values that do not fit.
    fn zeroed_layout(&self, of: &SchemaType) -> Result<Layout, TypeRefusal> {
        let layout = self.layout(of)?;
        if layout.zero().is_none() {
            return Err(TypeRefusal(format!(
                "`{of}` has no value in the place of a missing value"
            )));
        }
        Ok(layout)
    }
}

/// Returns whether values of the writer's type are values of the reader's type, byte for byte. Names of structs do not
/// matter, and neither do former names.
fn has_same_bytes(from: &SchemaType, to: &SchemaType) -> bool {
    match (from, to) {
        (SchemaType::Struct { members: from, .. }, SchemaType::Struct { members: to, .. }) => {
            have_same_bytes(from, to)
        }
        (SchemaType::Enum { variants: from, .. }, SchemaType::Enum { variants: to, .. }) => {
            let mut pairs = from.iter().zip(to);
            from.len() == to.len()
                && pairs.all(|(from, to)| {
                    from.names.name == to.names.name
                        && from.number == to.number
                        && have_same_bytes(&from.members, &to.members)
                })
        }
        (SchemaType::Sequence(from), SchemaType::Sequence(to))
        | (SchemaType::Optional(from), SchemaType::Optional(to))
        | (SchemaType::Set(from), SchemaType::Set(to)) => has_same_bytes(from, to),
        (SchemaType::Array(from, count), SchemaType::Array(to, other)) => {
            count == other && has_same_bytes(from, to)
        }
        (SchemaType::Map(key, value), SchemaType::Map(to_key, to_value)) => {
            has_same_bytes(key, to_key) && has_same_bytes(value, to_value)
        }
        (
            SchemaType::Collection { name, parts },
            SchemaType::Collection {
                name: other,
                parts: to,
            },
        ) => {
            let mut pairs = parts.iter().zip(to);
            name == other
                && parts.len() == to.len()
                && pairs.all(|(from, to)| has_same_bytes(from, to))
        }
        (SchemaType::Encoded { value, .. }, SchemaType::Encoded { value: other, .. })
            if same_codec(from, to) =>
        {
            has_same_bytes(value, other)
        }
        (SchemaType::Measured(from), _) => has_same_bytes(from, to),
        (_, SchemaType::Measured(to)) => has_same_bytes(from, to),
        _ => from == to,
    }
}

fn have_same_bytes(
    from: &[crate::schema::SchemaMember],
    to: &[crate::schema::SchemaMember],
) -> bool {
    let mut pairs = from.iter().zip(to);
    from.len() == to.len()
        && pairs.all(|(from, to)| {
            from.names.name == to.names.name && has_same_bytes(&from.value, &to.value)
        })
}

fn same_codec(from: &SchemaType, to: &SchemaType) -> bool {
    match (from, to) {
        (
            SchemaType::Encoded {
                codec, parameters, ..
            },
            SchemaType::Encoded {
                codec: other,
                parameters: to,
                ..
            },
        ) => codec == other && parameters == to,
        _ => false,
    }
}

/// Describes two types that no rule converts.
pub(super) fn refusal(from: &SchemaType, to: &SchemaType) -> TypeRefusal {
    TypeRefusal(format!("`{from}` cannot become `{to}`"))
}
