//! Hooks.

use super::Converter;
use super::draft::Draft;
use crate::csharp::{Attribute, DeclaredField as Source};
use crate::model::{Hook, ValueType};
use crate::names;

impl<'p> Converter<'p, '_> {
    /// Returns the method of a hook, by its name and argument.
    pub(super) fn hook(
        &mut self,
        draft: &mut Draft<'p>,
        source: &Source,
        attribute: &Attribute,
        ty: &ValueType,
    ) -> Option<String> {
        let written = attribute.argument("hook")?;
        let Some(name) = written.as_name() else {
            self.report.add(
                &source.scope.place,
                format!(
                    "hook of `{}` is not read: its name is not a constant",
                    source.name
                ),
            );
            return None;
        };
        let mut methods = draft.class.methods.iter();
        if !methods.any(|method| method.name == name && method.parameters.len() == 2) {
            let text = format!(
                "hook `{name}` of `{}` is not read: `{}` has no such method with two parameters",
                source.name, draft.class.name
            );
            self.report.add(&source.scope.place, text);
            return None;
        }
        // One method may serve several fields of a type. Overloads in C# need several methods in Rust.
        let own = names::snake(name);
        let mut known = draft.behaviour.hooks.iter();
        if let Some(known) = known.find(|hook| hook.csharp == name && hook.ty == ty.rust) {
            return Some(known.name.clone());
        }
        let hook = Hook {
            name: draft.methods.give(&own),
            csharp: name.to_owned(),
            ty: ty.rust.clone(),
        };
        let given = hook.name.clone();
        draft.behaviour.hooks.push(hook);
        Some(given)
    }
}
