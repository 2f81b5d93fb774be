//! Scenes: the objects of the network that stand in them.

use std::collections::BTreeMap;
use std::rc::Rc;

use syncvar_mirror::SceneId;

use super::Converter;
use super::motion::pose;
use crate::model::{Component, Prefab, Registration, Scene, SceneObject};
use crate::names;
use crate::unity::{Object, Script, Yaml};

/// A scene in progress.
struct SceneDraft {
    scene: Scene,
    /// Names of the constants.
    constants: names::Scope,
    /// Lines of the ids.
    lines: BTreeMap<u64, usize>,
}

impl Converter<'_, '_> {
    /// Reads all scenes with objects of the network, by file. Objects with components or values of their own are added
    /// to the prefabs.
    pub(super) fn scenes(&mut self, prefabs: &mut Vec<Prefab>) -> Vec<Scene> {
        let mut scenes = Vec::new();
        for file in self.input.files.scenes.keys() {
            let roots = self.assets.scene(file, self.report);
            let mut objects = Vec::new();
            for root in &roots {
                self.identified(root, &mut objects);
            }
            if objects.is_empty() {
                continue;
            }
            let stem = file.rsplit('/').next().unwrap_or_default();
            let stem = stem.strip_suffix(".unity").unwrap_or(stem);
            let name = names::snake(&names::pascal(stem)).replace("r#", "scene_");
            let mut draft = SceneDraft {
                scene: Scene {
                    name: self.modules.give(&name),
                    file: file.to_string(),
                    objects: Vec::new(),
                },
                constants: names::Scope::default(),
                lines: BTreeMap::new(),
            };
            for object in objects {
                if let Err(reason) = self.scene_object(file, object, &mut draft, prefabs) {
                    let text = format!(
                        "object `{}` of the scene is left out: {reason}",
                        object.name()
                    );
                    self.report.add(&object.place, text);
                }
            }
            scenes.push(draft.scene);
        }
        scenes
    }

    /// Collects the objects with a `NetworkIdentity`.
    fn identified<'o>(&self, object: &'o Object, found: &mut Vec<&'o Object>) {
        if self.identity(object).is_some() {
            found.push(object);
            return;
        }
        for child in &object.children {
            self.identified(child, found);
        }
    }

    fn scene_object(
        &mut self,
        file: &Rc<str>,
        object: &Object,
        draft: &mut SceneDraft,
        prefabs: &mut Vec<Prefab>,
    ) -> Result<(), String> {
        let label = format!("scene object `{}`", object.name());
        let networked = self.networked(object, &label);
        let networked = networked.ok_or("it has no NetworkIdentity")?;
        if let Some(reason) = networked.reason {
            return Err(reason);
        }
        let id = scene_id(file, networked.identity)?;
        if let Some(line) = draft.lines.insert(id, object.place.line) {
            return Err(format!(
                "its `sceneId` is that of the object in line {line}"
            ));
        }
        let [position, rotation, scale] = pose(object)?;
        let place = [
            position.map(|it| format!("position: {it}")),
            rotation.map(|it| format!("rotation: Some({it})")),
            scale.map(|it| format!("scale: Some({it})")),
        ];
        let name = names::snake(&names::pascal(object.name())).replace("r#", "");
        let constant = draft.constants.give(&name);
        let (prefab, function) = self.registered(
            &draft.scene,
            &constant,
            object,
            networked.components,
            prefabs,
        );
        draft.scene.objects.push(SceneObject {
            constant: constant.to_uppercase(),
            name: object.name().to_owned(),
            id,
            prefab,
            function,
            place: place.into_iter().flatten().collect(),
        });
        Ok(())
    }

    /// Returns the entry of the registry for an object of a scene, and the function that creates it. Both are those of
    /// its prefab, unless the scene changes settings or values.
    fn registered(
        &mut self,
        scene: &Scene,
        constant: &str,
        object: &Object,
        components: Vec<Component>,
        prefabs: &mut Vec<Prefab>,
    ) -> (String, String) {
        let settings = |components: &[Component]| {
            let parts = components
                .iter()
                .map(|it| (it.ty.clone(), it.settings.clone()));
            parts.collect::<Vec<_>>()
        };
        let own = settings(&components);
        let entry = prefabs.iter().find(|prefab| {
            let is_source = match prefab.registration {
                Registration::Asset(_) => object.source.as_deref() == Some(&*prefab.file),
                Registration::Scene => prefab.file == scene.file,
                Registration::Values => false,
            };
            is_source && prefab.unregistered.is_none() && settings(&prefab.components) == own
        });
        if let Some(entry) = entry.filter(|entry| entry.components == components) {
            return (entry.name.clone(), entry.function.clone());
        }
        let entry = entry.map(|entry| entry.name.clone());
        let function = self.functions.give(&format!("{}_{constant}", scene.name));
        let name = format!("{}/{function}", scene.file.trim_end_matches(".unity"));
        let registration = if entry.is_some() {
            Registration::Values
        } else {
            Registration::Scene
        };
        prefabs.push(Prefab {
            name: name.clone(),
            function: function.clone(),
            file: scene.file.clone(),
            registration,
            components,
            unregistered: None,
        });
        (entry.unwrap_or(name), function)
    }
}

/// Returns the id of an object on the wire.
fn scene_id(file: &str, identity: &Script) -> Result<u64, String> {
    let number = identity.values.get("sceneId").and_then(Yaml::text);
    let number: u64 = number.and_then(|it| it.parse().ok()).unwrap_or_default();
    // The build replaces the upper half.
    match SceneId(number).low() {
        0 => Err("it has no `sceneId`: save the scene in Unity's editor".to_owned()),
        low => Ok(SceneId::in_scene(file, low).0),
    }
}
