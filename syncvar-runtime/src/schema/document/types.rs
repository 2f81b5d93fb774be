//! `SchemaType`: the type of a field, a member or a message, as data.

use super::Names;
use crate::schema::{MemberSchema, TypeSchema, VariantSchema};

/// Type on the wire.
///
/// ```
/// use syncvar::schema::SchemaType;
///
/// let list = SchemaType::parse("SyncList<i32>?")?;
/// assert!(matches!(list, SchemaType::Optional(_)));
/// # Ok::<(), syncvar::error::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaType {
    /// Type that its name describes completely.
    Named(String),
    /// Members in order.
    Struct {
        /// Name of the struct; empty for a tuple.
        name: String,
        /// Members that travel, in order.
        members: Vec<SchemaMember>,
    },
    /// A variant among several.
    Enum {
        /// Name of the enumeration.
        name: String,
        /// Variants, in order.
        variants: Vec<SchemaVariant>,
    },
    /// Any number of elements.
    Sequence(Box<Self>),
    /// A fixed number of elements.
    Array(Box<Self>, usize),
    /// A value or none.
    Optional(Box<Self>),
    /// Any number of keys, each with a value.
    Map(Box<Self>, Box<Self>),
    /// Any number of distinct elements.
    Set(Box<Self>),
    /// Collection that sends its changes as operations.
    Collection {
        /// Name of the collection.
        name: String,
        /// Types of the elements, or of keys and values.
        parts: Vec<Self>,
    },
    /// Value in the encoding of a codec.
    Encoded {
        /// Name of the codec.
        codec: String,
        /// Parameters that decide the bytes.
        parameters: Vec<i64>,
        /// Type of the encoded value.
        value: Box<Self>,
    },
    /// Type whose bytes the schema does not state, and whose values its program can measure.
    Measured(Box<Self>),
}

/// Member of a struct or variant, or argument of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SchemaMember {
    /// Name of the member, or its position.
    pub names: Names,
    /// Type of the member.
    pub value: SchemaType,
}

/// Variant of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SchemaVariant {
    /// Name of the variant.
    pub names: Names,
    /// Number on the wire.
    pub number: i64,
    /// Set if the variant takes the place of variants of a newer build.
    pub is_other: bool,
    /// Members of the variant.
    pub members: Vec<SchemaMember>,
}

impl SchemaType {
    /// Calls a function with the type and with the types inside.
    pub(crate) fn each(&self, action: &mut dyn FnMut(&Self)) {
        action(self);
        match self {
            Self::Named(_) => {}
            Self::Struct { members, .. } => {
                for member in members {
                    member.value.each(action);
                }
            }
            Self::Enum { variants, .. } => {
                for member in variants.iter().flat_map(|variant| &variant.members) {
                    member.value.each(action);
                }
            }
            Self::Sequence(part)
            | Self::Array(part, _)
            | Self::Optional(part)
            | Self::Set(part)
            | Self::Measured(part)
            | Self::Encoded { value: part, .. } => part.each(action),
            Self::Map(key, value) => {
                key.each(action);
                value.each(action);
            }
            Self::Collection { parts, .. } => {
                for part in parts {
                    part.each(action);
                }
            }
        }
    }
}

/// Codecs that do not hold every value of their types.
const CODECS: [&str; 4] = ["Half", "Quantized", "SmallestThree", "Bits"];

impl SchemaType {
    /// Returns the type whose form the client reads, so that it receives the value of the server: a codec of the client
    /// would round the value again, or refuse it.
    pub(crate) fn plain(mut self) -> Self {
        self.make_plain();
        self
    }

    fn make_plain(&mut self) {
        match self {
            Self::Encoded { codec, value, .. } if CODECS.contains(&codec.as_str()) => {
                let value = std::mem::replace(&mut **value, Self::Named(String::new()));
                *self = value.plain();
            }
            Self::Named(_) => {}
            Self::Struct { members, .. } => {
                for member in members {
                    member.value.make_plain();
                }
            }
            Self::Enum { variants, .. } => {
                for member in variants.iter_mut().flat_map(|it| &mut it.members) {
                    member.value.make_plain();
                }
            }
            Self::Sequence(part)
            | Self::Array(part, _)
            | Self::Optional(part)
            | Self::Set(part)
            | Self::Measured(part)
            | Self::Encoded { value: part, .. } => part.make_plain(),
            Self::Map(key, value) => {
                key.make_plain();
                value.make_plain();
            }
            Self::Collection { parts, .. } => {
                for part in parts {
                    part.make_plain();
                }
            }
        }
    }
}

impl From<&TypeSchema> for SchemaType {
    fn from(schema: &TypeSchema) -> Self {
        let boxed = |schema: &TypeSchema| Box::new(Self::from(schema));
        match schema {
            TypeSchema::Named(name) => Self::Named((*name).into()),
            TypeSchema::Struct { name, members } => Self::Struct {
                name: (*name).into(),
                members: members.iter().map(Into::into).collect(),
            },
            TypeSchema::Enum { name, variants } => Self::Enum {
                name: (*name).into(),
                variants: variants.iter().map(Into::into).collect(),
            },
            TypeSchema::Sequence(element) => Self::Sequence(boxed(element)),
            TypeSchema::Array(element, count) => Self::Array(boxed(element), *count),
            TypeSchema::Optional(value) => Self::Optional(boxed(value)),
            TypeSchema::Map(key, value) => Self::Map(boxed(key), boxed(value)),
            TypeSchema::Set(element) => Self::Set(boxed(element)),
            TypeSchema::Collection { name, parts } => Self::Collection {
                name: (*name).into(),
                parts: parts.iter().map(Into::into).collect(),
            },
            TypeSchema::Encoded {
                codec,
                parameters,
                value,
            } => Self::Encoded {
                codec: (*codec).into(),
                parameters: parameters.to_vec(),
                value: boxed(value),
            },
            TypeSchema::Measured { schema, .. } => Self::Measured(boxed(schema)),
        }
    }
}

impl From<&MemberSchema> for SchemaMember {
    fn from(schema: &MemberSchema) -> Self {
        Self {
            names: Names::of(schema.name, schema.was),
            value: (&schema.schema).into(),
        }
    }
}

impl From<&VariantSchema> for SchemaVariant {
    fn from(schema: &VariantSchema) -> Self {
        Self {
            names: Names::of(schema.name, schema.was),
            number: schema.number,
            is_other: schema.is_other,
            members: schema.members.iter().map(Into::into).collect(),
        }
    }
}
