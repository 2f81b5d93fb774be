//! Layouts from the types of a schema.

use std::sync::Arc;

use super::error::UnknownType;
use super::integer::{Form, Integer, Width};
use super::scalar::{QuantizedSteps, Scalar};
use super::{
    ArrayLayout, CollectionKind, CollectionLayout, EnumLayout, Layout, MapLayout, MeasuredLayout,
    Measures, StructLayout, VariantLayout,
};
use crate::codec::Steps;
use crate::schema::{SchemaMember, SchemaType, SchemaVariant};

impl Layout {
    /// Compiles the layout of a type. `measures` has the lengths of types of the program that state no layout.
    ///
    /// # Errors
    ///
    /// When a type inside of the type is unknown.
    pub fn of(schema: &SchemaType, measures: &Measures) -> Result<Self, UnknownType> {
        let boxed = |schema| Self::of(schema, measures).map(Box::new);
        Ok(match schema {
            SchemaType::Named(name) => match named(name) {
                Some(layout) => layout,
                None => measured(schema, measures)?,
            },
            SchemaType::Struct { members, .. } => Self::Struct(members_of(members, measures)?),
            SchemaType::Enum { name, variants } => Self::Enum(EnumLayout {
                name: name.as_str().into(),
                has_data: variants.iter().any(|variant| !variant.members.is_empty()),
                variants: variants
                    .iter()
                    .map(|variant| variant_of(variant, measures))
                    .collect::<Result<_, _>>()?,
            }),
            SchemaType::Measured(value) => measured(value, measures)?,
            SchemaType::Sequence(element) if is_named(element, "u8") => Self::Bytes,
            SchemaType::Sequence(element) => Self::Sequence(boxed(element)?),
            SchemaType::Array(element, longest) if is_named(element, "FixedString") => {
                Self::Text { longest: *longest }
            }
            SchemaType::Array(element, count) => {
                Self::Array(ArrayLayout::new(Self::of(element, measures)?, *count))
            }
            SchemaType::Optional(value) => Self::Optional(boxed(value)?),
            SchemaType::Map(key, value) => Self::Map(Box::new(MapLayout {
                key: Self::of(key, measures)?,
                value: Self::of(value, measures)?,
            })),
            SchemaType::Set(element) => Self::Set(boxed(element)?),
            SchemaType::Collection { name, parts } => match collection(name, parts.len()) {
                Some(kind) => Self::Collection(CollectionLayout {
                    kind,
                    parts: parts
                        .iter()
                        .map(|part| Self::of(part, measures))
                        .collect::<Result<_, _>>()?,
                }),
                None => measured(schema, measures)?,
            },
            SchemaType::Encoded {
                codec,
                parameters,
                value,
            } => match encoded(codec, parameters, value, measures) {
                Some(layout) => layout,
                None => measured(schema, measures)?,
            },
        })
    }
}

fn is_named(schema: &SchemaType, expected: &str) -> bool {
    matches!(schema, SchemaType::Named(name) if name == expected)
}

fn collection(name: &str, parts: usize) -> Option<CollectionKind> {
    Some(match (name, parts) {
        ("SyncList", 1) => CollectionKind::List,
        ("SyncDictionary", 2) => CollectionKind::Dictionary,
        ("SyncHashSet" | "SyncSortedSet", 1) => CollectionKind::Set,
        _ => return None,
    })
}

fn measured(schema: &SchemaType, measures: &Measures) -> Result<Layout, UnknownType> {
    let name = schema.to_string();
    match measures.get(&name) {
        Some(measure) => Ok(Layout::Measured(MeasuredLayout {
            text: name.into(),
            measure: *measure,
        })),
        None => Err(UnknownType { name }),
    }
}

fn members_of(members: &[SchemaMember], measures: &Measures) -> Result<StructLayout, UnknownType> {
    let members = members.iter().map(|member| {
        let layout = Layout::of(&member.value, measures)?;
        Ok((Arc::from(member.names.name.as_str()), layout))
    });
    let members: Vec<_> = members.collect::<Result<_, _>>()?;
    Ok(StructLayout::new(members))
}

fn variant_of(variant: &SchemaVariant, measures: &Measures) -> Result<VariantLayout, UnknownType> {
    Ok(VariantLayout {
        name: variant.names.name.as_str().into(),
        number: variant.number,
        members: members_of(&variant.members, measures)?,
    })
}

/// Returns the layout of a value in the encoding of a codec of this library.
fn encoded(
    codec: &str,
    parameters: &[i64],
    value: &SchemaType,
    measures: &Measures,
) -> Option<Layout> {
    match (codec, parameters) {
        ("SmallestThree", []) if is_named(value, "Quaternion") => {
            Some(Layout::Rotation(names(&["x", "y", "z", "w"])))
        }
        ("ZigZag", []) => integer_as(value, Form::ZigZag),
        ("Fixed", []) if is_named(value, "char") => Some(Layout::Scalar(Scalar::FixedChar)),
        ("Fixed", []) => integer_as(value, Form::Fixed),
        ("Bits", [bits]) => integer_as(value, Form::Bits(u32::try_from(*bits).ok()?)),
        ("Half", []) => floats_as(Layout::of(value, measures).ok()?, &|is_wide| Scalar::Half {
            is_wide,
        }),
        ("Quantized", [min, max, per_unit]) => {
            let steps = QuantizedSteps(Steps::of(*min, *max, *per_unit)?);
            floats_as(Layout::of(value, measures).ok()?, &|is_wide| {
                Scalar::Quantized { steps, is_wide }
            })
        }
        _ => None,
    }
}

/// Returns the layout of an integer in the encoding of a codec.
fn integer_as(value: &SchemaType, form: Form) -> Option<Layout> {
    let SchemaType::Named(name) = value else {
        return None;
    };
    let integer = integer(name)?;
    let is_possible = match form {
        Form::ZigZag => integer.is_signed,
        Form::Bits(bits) => {
            integer.width != Width::W128 && (1..=integer.width.bits()).contains(&bits)
        }
        Form::Plain | Form::Fixed => true,
    };
    is_possible.then_some(Layout::Scalar(Scalar::Integer(Integer { form, ..integer })))
}

/// Returns a layout with each float in the encoding of a codec; `None` for a layout with parts other than floats.
fn floats_as(layout: Layout, encode: &impl Fn(bool) -> Scalar) -> Option<Layout> {
    Some(match layout {
        Layout::Scalar(Scalar::F32) => Layout::Scalar(encode(false)),
        Layout::Scalar(Scalar::F64) => Layout::Scalar(encode(true)),
        Layout::Struct(StructLayout { names, members, .. }) => {
            let members = members.into_iter().map(|member| floats_as(member, encode));
            let members: Vec<_> = members.collect::<Option<_>>()?;
            Layout::Struct(StructLayout::new(names.iter().cloned().zip(members)))
        }
        Layout::Array(ArrayLayout { element, count, .. }) => {
            Layout::Array(ArrayLayout::new(floats_as(*element, encode)?, count))
        }
        _ => return None,
    })
}

fn names(names: &[&str]) -> crate::value::MemberNames {
    names.iter().map(|name| Arc::from(*name)).collect()
}

/// Returns the layout of a type of this library by its name.
fn named(name: &str) -> Option<Layout> {
    if let Some(integer) = integer(name) {
        return Some(Layout::Scalar(Scalar::Integer(integer)));
    }
    let scalar = match name {
        "bool" => Scalar::Bool,
        "char" => Scalar::Char,
        "f32" => Scalar::F32,
        "f64" | "OaDate" => Scalar::F64,
        "NetRef" => Scalar::NetRef,
        "BehaviourRef" => Scalar::BehaviourRef,
        "String" => {
            return Some(Layout::Text {
                longest: usize::MAX,
            });
        }
        "Postcard" => return Some(Layout::Bytes),
        "Uuid" | "NetworkHash128" | "Decimal" => return Some(Layout::Raw(16)),
        _ => return composite(name),
    };
    Some(Layout::Scalar(scalar))
}

fn integer(name: &str) -> Option<Integer> {
    let (name, is_non_zero) = match name.strip_prefix("NonZero") {
        Some(rest) => (rest, true),
        None => (name, false),
    };
    let (width, is_signed) = match name {
        "i8" => (Width::W8, true),
        "i16" => (Width::W16, true),
        "i32" => (Width::W32, true),
        "i64" => (Width::W64, true),
        "i128" => (Width::W128, true),
        "u8" => (Width::W8, false),
        "u16" => (Width::W16, false),
        "u32" | "NetId" | "NetworkSceneId" | "LayerMask" => (Width::W32, false),
        "u64" => (Width::W64, false),
        "u128" => (Width::W128, false),
        "I8" if is_non_zero => (Width::W8, true),
        "I16" if is_non_zero => (Width::W16, true),
        "I32" if is_non_zero => (Width::W32, true),
        "I64" if is_non_zero => (Width::W64, true),
        "I128" if is_non_zero => (Width::W128, true),
        "U8" if is_non_zero => (Width::W8, false),
        "U16" if is_non_zero => (Width::W16, false),
        "U32" if is_non_zero => (Width::W32, false),
        "U64" if is_non_zero => (Width::W64, false),
        "U128" if is_non_zero => (Width::W128, false),
        _ => return None,
    };
    let is_lower = name.starts_with(char::is_lowercase);
    (!(is_non_zero && is_lower)).then_some(Integer {
        width,
        is_signed,
        is_non_zero,
        form: Form::Plain,
    })
}

/// Returns the layout of a type that consists of others: of Unity, of glam and mint, of the standard library.
fn composite(name: &str) -> Option<Layout> {
    let (part, count, names) = match name {
        "Vector2" => ("f32", 2, XYZW),
        "Vector3" => ("f32", 3, XYZW),
        "Vector4" | "Quaternion" => ("f32", 4, XYZW),
        "Color" => ("f32", 4, ["r", "g", "b", "a"]),
        "Rect" => ("f32", 4, ["x", "y", "width", "height"]),
        "Vector2Int" | "IVec2" => ("i32", 2, XYZW),
        "Vector3Int" | "IVec3" => ("i32", 3, XYZW),
        "IVec4" => ("i32", 4, XYZW),
        "UVec2" => ("u32", 2, XYZW),
        "UVec3" => ("u32", 3, XYZW),
        "UVec4" => ("u32", 4, XYZW),
        "DVec2" => ("f64", 2, XYZW),
        "DVec3" => ("f64", 3, XYZW),
        "DVec4" | "DQuat" => ("f64", 4, XYZW),
        _ => return nested(name),
    };
    let members = names.iter().take(count);
    let members = members.map(|name| Some((Arc::from(*name), named(part)?)));
    let members: Vec<_> = members.collect::<Option<_>>()?;
    Some(Layout::Struct(StructLayout::new(members)))
}

/// Names of components.
const XYZW: [&str; 4] = ["x", "y", "z", "w"];

/// Returns the layout of a type with parts of several types, or many.
fn nested(name: &str) -> Option<Layout> {
    let float = || Layout::Scalar(Scalar::F32);
    let floats = |count| Some(Layout::Array(ArrayLayout::new(float(), count)));
    let structure = |members: &[(&str, Layout)]| {
        let members = members.iter().cloned();
        let members = members.map(|(name, layout)| (Arc::from(name), layout));
        Some(Layout::Struct(StructLayout::new(members)))
    };
    match name {
        "Plane" => structure(&[("normal", named("Vector3")?), ("distance", float())]),
        "Ray" => structure(&[
            ("direction", named("Vector3")?),
            ("origin", named("Vector3")?),
        ]),
        "Ray2D" => structure(&[
            ("origin", named("Vector2")?),
            ("direction", named("Vector2")?),
        ]),
        "Color32" => {
            structure(&["r", "g", "b", "a"].map(|name| (name, Layout::Scalar(Scalar::BYTE))))
        }
        "Matrix4x4" => floats(16),
        "Mat2" => floats(4),
        "Mat3" => floats(9),
        "Duration" => structure(&[
            ("seconds", named("u64")?),
            ("nanoseconds", Layout::Scalar(Scalar::Nanoseconds)),
        ]),
        _ => None,
    }
}
