//! Numbers of another width or codec, texts, and values of one type with another codec.

use super::{TypeRefusal, Types, refusal};
use crate::schema::SchemaType;
use crate::translate::conversion::{Conversion, MembersConversion, Step};
use crate::translate::layout::{ArrayLayout, Layout, Scalar, StructLayout};

/// Types whose numbers become numbers of another width.
fn is_number(of: &SchemaType) -> bool {
    const NUMBERS: [&str; 12] = [
        "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128", "f32", "f64",
    ];
    match of {
        SchemaType::Named(name) => NUMBERS.contains(&name.as_str()) || name.starts_with("NonZero"),
        SchemaType::Encoded { value, .. } => is_number(value),
        _ => false,
    }
}

/// Returns the type of a value behind the codecs.
pub(super) fn uncoded(of: &SchemaType) -> &SchemaType {
    match of {
        SchemaType::Encoded { value, .. } => uncoded(value),
        _ => of,
    }
}

impl Types<'_> {
    /// Returns the conversion of two types without parts of the schema.
    pub(super) fn by_layout(
        &self,
        from: &SchemaType,
        to: &SchemaType,
    ) -> Result<Conversion, TypeRefusal> {
        let (from_layout, to_layout) = (self.layout(from)?, self.layout(to)?);
        let is_same_value = uncoded(from) == uncoded(to) || is_vector(&from_layout, &to_layout);
        if !(is_same_value
            || (is_number(from) && is_number(to))
            || are_texts(&from_layout, &to_layout))
        {
            return Err(refusal(from, to));
        }
        between(&from_layout, &to_layout).ok_or_else(|| refusal(from, to))
    }
}

fn are_texts(from: &Layout, to: &Layout) -> bool {
    matches!((from, to), (Layout::Text { .. }, Layout::Text { .. }))
}

/// Returns whether two structs of the library have members of equal names: vectors with components of another width.
fn is_vector(from: &Layout, to: &Layout) -> bool {
    match (from, to) {
        (Layout::Struct(from), Layout::Struct(to)) => from.names == to.names,
        _ => false,
    }
}

/// Returns the conversion between layouts of equal structure.
fn between(from: &Layout, to: &Layout) -> Option<Conversion> {
    Some(match (from, to) {
        (Layout::Scalar(from), Layout::Scalar(to)) if from == to => {
            Conversion::Copy(Layout::Scalar(*from))
        }
        (Layout::Scalar(from), Layout::Scalar(to)) if is_convertible(*from, *to) => {
            Conversion::Scalar {
                from: *from,
                to: *to,
            }
        }
        (Layout::Text { longest: from }, Layout::Text { longest: to }) if from <= to => {
            Conversion::Copy(Layout::Text { longest: *from })
        }
        (Layout::Text { .. }, Layout::Text { longest }) => Conversion::Text(*longest),
        (Layout::Struct(from), Layout::Struct(to)) => Conversion::Struct(structs(from, to)?),
        (Layout::Array(from), Layout::Array(to)) if from.count == to.count => arrays(from, to)?,
        (Layout::Rotation(_), Layout::Struct(_)) | (Layout::Struct(_), Layout::Rotation(_)) => {
            Conversion::ByValue(Box::new((from.clone(), to.clone())))
        }
        _ => return None,
    })
}

fn structs(from: &StructLayout, to: &StructLayout) -> Option<MembersConversion> {
    if from.members.len() != to.members.len() {
        return None;
    }
    let pairs = from.members.iter().zip(&to.members).enumerate();
    let steps = pairs.map(|(at, (from, to))| Some(Step::Take(at, between(from, to)?)));
    Some(MembersConversion {
        steps: steps.collect::<Option<_>>()?,
        permuted: None,
    })
}

fn arrays(from: &ArrayLayout, to: &ArrayLayout) -> Option<Conversion> {
    // A refusal of types that cannot be converted; the values travel by their layouts.
    between(&from.element, &to.element)?;
    let layouts = (Layout::Array(from.clone()), Layout::Array(to.clone()));
    Some(Conversion::ByValue(Box::new(layouts)))
}

/// Returns whether values of a scalar can be values of a second scalar.
const fn is_convertible(from: Scalar, to: Scalar) -> bool {
    const fn is_float(of: Scalar) -> bool {
        matches!(
            of,
            Scalar::F32 | Scalar::F64 | Scalar::Half { .. } | Scalar::Quantized { .. }
        )
    }
    const fn is_char(of: Scalar) -> bool {
        matches!(of, Scalar::Char | Scalar::FixedChar)
    }
    match (from, to) {
        (Scalar::Integer(_), Scalar::Integer(_)) => true,
        _ => (is_float(from) && is_float(to)) || (is_char(from) && is_char(to)),
    }
}
