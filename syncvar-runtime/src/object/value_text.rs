//! Values as text, decoded from their bytes by their schema.

use std::fmt::{Debug, Write};

use crate::schema::{MemberSchema, TypeSchema, VariantSchema};
use crate::{
    Color, Color32, NetId, NetworkHash128, NetworkReader, NetworkSceneId, Quaternion, ReadResult,
    SyncValue, Vector2, Vector3, Vector4,
};

/// Returns a value as text, decoded from its bytes as in a snapshot. A type without a known text is
/// shown as its bytes.
pub(super) fn value_text(schema: &TypeSchema, mut reader: NetworkReader<'_>) -> String {
    let mut bytes = reader.clone();
    let mut text = String::new();
    let known = matches!(put_value(schema, &mut reader, &mut text), Ok(true));
    if known && reader.remaining() == 0 {
        return text;
    }
    let mut text = String::from("bytes");
    while let Ok(byte) = bytes.read_u8() {
        // A `String` takes any text.
        let _ = write!(text, " {byte:02x}");
    }
    text
}

/// Returns the elements of a collection without an order, each as its bytes as in a snapshot, sorted. `None` for other types,
/// and for elements without a known text.
pub(super) fn unordered_elements<'a>(
    schema: &TypeSchema,
    bytes: &'a [u8],
    mut reader: NetworkReader<'a>,
) -> Option<Vec<&'a [u8]>> {
    let parts: Vec<&TypeSchema> = match schema {
        TypeSchema::Map(key, value) => vec![key, value],
        TypeSchema::Set(element) => vec![element],
        TypeSchema::Collection {
            name: "SyncDictionary" | "SyncHashSet",
            parts,
        } => parts.iter().collect(),
        _ => return None,
    };
    let mut elements = Vec::new();
    for _ in 0..reader.read_count().ok()? {
        let start = bytes.len() - reader.remaining();
        for part in &parts {
            if !put_value(part, &mut reader, &mut String::new()).ok()? {
                return None;
            }
        }
        elements.push(&bytes[start..bytes.len() - reader.remaining()]);
    }
    elements.sort_unstable();
    Some(elements)
}

/// Appends one value; `false` for a type without a known text.
fn put_value(
    schema: &TypeSchema,
    reader: &mut NetworkReader<'_>,
    text: &mut String,
) -> ReadResult<bool> {
    match schema {
        TypeSchema::Named(name) => put_named(name, reader, text),
        TypeSchema::Struct { members, .. } => put_members(members, reader, text),
        TypeSchema::Enum { variants, .. } => put_variant(variants, reader, text),
        TypeSchema::Sequence(TypeSchema::Named("u8")) => {
            put::<Vec<u8>>(reader, text)?;
            Ok(true)
        }
        TypeSchema::Sequence(element) | TypeSchema::Set(element) => {
            put_all(&[element], reader, text)
        }
        TypeSchema::Array(element, count) => put_list(*count, reader, text, |reader, text| {
            put_value(element, reader, text)
        }),
        TypeSchema::Optional(value) => {
            if reader.read_bool()? {
                put_value(value, reader, text)
            } else {
                text.push_str("none");
                Ok(true)
            }
        }
        TypeSchema::Map(key, value) => put_all(&[key, value], reader, text),
        TypeSchema::Collection { parts, .. } => {
            let parts: Vec<&TypeSchema> = parts.iter().collect();
            put_all(&parts, reader, text)
        }
        TypeSchema::Encoded {
            codec: "Quantized",
            parameters: [min, max, per_unit],
            ..
        } => put_quantized([*min, *max, *per_unit], reader, text),
        TypeSchema::Measured { schema, .. } => put_value(schema, reader, text),
        TypeSchema::Encoded { .. } => Ok(false),
    }
}

/// Appends a count of elements, each with these parts: a value, or a key and its value.
fn put_all(
    parts: &[&TypeSchema],
    reader: &mut NetworkReader<'_>,
    text: &mut String,
) -> ReadResult<bool> {
    let count = reader.read_count()?;
    put_list(count, reader, text, |reader, text| {
        for (index, part) in parts.iter().enumerate() {
            text.push_str(if index == 0 { "" } else { ": " });
            if !put_value(part, reader, text)? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

fn put_list(
    count: usize,
    reader: &mut NetworkReader<'_>,
    text: &mut String,
    mut element: impl FnMut(&mut NetworkReader<'_>, &mut String) -> ReadResult<bool>,
) -> ReadResult<bool> {
    text.push('[');
    for index in 0..count {
        text.push_str(if index == 0 { "" } else { ", " });
        if !element(reader, text)? {
            return Ok(false);
        }
    }
    text.push(']');
    Ok(true)
}

fn put_members(
    members: &[MemberSchema],
    reader: &mut NetworkReader<'_>,
    text: &mut String,
) -> ReadResult<bool> {
    text.push('{');
    for (index, member) in members.iter().enumerate() {
        text.push_str(if index == 0 { " " } else { ", " });
        text.push_str(member.name);
        text.push_str(": ");
        if !put_value(&member.schema, reader, text)? {
            return Ok(false);
        }
    }
    text.push_str(" }");
    Ok(true)
}

fn put_variant(
    variants: &[VariantSchema],
    reader: &mut NetworkReader<'_>,
    text: &mut String,
) -> ReadResult<bool> {
    let has_data = variants.iter().any(|variant| !variant.members.is_empty());
    let number = if has_data {
        i64::from(reader.read_variant()?)
    } else {
        i64::from(reader.read_enum()?)
    };
    let Some(variant) = variants.iter().find(|variant| variant.number == number) else {
        return Ok(false);
    };
    text.push_str(variant.name);
    if variant.members.is_empty() {
        return Ok(true);
    }
    text.push(' ');
    put_members(variant.members, reader, text)
}

/// Appends the components of a quantised value: all that follow.
fn put_quantized(
    [min, max, per_unit]: [i64; 3],
    reader: &mut NetworkReader<'_>,
    text: &mut String,
) -> ReadResult<bool> {
    let steps = (max - min)
        .unsigned_abs()
        .saturating_mul(per_unit.unsigned_abs());
    let bytes = (64 - steps.leading_zeros()).div_ceil(8).max(1);
    let mut separator = "";
    while reader.remaining() > 0 {
        let mut step = 0_u64;
        for place in 0..bytes {
            step |= u64::from(reader.read_u8()?) << (8 * place);
        }
        #[expect(clippy::cast_precision_loss, reason = "a text for a person")]
        let value = min as f64 + step as f64 / per_unit as f64;
        let _ = write!(text, "{separator}{value}");
        separator = " ";
    }
    Ok(true)
}

fn put<T: SyncValue + Debug>(reader: &mut NetworkReader<'_>, text: &mut String) -> ReadResult<()> {
    let value: T = reader.read()?;
    let _ = write!(text, "{value:?}");
    Ok(())
}

fn put_named(name: &str, reader: &mut NetworkReader<'_>, text: &mut String) -> ReadResult<bool> {
    macro_rules! named {
        ($($type:ident)*) => {
            match name {
                $(stringify!($type) => put::<$type>(reader, text)?,)*
                // A reference has the bytes of its id.
                "NetRef" => put::<NetId>(reader, text)?,
                _ => return Ok(false),
            }
        };
    }
    named!(
        bool u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 char String NetId NetworkSceneId
        NetworkHash128 Vector2 Vector3 Vector4 Quaternion Color Color32
    );
    Ok(true)
}
