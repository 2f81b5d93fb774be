//! Scenes and controllers of animators.

use std::fmt::Write as _;

use crate::model::{Controller, Scene};

/// Writes the ids of a scene's objects, and the functions that create them on both ends.
pub(super) fn write(text: &mut String, scene: &Scene) {
    let (name, file) = (&scene.name, &scene.file);
    let _ = writeln!(
        text,
        "\n/// Ids of the objects of the scene {file}.\npub mod {name} {{\n    use syncvar::mirror::SceneId;\n"
    );
    for object in &scene.objects {
        let _ = writeln!(
            text,
            "    /// `{}`.\n    pub const {}: SceneId = SceneId({:#018x});",
            object.name, object.constant, object.id
        );
    }
    let _ = writeln!(
        text,
        "}}\n\n/// Spawns the objects of the scene {file}, in the order of their constants.\npub fn spawn_{name}(\n    \
         server: &mut syncvar::mirror::MirrorServer,\n) -> Result<Vec<syncvar::NetId>, \
         syncvar::mirror::MirrorSpawnError> {{\n    let mut ids = Vec::new();"
    );
    for object in &scene.objects {
        let mut options = vec![format!("prefab: Some({:?}.to_owned())", object.prefab)];
        options.extend(object.place.iter().cloned());
        let _ = writeln!(
            text,
            "    ids.push(server.spawn_scene_object({name}::{}, {}(), syncvar::mirror::MirrorSpawnOptions {{\n        \
             {}, ..Default::default()\n    }})?);",
            object.constant,
            object.function,
            options.join(", ")
        );
    }
    let _ = writeln!(
        text,
        "    Ok(ids)\n}}\n\n/// Adds the objects of the scene {file} to a client that has loaded it.\npub fn add_{name}(\n    \
         client: &mut syncvar::mirror::MirrorClient,\n) -> Result<(), syncvar::mirror::SceneObjectError> {{"
    );
    for object in &scene.objects {
        let _ = writeln!(
            text,
            "    client.add_scene_object({name}::{}, {}())?;",
            object.constant, object.function
        );
    }
    *text += "    Ok(())\n}\n";
}

/// Writes the function that creates an animator of a controller, and the constants of its parameters.
pub(super) fn controller(text: &mut String, controller: &Controller) {
    let (name, file) = (&controller.name, &controller.file);
    let _ = writeln!(
        text,
        "\n/// Parameters of {file}: positions, and hashes of triggers.\npub mod {name} {{"
    );
    for [constant, csharp, ty, value] in &controller.constants {
        let _ = writeln!(
            text,
            "    /// `{csharp}`.\n    pub const {constant}: {ty} = {value};"
        );
    }
    let _ = writeln!(
        text,
        "}}\n\n/// Returns an animator with the parameters and layers of {file}.\npub fn {name}() -> \
         syncvar::mirror::components::NetworkAnimator {{\n    syncvar::mirror::components::NetworkAnimator::new("
    );
    for list in [&controller.parameters, &controller.layers] {
        match &list[..] {
            [] => *text += "        [],\n",
            list => {
                let _ = writeln!(
                    text,
                    "        [\n            {},\n        ],",
                    list.join(",\n            ")
                );
            }
        }
    }
    *text += "    )\n}\n";
}
