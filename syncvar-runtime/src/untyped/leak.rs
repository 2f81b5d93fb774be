//! `Leaks`: constants from owned descriptions. They stay in memory for the lifetime of the process.

use crate::schema::{MemberSchema, Names, SchemaMember, SchemaType, TypeSchema, VariantSchema};

/// Memory that stays for the lifetime of the process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaks;

impl Leaks {
    /// Keeps a text.
    pub(super) fn text(text: &str) -> &'static str {
        Box::leak(text.into())
    }

    /// Keeps a list.
    pub(super) fn list<T>(list: Vec<T>) -> &'static [T] {
        Box::leak(list.into_boxed_slice())
    }

    /// Keeps former names.
    pub(super) fn names(names: &Names) -> &'static [&'static str] {
        Self::list(names.was.iter().map(|name| Self::text(name)).collect())
    }

    /// Keeps members.
    pub(super) fn members(members: &[SchemaMember]) -> &'static [MemberSchema] {
        let members = members.iter().map(|member| MemberSchema {
            name: Self::text(&member.names.name),
            was: Self::names(&member.names),
            schema: Self::type_schema(&member.value),
        });
        Self::list(members.collect())
    }

    /// Keeps a type.
    pub(super) fn type_schema(schema: &SchemaType) -> TypeSchema {
        let boxed =
            |schema| -> &'static TypeSchema { Box::leak(Box::new(Self::type_schema(schema))) };
        match schema {
            SchemaType::Named(name) => TypeSchema::Named(Self::text(name)),
            SchemaType::Struct { name, members } => TypeSchema::Struct {
                name: Self::text(name),
                members: Self::members(members),
            },
            SchemaType::Enum { name, variants } => {
                let variants = variants.iter().map(|variant| VariantSchema {
                    name: Self::text(&variant.names.name),
                    was: Self::names(&variant.names),
                    is_other: variant.is_other,
                    number: variant.number,
                    members: Self::members(&variant.members),
                });
                TypeSchema::Enum {
                    name: Self::text(name),
                    variants: Self::list(variants.collect()),
                }
            }
            SchemaType::Sequence(element) => TypeSchema::Sequence(boxed(element)),
            SchemaType::Array(element, count) => TypeSchema::Array(boxed(element), *count),
            SchemaType::Optional(value) => TypeSchema::Optional(boxed(value)),
            SchemaType::Map(key, value) => TypeSchema::Map(boxed(key), boxed(value)),
            SchemaType::Set(element) => TypeSchema::Set(boxed(element)),
            SchemaType::Collection { name, parts } => TypeSchema::Collection {
                name: Self::text(name),
                parts: Self::list(parts.iter().map(Self::type_schema).collect()),
            },
            // Such a type has no layout, and is refused before.
            SchemaType::Measured(value) => TypeSchema::Measured {
                schema: boxed(value),
                measure: |_, _| None,
            },
            SchemaType::Encoded {
                codec,
                parameters,
                value,
            } => TypeSchema::Encoded {
                codec: Self::text(codec),
                parameters: Self::list(parameters.clone()),
                value: boxed(value),
            },
        }
    }
}
