//! The canonical text of a schema.

use std::fmt::{self, Write as _};

use super::{
    Names, Schema, SchemaBehaviour, SchemaCall, SchemaField, SchemaMember, SchemaType,
    SchemaVariant,
};
use crate::schema::{FieldPolicy, TypeSchema};

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for message in &self.messages {
            let (names, number, value) = (&message.names, message.number, &message.value);
            writeln!(f, "message {names} = {number}: {value}")?;
        }
        for prefab in &self.prefabs {
            writeln!(f, "prefab {} {}", prefab.names, prefab.asset_id)?;
            for behaviour in &prefab.behaviours {
                write_behaviour(f, behaviour)?;
            }
        }
        Ok(())
    }
}

fn write_behaviour(f: &mut fmt::Formatter<'_>, behaviour: &SchemaBehaviour) -> fmt::Result {
    let (names, channel) = (&behaviour.names, behaviour.channel);
    write!(f, "  behaviour {names}, channel {channel}")?;
    f.write_str(if behaviour.is_optional {
        ", optional"
    } else {
        ""
    })?;
    f.write_str(if behaviour.has_data {
        ", with data"
    } else {
        ""
    })?;
    f.write_str("\n")?;
    for class in &behaviour.classes {
        writeln!(f, "    class {}", Name(&class.name))?;
        for field in &class.fields {
            writeln!(f, "      {field}")?;
        }
        for call in &class.calls {
            writeln!(f, "      {call}")?;
        }
    }
    Ok(())
}

/// Name, quoted where it contains more than letters, digits, `_`, `.`, `/` and `-`.
pub(super) struct Name<'a>(pub(super) &'a str);

impl Name<'_> {
    /// Returns whether a character stands in a name without quotes.
    pub(super) fn is_plain(character: char) -> bool {
        character.is_alphanumeric() || matches!(character, '_' | '.' | '/' | '-')
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let begins_plain = self
            .0
            .starts_with(|it: char| it.is_alphanumeric() || it == '_');
        if begins_plain && self.0.chars().all(Self::is_plain) {
            return f.write_str(self.0);
        }
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\n' => f.write_str("\\n")?,
                _ if character.is_control() => write!(f, "\\u{{{:x}}}", u32::from(character))?,
                _ => f.write_char(character)?,
            }
        }
        f.write_char('"')
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Name(&self.name).fmt(f)?;
        self.was
            .iter()
            .try_for_each(|was| write!(f, " was {}", Name(was)))
    }
}

impl fmt::Display for SchemaField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policy = FieldPolicy {
            readers: self.readers,
            writers: self.writers,
            initial_only: self.initial_only,
            ..FieldPolicy::DEFAULT
        };
        write!(f, "{}: {}{policy}", self.names, self.value)
    }
}

impl fmt::Display for SchemaCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} = {}(",
            self.kind,
            self.names,
            Name(&self.unity_name)
        )?;
        write_list(f, &self.arguments)?;
        f.write_str(if self.after_state {
            "), after the state"
        } else {
            ")"
        })
    }
}

/// Writes `a: u8, b: u8`.
fn write_list(f: &mut fmt::Formatter<'_>, list: &[impl fmt::Display]) -> fmt::Result {
    for (index, part) in list.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(f, "{separator}{part}")?;
    }
    Ok(())
}

/// Writes `{ a: u8, b: u8 }`.
fn write_members(f: &mut fmt::Formatter<'_>, members: &[SchemaMember]) -> fmt::Result {
    f.write_str(if members.is_empty() { "{" } else { "{ " })?;
    write_list(f, members)?;
    f.write_str(" }")
}

impl fmt::Display for SchemaMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.names, self.value)
    }
}

impl fmt::Display for SchemaVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.names, self.number)?;
        f.write_str(if self.is_other { " other" } else { "" })?;
        if !self.members.is_empty() {
            f.write_char(' ')?;
            write_members(f, &self.members)?;
        }
        Ok(())
    }
}

impl fmt::Display for SchemaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => Name(name).fmt(f),
            Self::Struct { name, members } => {
                if !name.is_empty() {
                    write!(f, "{} ", Name(name))?;
                }
                write_members(f, members)
            }
            Self::Enum { name, variants } => {
                write!(f, "{} [", Name(name))?;
                write_list(f, variants)?;
                f.write_char(']')
            }
            Self::Sequence(element) => write!(f, "[{element}]"),
            Self::Array(element, count) => write!(f, "[{element}; {count}]"),
            Self::Optional(value) => write!(f, "{value}?"),
            Self::Map(key, value) => write!(f, "[{key}: {value}]"),
            Self::Set(element) => write!(f, "{{{element}}}"),
            Self::Collection { name, parts } => {
                write!(f, "{}<", Name(name))?;
                write_list(f, parts)?;
                f.write_char('>')
            }
            Self::Measured(value) => write!(f, "{value} measured"),
            Self::Encoded {
                codec,
                parameters,
                value,
            } => {
                write!(f, "{value} as {}", Name(codec))?;
                if parameters.is_empty() {
                    return Ok(());
                }
                f.write_char('<')?;
                write_list(f, parameters)?;
                f.write_char('>')
            }
        }
    }
}

impl fmt::Display for TypeSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SchemaType::from(self).fmt(f)
    }
}
