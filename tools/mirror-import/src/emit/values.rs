//! Structs and enumerations.

use std::fmt::Write as _;

use crate::model::{Content, Value};

pub(super) fn write(text: &mut String, value: &Value) {
    let name = &value.name;
    let _ = writeln!(text, "\n/// `{}`, {}.", value.csharp, value.file);
    let keys = if value.is_key {
        ", Eq, PartialOrd, Ord, Hash"
    } else {
        ""
    };
    let copy = if matches!(value.content, Content::Struct(_)) {
        ""
    } else {
        "Copy, "
    };
    let _ = writeln!(
        text,
        "#[derive(SyncValue, Clone, {copy}Debug, Default, PartialEq{keys})]"
    );
    match &value.content {
        Content::Struct(members) => structure(text, name, members),
        Content::Enum {
            repr,
            variants,
            aliases,
        } => {
            enumeration(text, name, repr, variants);
            let aliases = aliases
                .iter()
                .map(|(alias, of)| (alias, format!("Self::{of}")));
            constants(text, name, aliases);
        }
        Content::Number {
            repr,
            constants: numbers,
        } => {
            let _ = writeln!(text, "pub struct {name}(pub {repr});");
            let numbers = numbers
                .iter()
                .map(|(constant, number)| (constant, format!("Self({number})")));
            constants(text, name, numbers);
        }
    }
    if let Some(message) = &value.message {
        let _ = writeln!(
            text,
            "\nimpl MirrorMessage for {name} {{\n    const NAME: &'static str = {message:?};\n}}"
        );
    }
}

fn structure(text: &mut String, name: &str, members: &[(String, String)]) {
    let _ = writeln!(text, "pub struct {name} {{");
    for (member, ty) in members {
        let _ = writeln!(text, "    pub {member}: {ty},");
    }
    *text += "}\n";
}

fn enumeration(text: &mut String, name: &str, repr: &str, variants: &[(String, i128)]) {
    let _ = writeln!(text, "#[repr({repr})]\npub enum {name} {{");
    for (variant, number) in variants {
        if *number == 0 {
            *text += "    #[default]\n";
        }
        let _ = writeln!(text, "    {variant} = {number},");
    }
    *text += "}\n";
}

fn constants<'a>(
    text: &mut String,
    name: &str,
    constants: impl Iterator<Item = (&'a String, String)>,
) {
    let mut constants = constants.peekable();
    if constants.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\nimpl {name} {{");
    for (constant, value) in constants {
        let _ = writeln!(text, "    pub const {constant}: Self = {value};");
    }
    *text += "}\n";
}
