//! Behaviours.

use std::fmt::Write as _;

use crate::model::{Behaviour, Call, Container, Field};
use crate::project::ROOM_PLAYER;

pub(super) fn write(text: &mut String, behaviour: &Behaviour) {
    let name = &behaviour.name;
    let _ = writeln!(text, "\n/// `{}`, {}.", behaviour.csharp, behaviour.file);
    for reason in &behaviour.incomplete {
        let _ = writeln!(
            text,
            "///\n/// Incomplete: {reason}. No prefab with it is registered."
        );
    }
    let has_initial = behaviour.fields.iter().any(|field| field.initial.is_some());
    let derived = if has_initial {
        "NetworkBehaviour"
    } else {
        "NetworkBehaviour, Default"
    };
    let _ = writeln!(text, "#[derive({derived})]\npub struct {name} {{");
    if let Some((base, field)) = &behaviour.base {
        let _ = writeln!(
            text,
            "    #[network_behaviour(base)]\n    pub {field}: {base},"
        );
    }
    for field in &behaviour.fields {
        if field.container != Container::Local {
            let hook = field.hook.as_ref().map(|hook| format!("(hook = {hook})"));
            let _ = writeln!(text, "    #[sync_var{}]", hook.unwrap_or_default());
        }
        let _ = writeln!(text, "    pub {}: {},", field.name, type_of(field));
    }
    *text += "}\n";
    if has_initial {
        default(text, behaviour);
    }
    if let Some((_, field)) = behaviour.base.as_ref().filter(|_| behaviour.is_room_player) {
        for (name, method, reference) in [("AsRef", "as_ref", "&"), ("AsMut", "as_mut", "&mut ")] {
            let _ = writeln!(
                text,
                "\nimpl {name}<{ROOM_PLAYER}> for {} {{\n    fn {method}({reference}self) -> {reference}{ROOM_PLAYER} {{\n        \
                 self.{field}.{method}()\n    }}\n}}",
                behaviour.name
            );
        }
    }
    if !behaviour.calls.is_empty() {
        calls(text, behaviour);
    }
    if !behaviour.calls.is_empty() || !behaviour.hooks.is_empty() {
        methods(text, behaviour);
    }
}

fn type_of(field: &Field) -> String {
    let ty = &field.ty.rust;
    match field.container {
        Container::Variable => format!("SyncVar<{ty}>"),
        Container::List => format!("SyncList<{ty}>"),
        Container::HashSet => format!("SyncHashSet<{ty}>"),
        Container::SortedSet => format!("SyncSortedSet<{ty}>"),
        Container::Dictionary => {
            let key = field.key.as_ref().map_or("()", |key| &key.rust);
            format!("SyncDictionary<{key}, {ty}>")
        }
        Container::Local => ty.clone(),
    }
}

fn default(text: &mut String, behaviour: &Behaviour) {
    let name = &behaviour.name;
    let _ = writeln!(
        text,
        "\nimpl Default for {name} {{\n    fn default() -> Self {{\n        Self {{"
    );
    if let Some((base, field)) = &behaviour.base {
        let _ = writeln!(text, "            {field}: {base}::default(),");
    }
    for field in &behaviour.fields {
        let value = field.container.filled(field.initial.as_deref());
        let _ = writeln!(text, "            {}: {value},", field.name);
    }
    *text += "        }\n    }\n}\n";
}

fn calls(text: &mut String, behaviour: &Behaviour) {
    let _ = writeln!(text, "\n#[network_calls]\nimpl {} {{", behaviour.name);
    for (index, call) in behaviour.calls.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let mut settings = call.settings.clone();
        settings.push(format!("mirror = {:?}", call.csharp));
        let _ = writeln!(text, "    #[{}({})]", call.attribute, settings.join(", "));
        let _ = writeln!(text, "    pub fn {}{} {{", call.name, signature(call));
        let mut arguments = vec!["self", "ctx"];
        arguments.extend(call.arguments.iter().map(|(name, _)| name.as_str()));
        let _ = writeln!(
            text,
            "        Self::{}({});\n    }}",
            call.handler,
            arguments.join(", ")
        );
    }
    *text += "}\n";
}

fn signature(call: &Call) -> String {
    let mut parameters = vec![
        "&mut self".to_owned(),
        "ctx: &mut CallContext<'_>".to_owned(),
    ];
    parameters.extend(
        call.arguments
            .iter()
            .map(|(name, ty)| format!("{name}: {ty}")),
    );
    format!("({})", parameters.join(", "))
}

/// Writes the empty methods: a method of the type itself has precedence over that of a trait.
fn methods(text: &mut String, behaviour: &Behaviour) {
    let name = &behaviour.name;
    let _ = writeln!(
        text,
        "\n/// Empty hooks and calls of `{name}`.\ntrait {name}Methods: Sized {{"
    );
    for hook in &behaviour.hooks {
        let _ = writeln!(
            text,
            "    /// Hook `{}`.\n    fn {}(&mut self, previous: {}) {{}}",
            hook.csharp, hook.name, hook.ty
        );
    }
    for call in &behaviour.calls {
        let _ = writeln!(
            text,
            "    /// Body of `{}`.\n    fn {}{} {{}}",
            call.name,
            call.handler,
            signature(call)
        );
    }
    let _ = writeln!(text, "}}\n\nimpl {name}Methods for {name} {{}}");
}
