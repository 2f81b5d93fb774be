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
    match &value.content {
        Content::Struct(members) => {
            let _ = writeln!(
                text,
                "#[derive(SyncValue, Clone, Debug, Default, PartialEq{keys})]\npub struct {name} {{"
            );
            for (member, ty) in members {
                let _ = writeln!(text, "    pub {member}: {ty},");
            }
            *text += "}\n";
        }
        Content::Enum {
            repr,
            variants,
            aliases,
        } => {
            let _ = writeln!(
                text,
                "#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq{keys})]"
            );
            let _ = writeln!(text, "#[repr({repr})]\npub enum {name} {{");
            for (variant, number) in variants {
                if *number == 0 {
                    *text += "    #[default]\n";
                }
                let _ = writeln!(text, "    {variant} = {number},");
            }
            *text += "}\n";
            if !aliases.is_empty() {
                let _ = writeln!(text, "\nimpl {name} {{");
                for (alias, of) in aliases {
                    let _ = writeln!(text, "    pub const {alias}: Self = Self::{of};");
                }
                *text += "}\n";
            }
        }
        Content::Number { repr, constants } => {
            let _ = writeln!(
                text,
                "#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq{keys})]"
            );
            let _ = writeln!(text, "pub struct {name}(pub {repr});");
            if !constants.is_empty() {
                let _ = writeln!(text, "\nimpl {name} {{");
                for (constant, number) in constants {
                    let _ = writeln!(text, "    pub const {constant}: Self = Self({number});");
                }
                *text += "}\n";
            }
        }
    }
    if let Some(message) = &value.message {
        let _ = writeln!(
            text,
            "\nimpl MirrorMessage for {name} {{\n    const NAME: &'static str = {message:?};\n}}"
        );
    }
}
