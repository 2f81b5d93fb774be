//! Types as they are written.

use super::syntax::Syntax;
use super::{Part, Type};

/// Deepest type that is read; deeper types are never valid values.
const MAX_DEPTH: usize = 16;

pub(super) fn read(syntax: Syntax<'_>) -> Type {
    read_at(syntax, 0)
}

fn read_at(syntax: Syntax<'_>, depth: usize) -> Type {
    let other = || Type::Other(syntax.text().to_owned());
    if depth > MAX_DEPTH {
        return other();
    }
    let inner = |field: &str| syntax.field(field).map(|inner| read_at(inner, depth + 1));
    match syntax.kind() {
        "identifier"
        | "predefined_type"
        | "generic_name"
        | "qualified_name"
        | "alias_qualified_name" => {
            let mut parts = Vec::new();
            match read_parts(syntax, depth, &mut parts) {
                Some(()) => Type::Named(parts),
                None => other(),
            }
        }
        "nullable_type" => inner("type").map_or_else(other, |inner| Type::Nullable(inner.into())),
        "array_type" => {
            let rank = syntax.field("rank").map_or("", Syntax::text);
            let rank = 1 + rank.matches(',').count();
            inner("type").map_or_else(other, |inner| Type::Array(inner.into(), rank))
        }
        _ => other(),
    }
}

fn read_parts(syntax: Syntax<'_>, depth: usize, parts: &mut Vec<Part>) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    match syntax.kind() {
        "qualified_name" => {
            read_parts(syntax.field("qualifier")?, depth + 1, parts)?;
            read_parts(syntax.field("name")?, depth + 1, parts)
        }
        // `global::Game.Kind`: names are searched from the outermost namespace too.
        "alias_qualified_name" => read_parts(syntax.field("name")?, depth + 1, parts),
        "generic_name" => {
            let name = syntax.of_kind("identifier").next()?;
            let list = syntax.of_kind("type_argument_list").next()?;
            let arguments = list.children().map(|argument| read_at(argument, depth + 1));
            parts.push(Part {
                name: name.text().to_owned(),
                arguments: arguments.collect(),
            });
            Some(())
        }
        _ => {
            parts.push(Part {
                name: syntax.text().trim_start_matches('@').to_owned(),
                arguments: Vec::new(),
            });
            Some(())
        }
    }
}

impl Type {
    /// Creates a type of a single name.
    pub(crate) fn named(name: &str) -> Self {
        Self::Named(vec![Part {
            name: name.to_owned(),
            arguments: Vec::new(),
        }])
    }

    /// Returns the last name, without arguments; of an array, that of its elements.
    pub(crate) fn last_name(&self) -> &str {
        match self {
            Self::Named(parts) => parts.last().map_or("", |part| &part.name),
            Self::Array(inner, _) | Self::Nullable(inner) => inner.last_name(),
            Self::Other(text) => text,
        }
    }

    /// Returns the arguments of the last name.
    pub(crate) fn arguments(&self) -> &[Self] {
        match self {
            Self::Named(parts) => parts.last().map_or(&[], |part| &part.arguments),
            _ => &[],
        }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    let dot = if index == 0 { "" } else { "." };
                    write!(f, "{dot}{}", part.name)?;
                    if !part.arguments.is_empty() {
                        let arguments: Vec<_> =
                            part.arguments.iter().map(ToString::to_string).collect();
                        write!(f, "<{}>", arguments.join(", "))?;
                    }
                }
                Ok(())
            }
            Self::Array(inner, rank) => write!(f, "{inner}[{}]", ",".repeat(rank - 1)),
            Self::Nullable(inner) => write!(f, "{inner}?"),
            Self::Other(text) => f.write_str(text),
        }
    }
}
