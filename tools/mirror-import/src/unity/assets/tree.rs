//! Trees of objects: those of a prefab or scene, with the instances of prefabs in them.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Assets;
use crate::report::{Report, SourcePlace};
use crate::unity::Yaml;
use crate::unity::objects::{Animator, Object, Script};
use crate::unity::yaml::{Document, renumbered};

/// Unity's numbers of classes.
const GAME_OBJECT: u32 = 1;
const TRANSFORM: u32 = 4;
const ANIMATOR: u32 = 95;
const SCRIPT: u32 = 114;
const RECT_TRANSFORM: u32 = 224;
const INSTANCE: u32 = 1001;
/// Classes of the documents that a tree consists of.
pub(super) const CLASSES: &[u32] = &[
    GAME_OBJECT,
    TRANSFORM,
    ANIMATOR,
    SCRIPT,
    RECT_TRANSFORM,
    INSTANCE,
];
/// Numbers of the root object and its transform in a model, by newer and older importers.
const MODEL_ROOTS: &[i64] = &[919_132_149_155_446_097, 100_000];
/// Deepest nesting of prefabs and of objects in one.
const MAX_DEPTH: usize = 48;

/// Builds the trees of a file.
pub(super) struct Builder<'b, 'a> {
    file: &'b Rc<str>,
    /// In the order of the file.
    documents: &'b [Document],
    by_id: BTreeMap<i64, &'b Document>,
    /// Names of objects of an instance, and what this file adds to them, by the number of the instance.
    names: BTreeMap<i64, Vec<&'b Document>>,
    additions: BTreeMap<i64, Vec<&'b Document>>,
    assets: &'b mut Assets<'a>,
    report: &'b mut Report,
}

impl<'b, 'a> Builder<'b, 'a> {
    pub(super) fn new(
        file: &'b Rc<str>,
        documents: &'b [Document],
        assets: &'b mut Assets<'a>,
        report: &'b mut Report,
    ) -> Self {
        let mut builder = Self {
            file,
            documents,
            by_id: documents.iter().map(|it| (it.id, it)).collect(),
            names: BTreeMap::new(),
            additions: BTreeMap::new(),
            assets,
            report,
        };
        for document in documents {
            if document.is_stripped {
                if let Some(instance) = target(&document.value, "m_PrefabInstance") {
                    builder.names.entry(instance).or_default().push(document);
                }
            } else if let Some(instance) = builder.extended_instance(document) {
                let additions = builder.additions.entry(instance);
                additions.or_default().push(document);
            }
        }
        builder
    }

    /// Returns the instance to which a document adds a script, an animator or an object.
    fn extended_instance(&self, document: &Document) -> Option<i64> {
        let holder = self.by_id.get(&holder(document)?)?;
        if !holder.is_stripped {
            return None;
        }
        target(&holder.value, "m_PrefabInstance")
    }

    /// Returns the root objects.
    pub(super) fn roots(&mut self) -> Vec<Object> {
        let documents = self.documents;
        let is_root = |document: &&Document| {
            let is_object = [TRANSFORM, RECT_TRANSFORM, INSTANCE].contains(&document.class);
            is_object && !document.is_stripped && holder(document).is_none()
        };
        let roots = documents.iter().filter(is_root);
        roots
            .filter_map(|document| self.object_of(document, 0))
            .collect()
    }

    /// Builds the object of a transform or an instance.
    fn object_of(&mut self, document: &Document, depth: usize) -> Option<Object> {
        if depth > MAX_DEPTH {
            self.report
                .add(&self.place(document), "objects are nested too deeply");
            return None;
        }
        if document.class == INSTANCE {
            self.instance(document, depth)
        } else {
            self.object(document, depth)
        }
    }

    /// Builds the object of a transform of this file.
    fn object(&mut self, transform: &Document, depth: usize) -> Option<Object> {
        let id = target(&transform.value, "m_GameObject")?;
        let game_object = *self.by_id.get(&id)?;
        let place = self.place(game_object);
        let mut object = Object {
            transform: transform.id,
            pose: transform.value.clone(),
            ..Object::new(id, game_object.value.clone(), place)
        };
        for entry in list(&game_object.value, "m_Component") {
            let part = target(entry, "component").and_then(|id| self.by_id.get(&id));
            if let Some(part) = part {
                self.add_part(&mut object, part);
            }
        }
        for child in list(&transform.value, "m_Children") {
            let Some(child) = child.file_id().and_then(|id| self.by_id.get(&id).copied()) else {
                continue;
            };
            let instance = target(&child.value, "m_PrefabInstance").filter(|_| child.is_stripped);
            let instance = instance.and_then(|id| self.by_id.get(&id).copied());
            let child = self.object_of(instance.unwrap_or(child), depth + 1);
            object.children.extend(child);
        }
        Some(object)
    }

    /// Adds a script or an animator of this file to an object.
    fn add_part(&self, object: &mut Object, part: &Document) {
        let (id, values) = (part.id, part.value.clone());
        match part.class {
            SCRIPT => {
                let script = part.value.get("m_Script").and_then(Yaml::guid);
                object.components.extend(script.map(|script| Script {
                    id,
                    guid: script.to_lowercase(),
                    values,
                    place: self.place(part),
                }));
            }
            ANIMATOR => object.animators.push(Animator { id, values }),
            _ => {}
        }
    }

    /// Builds an instance of a nested prefab, with its changes.
    fn instance(&mut self, instance: &Document, depth: usize) -> Option<Object> {
        let source = instance.value.get("m_SourcePrefab").and_then(Yaml::guid)?;
        let file = self.assets.file(source);
        if file.as_ref().is_some_and(|file| !file.ends_with(".prefab")) {
            return Some(self.model(instance, depth));
        }
        let prefab = file
            .as_ref()
            .and_then(|file| self.assets.prefab(file, self.report));
        let Some(prefab) = prefab else {
            if !self.file.ends_with(".unity") || has_scene_id(instance) {
                let text = format!(
                    "prefab with the GUID {source} is not found; an instance of it is left out"
                );
                self.report.add(&self.place(instance), text);
            }
            return None;
        };
        let mut object = prefab.root.clone();
        object.source = file;
        object.place = self.place(instance);
        let changes = instance.value.get("m_Modification");
        for change in changes.map_or(&[][..], |it| list(it, "m_Modifications")) {
            let values = target(change, "target").and_then(|id| object.values_of(id));
            let path = change.get("propertyPath").and_then(Yaml::text);
            if let (Some(values), Some(path), Some(value)) = (values, path, change.get("value")) {
                values.set(path, value.clone());
            }
        }
        for kind in ["m_RemovedComponents", "m_RemovedGameObjects"] {
            let removed = changes.map_or(&[][..], |it| list(it, kind));
            let removed = removed.iter().filter_map(Yaml::file_id);
            removed.for_each(|id| object.remove(id));
        }
        object.renumber(instance.id);
        self.add_unknown(instance, &mut object);
        refer(instance, &mut object);
        self.extend(instance, &mut object, depth);
        Some(object)
    }

    /// Adds the objects of an instance that this file names and the prefab does not: those of a model inside of it.
    fn add_unknown(&self, instance: &Document, object: &mut Object) {
        for document in self.names.get(&instance.id).into_iter().flatten() {
            let place = self.place(document);
            let nothing = || Yaml::Map(Vec::new());
            let is_known = |it: &Object| it.id == document.id || it.transform == document.id;
            let added = match document.class {
                _ if object.find(&is_known).is_some() => continue,
                GAME_OBJECT => Object::new(document.id, nothing(), place),
                TRANSFORM | RECT_TRANSFORM => Object {
                    transform: document.id,
                    ..Object::new(0, nothing(), place)
                },
                _ => continue,
            };
            object.children.push(added);
        }
    }

    /// Builds an instance of a model, with the scripts that this file adds.
    fn model(&mut self, instance: &Document, depth: usize) -> Object {
        let source = |document: &Document| target(&document.value, "m_CorrespondingSourceObject");
        let nothing = || Yaml::Map(Vec::new());
        let place = self.place(instance);
        let mut root = Object::new(MODEL_ROOTS[0] ^ instance.id, nothing(), place.clone());
        for document in self.names.get(&instance.id).into_iter().flatten() {
            let is_root = source(document).is_some_and(|id| MODEL_ROOTS.contains(&id));
            match document.class {
                GAME_OBJECT if is_root => root.id = document.id,
                GAME_OBJECT => {
                    let child = Object::new(document.id, nothing(), place.clone());
                    root.children.push(child);
                }
                TRANSFORM if is_root => root.transform = document.id,
                TRANSFORM => root.children.push(Object {
                    transform: document.id,
                    ..Object::new(0, nothing(), place.clone())
                }),
                // The controller is a change of the instance.
                ANIMATOR => root.animators.push(Animator {
                    id: document.id,
                    values: nothing(),
                }),
                _ => {}
            }
        }
        refer(instance, &mut root);
        self.extend(instance, &mut root, depth);
        let mut children = root.children.iter();
        let with_scripts = children.by_ref().filter(|it| !it.components.is_empty());
        if with_scripts.count() > 1 {
            let text =
                "scripts are on several objects of a model; their order is taken from the file";
            self.report.add(&place, text);
        }
        root
    }

    /// Adds the components and objects of this file that hang on an instance.
    fn extend(&mut self, instance: &Document, object: &mut Object, depth: usize) {
        let additions = self.additions.get(&instance.id);
        for document in additions.cloned().into_iter().flatten() {
            let Some(id) = holder(document) else {
                continue;
            };
            if [SCRIPT, ANIMATOR].contains(&document.class) {
                if let Some(found) = object.find(&|object| object.id == id) {
                    self.add_part(found, document);
                }
            } else if let Some(found) = object.find(&|object| object.transform == id) {
                found.children.extend(self.object_of(document, depth + 1));
            }
        }
    }

    fn place(&self, document: &Document) -> SourcePlace {
        SourcePlace::new(self.file, document.line)
    }
}

/// Returns the number of the object that holds a script or animator, or of the transform above an object.
fn holder(document: &Document) -> Option<i64> {
    match document.class {
        SCRIPT | ANIMATOR => target(&document.value, "m_GameObject"),
        INSTANCE => target(document.value.get("m_Modification")?, "m_TransformParent"),
        _ => target(&document.value, "m_Father"),
    }
}

/// Sets the references that an instance changes: they name objects of this file.
fn refer(instance: &Document, object: &mut Object) {
    let changes = instance.value.get("m_Modification");
    for change in changes.map_or(&[][..], |it| list(it, "m_Modifications")) {
        let reference = change.get("objectReference");
        let reference = reference.filter(|it| it.file_id().is_some());
        let id = target(change, "target").map(|id| renumbered(id, instance.id));
        let values = id.and_then(|id| object.values_of(id));
        let path = change.get("propertyPath").and_then(Yaml::text);
        if let (Some(values), Some(path), Some(reference)) = (values, path, reference) {
            values.set(path, reference.clone());
        }
    }
}

/// Returns whether an instance in a scene is an object of the network.
fn has_scene_id(instance: &Document) -> bool {
    let changes = instance.value.get("m_Modification");
    let changes = changes.map_or(&[][..], |it| list(it, "m_Modifications"));
    let mut paths = changes.iter().filter_map(|it| it.get("propertyPath"));
    paths.any(|path| path.text() == Some("sceneId"))
}

/// Returns the items of a key's list.
fn list<'v>(value: &'v Yaml, key: &str) -> &'v [Yaml] {
    value.get(key).map_or(&[], Yaml::list)
}

/// Returns the number of the object that a key names.
fn target(value: &Yaml, key: &str) -> Option<i64> {
    value.get(key)?.file_id()
}
