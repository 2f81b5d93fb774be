//! Identifiers of TypeScript from the names of a schema.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Words that TypeScript or the generated module uses.
const TAKEN: [&str; 24] = [
    "Array",
    "Build",
    "Game",
    "Map",
    "Set",
    "Uint8Array",
    "any",
    "bigint",
    "boolean",
    "build",
    "class",
    "enum",
    "false",
    "function",
    "never",
    "null",
    "number",
    "object",
    "string",
    "symbol",
    "true",
    "undefined",
    "unknown",
    "void",
];

/// Identifiers of a module. Each is given once.
#[derive(Debug)]
pub(super) struct Identifiers(BTreeSet<String>);

impl Identifiers {
    pub(super) fn new() -> Self {
        Self(TAKEN.into_iter().map(str::to_owned).collect())
    }

    /// Returns an identifier for a name: the name itself, without characters of other kinds, and with a number if it is taken.
    pub(super) fn claim(&mut self, name: &str) -> String {
        let mut identifier = String::new();
        for character in name.chars() {
            if is_part(character) {
                identifier.push(character);
            } else if !identifier.is_empty() && !identifier.ends_with('_') {
                identifier.push('_');
            }
        }
        let identifier = identifier.trim_end_matches('_');
        let identifier = if identifier.starts_with(|it: char| it.is_ascii_digit()) {
            format!("_{identifier}")
        } else if identifier.is_empty() {
            "Unnamed".to_owned()
        } else {
            identifier.to_owned()
        };
        let numbered = (2..).map(|number| format!("{identifier}{number}"));
        let mut candidates = std::iter::once(identifier.clone()).chain(numbered);
        candidates
            .find(|it| self.0.insert(it.clone()))
            .unwrap_or(identifier)
    }
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// Returns a name as the key of a member: in quotes, unless it is an identifier.
pub(super) fn key(name: &str) -> String {
    let begins = |it: char| it.is_alphabetic() || matches!(it, '_' | '$');
    if name.starts_with(begins) && name.chars().all(is_part) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// Returns a text in quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            _ if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns a text in the quotes of a template.
pub(super) fn template(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('`', "\\`")
        .replace("${", "\\${");
    format!("`{escaped}`")
}
