//! The registry of prefabs, and the functions that create their behaviours.

use std::fmt::Write as _;

use crate::model::{Component, Module, Prefab, Registration};

/// Most elements of a tuple of behaviours.
const TUPLE: usize = 8;

pub(super) fn write(text: &mut String, module: &Module) {
    *text += "\n/// Returns the prefabs and messages of the project.\npub fn prefabs() -> MirrorPrefabs {\n    MirrorPrefabs::new()\n";
    for prefab in &module.prefabs {
        registration(text, prefab);
    }
    for value in module.values.iter().filter(|value| value.message.is_some()) {
        let _ = writeln!(text, "        .message::<{}>()", value.name);
    }
    *text += "}\n";
    for prefab in &module.prefabs {
        function(text, prefab);
    }
}

fn registration(text: &mut String, prefab: &Prefab) {
    let comment = if prefab.unregistered.is_some() {
        "// "
    } else {
        ""
    };
    let name = &prefab.name;
    let entry = match prefab.registration {
        Registration::Asset(id) => format!("new({name:?}, AssetId({id}))"),
        Registration::Scene => format!("scene({name:?})"),
        Registration::Values => return,
    };
    let _ = write!(
        text,
        "        {comment}.register_with(MirrorPrefab::{entry}"
    );
    let settings = prefab
        .components
        .iter()
        .enumerate()
        .filter(|(_, component)| !component.settings.is_empty());
    let mut last = "";
    for (index, component) in settings {
        let _ = write!(
            text,
            "\n            {comment}.component({index}, Component::new(){})",
            component.settings.concat()
        );
        last = "\n        ";
    }
    let comment = if last.is_empty() { "" } else { comment };
    let _ = writeln!(text, "{last}{comment}, {})", prefab.function);
}

fn function(text: &mut String, prefab: &Prefab) {
    let (ty, create) = match &prefab.components[..] {
        [] => (
            "BehaviourList".to_owned(),
            "BehaviourList::new()".to_owned(),
        ),
        [one] => (one.ty.clone(), one.create.clone()),
        several => (
            tuple(several, |component| &component.ty),
            tuple(several, |component| &component.create),
        ),
    };
    if let Some(reason) = &prefab.unregistered {
        let _ = writeln!(
            text,
            "\n// Prefab `{}`, {}, is not registered: {reason}.",
            prefab.name, prefab.file
        );
        let _ = writeln!(
            text,
            "// pub fn {}() -> {ty} {{\n//     {create}\n// }}",
            prefab.function
        );
        return;
    }
    let kind = match prefab.registration {
        Registration::Asset(_) => "the prefab",
        Registration::Scene | Registration::Values => "the scene's object",
    };
    let _ = writeln!(
        text,
        "\n/// Returns the behaviours of {kind} `{}`, {}.",
        prefab.name, prefab.file
    );
    let _ = writeln!(
        text,
        "pub fn {}() -> {ty} {{\n    {create}\n}}",
        prefab.function
    );
}

/// Returns a tuple, of tuples if it has more than eight elements.
fn tuple<'a>(
    components: &'a [Component],
    part: impl Fn(&'a Component) -> &'a str + Copy,
) -> String {
    let mut parts: Vec<String> = components
        .iter()
        .map(|component| part(component).to_owned())
        .collect();
    while parts.len() > TUPLE {
        parts = parts.chunks(TUPLE).map(joined).collect();
    }
    joined(&parts)
}

fn joined(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        parts => format!("({})", parts.join(", ")),
    }
}
