//! Texts of types, as both ends compare them.

use std::fmt;

use super::{MemberSchema, TypeSchema};

impl fmt::Display for TypeSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Struct { name, members } => {
                write!(f, "{name} ")?;
                write_members(f, members)
            }
            Self::Enum { name, variants } => {
                write!(f, "{name} [")?;
                for (index, variant) in variants.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{} = {}", variant.name, variant.number)?;
                    if !variant.members.is_empty() {
                        f.write_str(" ")?;
                        write_members(f, variant.members)?;
                    }
                }
                f.write_str("]")
            }
            Self::Sequence(element) => write!(f, "[{element}]"),
            Self::Array(element, count) => write!(f, "[{element}; {count}]"),
            Self::Optional(value) => write!(f, "{value}?"),
            Self::Map(key, value) => write!(f, "[{key}: {value}]"),
            Self::Set(element) => write!(f, "{{{element}}}"),
            Self::Collection { name, parts } => {
                write!(f, "{name}<")?;
                for (index, part) in parts.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{part}")?;
                }
                f.write_str(">")
            }
            Self::Encoded {
                codec,
                parameters,
                value,
            } => {
                write!(f, "{value} as {codec}")?;
                write_parameters(f, parameters)
            }
        }
    }
}

/// Writes `<-500, 500, 100>`, or no brackets for no parameters.
fn write_parameters(f: &mut fmt::Formatter<'_>, parameters: &[i64]) -> fmt::Result {
    for (index, parameter) in parameters.iter().enumerate() {
        let separator = if index == 0 { "<" } else { ", " };
        write!(f, "{separator}{parameter}")?;
    }
    f.write_str(if parameters.is_empty() { "" } else { ">" })
}

fn write_members(f: &mut fmt::Formatter<'_>, members: &[MemberSchema]) -> fmt::Result {
    f.write_str("{")?;
    for (index, member) in members.iter().enumerate() {
        let separator = if index == 0 { " " } else { ", " };
        write!(f, "{separator}{}: {}", member.name, member.schema)?;
    }
    f.write_str(" }")
}
