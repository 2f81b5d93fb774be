//! Structs and enumerations that travel.

use super::enumerations::{is_number, variant_name, variants};
use super::{Converter, library};
use crate::csharp::{Declaration, Kind};
use crate::model::{Content, Value};

impl Converter<'_, '_> {
    /// Reaches the messages of the project: structs with the interface `NetworkMessage`.
    pub(super) fn messages(&mut self) {
        for declared in self
            .input
            .project
            .iter()
            .filter(|declared| is_message(declared))
        {
            if let Err(reason) = self.types.members(declared) {
                let text = format!("message `{}` is left out: {reason}", declared.name);
                self.report.add(&declared.scope.place, text);
            }
        }
    }

    /// Returns all structs and enumerations that something uses, by full name.
    pub(super) fn values(&mut self) -> Vec<Value> {
        let reached: Vec<String> = self.types.reached.iter().cloned().collect();
        reached
            .iter()
            .filter_map(|name| self.declared_value(self.input.project.get(name)?))
            .collect()
    }

    fn declared_value(&mut self, declared: &'_ Declaration) -> Option<Value> {
        let declared = self.input.project.get(&declared.name)?;
        let (content, is_key) = if declared.kind == Kind::Enum {
            (self.enumeration(declared), true)
        } else {
            let members = self.types.members(declared).ok()?;
            let list = members
                .list
                .into_iter()
                .map(|member| (member.name, member.value.rust));
            (Content::Struct(list.collect()), members.is_key)
        };
        Some(Value {
            name: self.types.names.get(&declared.name)?.clone(),
            csharp: declared.name.clone(),
            file: declared.scope.place.file.to_string(),
            content,
            is_key,
            message: is_message(declared).then(|| declared.name.replace('/', "+")),
        })
    }

    fn enumeration(&mut self, declared: &Declaration) -> Content {
        let underlying = declared
            .bases
            .first()
            .map_or("int", |base| base.last_name());
        let repr = library::find(underlying).map_or("", |value| match value.rust.as_str() {
            "u8" => "u8",
            "i8" => "i8",
            "u16" => "u16",
            "i16" => "i16",
            "u32" => "u32",
            "i32" => "i32",
            "u64" => "u64",
            "i64" => "i64",
            _ => "",
        });
        let variants = variants(declared).filter(|_| !repr.is_empty());
        let Some(variants) = variants else {
            let text = format!(
                "enumeration `{}` has numbers that are not read; its values have none of the names",
                declared.name
            );
            self.report.add(&declared.scope.place, text);
            let repr = if repr.is_empty() { "i32" } else { repr };
            return Content::Number {
                repr,
                constants: Vec::new(),
            };
        };
        let named = variants
            .iter()
            .map(|(name, number)| (variant_name(name), *number));
        if is_number(declared, &variants) {
            return Content::Number {
                repr,
                constants: named.collect(),
            };
        }
        let (mut first, mut aliases): (Vec<(String, i128)>, _) = (Vec::new(), Vec::new());
        for (name, number) in named {
            match first.iter().find(|(_, known)| *known == number) {
                Some((of, _)) => aliases.push((name, of.clone())),
                None => first.push((name, number)),
            }
        }
        Content::Enum {
            repr,
            variants: first,
            aliases,
        }
    }
}

fn is_message(declared: &Declaration) -> bool {
    let is_data =
        matches!(declared.kind, Kind::Struct | Kind::Class) && declared.parameters.is_empty();
    is_data
        && declared
            .bases
            .iter()
            .any(|base| base.last_name() == "NetworkMessage")
}
