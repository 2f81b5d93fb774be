//! Prefabs: their objects, also of variants and of prefabs inside of prefabs.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::objects::{Component, Object};
use super::yaml::{Document, documents};
use super::{Guids, Value};
use crate::files::{self, Files};
use crate::report::{Place, Report};

/// Unity's numbers of classes.
const GAME_OBJECT: u32 = 1;
const TRANSFORM: u32 = 4;
const SCRIPT: u32 = 114;
const RECT_TRANSFORM: u32 = 224;
const INSTANCE: u32 = 1001;
/// Numbers of the root object and its transform in a model, by newer and older importers.
const MODEL_ROOTS: &[i64] = &[919_132_149_155_446_097, 100_000];
/// Deepest nesting of prefabs and of objects in one.
const MAX_DEPTH: usize = 48;

/// A prefab of the project.
#[derive(Debug)]
pub(crate) struct Prefab {
    pub(crate) root: Object,
    pub(crate) place: Place,
}

/// Prefabs by file; read once, also if others contain them.
pub(crate) struct Assets<'a> {
    files: &'a Files,
    guids: &'a Guids,
    read: BTreeMap<Rc<str>, Option<Rc<Prefab>>>,
}

impl<'a> Assets<'a> {
    pub(crate) fn new(files: &'a Files, guids: &'a Guids) -> Self {
        Self {
            files,
            guids,
            read: BTreeMap::new(),
        }
    }

    /// Returns a prefab; `None` for one that is reported.
    pub(crate) fn prefab(&mut self, file: &Rc<str>, report: &mut Report) -> Option<Rc<Prefab>> {
        if let Some(read) = self.read.get(file) {
            return read.clone();
        }
        // A prefab that contains itself finds nothing.
        self.read.insert(Rc::clone(file), None);
        let path = self.files.prefabs.get(file)?;
        let text = files::read(file, path, report)?;
        let classes = [GAME_OBJECT, TRANSFORM, SCRIPT, RECT_TRANSFORM, INSTANCE];
        let (documents, malformed) = documents(&text, &classes);
        for line in malformed {
            report.add(&Place::new(file, line), "object is not readable");
        }
        let root = Builder::new(file, &documents, self, report).root();
        let prefab = root.map(|(root, line)| {
            Rc::new(Prefab {
                root,
                place: Place::new(file, line),
            })
        });
        if prefab.is_none() {
            report.add(
                &Place::new(file, 1),
                "prefab is not readable: it has no root object",
            );
        }
        self.read.insert(Rc::clone(file), prefab.clone());
        prefab
    }
}

/// Builds the tree of one file.
struct Builder<'b, 'a> {
    file: &'b Rc<str>,
    documents: BTreeMap<i64, &'b Document>,
    assets: &'b mut Assets<'a>,
    report: &'b mut Report,
}

impl<'b, 'a> Builder<'b, 'a> {
    fn new(
        file: &'b Rc<str>,
        documents: &'b [Document],
        assets: &'b mut Assets<'a>,
        report: &'b mut Report,
    ) -> Self {
        Self {
            file,
            documents: documents
                .iter()
                .map(|document| (document.id, document))
                .collect(),
            assets,
            report,
        }
    }

    /// Returns the root object, and the line where it begins.
    fn root(&mut self) -> Option<(Object, usize)> {
        let mut documents: Vec<&Document> = self.documents.values().copied().collect();
        documents.sort_by_key(|document| document.line);
        let no_father = |document: &&&Document| {
            let is_transform = [TRANSFORM, RECT_TRANSFORM].contains(&document.class);
            is_transform && !document.is_stripped && target(&document.value, "m_Father").is_none()
        };
        if let Some(transform) = documents.iter().find(no_father) {
            let object =
                target(&transform.value, "m_GameObject").and_then(|id| self.documents.get(&id));
            let line = object.map_or(transform.line, |object| object.line);
            return Some((self.object(transform, 0)?, line));
        }
        let is_variant = |document: &&&Document| {
            let parent = document.value.get("m_Modification");
            document.class == INSTANCE
                && parent
                    .and_then(|parent| target(parent, "m_TransformParent"))
                    .is_none()
        };
        let variant = documents.iter().find(is_variant)?;
        Some((self.instance(variant, 0)?, variant.line))
    }

    /// Builds the object of a transform of this file.
    fn object(&mut self, transform: &Document, depth: usize) -> Option<Object> {
        if depth > MAX_DEPTH {
            self.report.add(
                &Place::new(self.file, transform.line),
                "objects are nested too deeply",
            );
            return None;
        }
        let id = target(&transform.value, "m_GameObject")?;
        let game_object = *self.documents.get(&id)?;
        let components = game_object
            .value
            .get("m_Component")
            .map_or(&[][..], Value::list);
        let components = components
            .iter()
            .filter_map(|entry| target(entry, "component"));
        let mut object = Object {
            id,
            transform: transform.id,
            components: components.filter_map(|id| self.component(id)).collect(),
            children: Vec::new(),
        };
        for child in transform
            .value
            .get("m_Children")
            .map_or(&[][..], Value::list)
        {
            let Some(child) = child
                .file_id()
                .and_then(|id| self.documents.get(&id).copied())
            else {
                continue;
            };
            let instance = target(&child.value, "m_PrefabInstance").filter(|_| child.is_stripped);
            let child = match instance.and_then(|id| self.documents.get(&id).copied()) {
                Some(instance) => self.instance(instance, depth + 1),
                None => self.object(child, depth + 1),
            };
            object.children.extend(child);
        }
        Some(object)
    }

    /// Returns a script of this file.
    fn component(&self, id: i64) -> Option<Component> {
        let document = self
            .documents
            .get(&id)
            .filter(|document| document.class == SCRIPT)?;
        Some(Component {
            id,
            script: document.value.get("m_Script")?.guid()?.to_lowercase(),
            values: document.value.clone(),
            place: Place::new(self.file, document.line),
        })
    }

    /// Builds an instance of another prefab, with its changes.
    fn instance(&mut self, instance: &Document, depth: usize) -> Option<Object> {
        let place = Place::new(self.file, instance.line);
        let source = instance.value.get("m_SourcePrefab").and_then(Value::guid)?;
        let file = self.assets.guids.file(source).cloned();
        if file.as_ref().is_some_and(|file| !file.ends_with(".prefab")) {
            return Some(self.model(instance, depth));
        }
        let prefab = file.and_then(|file| self.assets.prefab(&file, self.report));
        let Some(prefab) = prefab.filter(|_| depth <= MAX_DEPTH) else {
            let text = format!(
                "prefab with the GUID {source} is not found; an instance of it is left out"
            );
            self.report.add(&place, text);
            return None;
        };
        let mut object = prefab.root.clone();
        if let Some(changes) = instance.value.get("m_Modification") {
            for change in changes.get("m_Modifications").map_or(&[][..], Value::list) {
                let component = target(change, "target").and_then(|id| object.component(id));
                let path = change.get("propertyPath").and_then(Value::text);
                if let (Some(component), Some(path), Some(value)) =
                    (component, path, change.get("value"))
                {
                    component.values.set(path, value.clone());
                }
            }
            for list in ["m_RemovedComponents", "m_RemovedGameObjects"] {
                let removed = changes.get(list).map_or(&[][..], Value::list);
                removed
                    .iter()
                    .filter_map(Value::file_id)
                    .for_each(|id| object.remove(id));
            }
        }
        object.renumber(instance.id);
        self.add(instance, &mut object, depth);
        Some(object)
    }

    /// Builds an instance of a model, which has no scripts of its own: only what this file adds to it.
    fn model(&mut self, instance: &Document, depth: usize) -> Object {
        let is_own = |document: &&&Document| {
            document.is_stripped && target(&document.value, "m_PrefabInstance") == Some(instance.id)
        };
        let source = |document: &Document| target(&document.value, "m_CorrespondingSourceObject");
        let mut root = Object {
            id: MODEL_ROOTS[0] ^ instance.id,
            transform: 0,
            components: Vec::new(),
            children: Vec::new(),
        };
        let mut own: Vec<&Document> = self.documents.values().filter(is_own).copied().collect();
        own.sort_by_key(|document| document.line);
        let is_object = |document: &&&Document| document.class == GAME_OBJECT;
        for document in own.iter().filter(is_object) {
            if source(document).is_some_and(|id| MODEL_ROOTS.contains(&id)) {
                root.id = document.id;
            } else {
                root.children.push(Object {
                    id: document.id,
                    transform: 0,
                    components: Vec::new(),
                    children: Vec::new(),
                });
            }
        }
        self.add(instance, &mut root, depth);
        if root
            .children
            .iter()
            .filter(|child| !child.components.is_empty())
            .count()
            > 1
        {
            let text =
                "scripts are on several objects of a model; their order is taken from the file";
            self.report.add(&Place::new(self.file, instance.line), text);
        }
        root
    }

    /// Adds the components and objects of this file that hang on an instance.
    fn add(&mut self, instance: &Document, object: &mut Object, depth: usize) {
        let mut documents: Vec<&Document> = self.documents.values().copied().collect();
        documents.sort_by_key(|document| document.line);
        for document in documents
            .into_iter()
            .filter(|document| !document.is_stripped)
        {
            let holder = if document.class == SCRIPT {
                "m_GameObject"
            } else {
                "m_Father"
            };
            let Some(id) = target(&document.value, holder) else {
                continue;
            };
            let is_of_instance = |holder: &&Document| -> bool {
                holder.is_stripped && target(&holder.value, "m_PrefabInstance") == Some(instance.id)
            };
            if !self.documents.get(&id).is_some_and(is_of_instance) {
                continue;
            }
            if document.class == SCRIPT {
                if let (Some(found), Some(component)) = (
                    object.find(&|object| object.id == id),
                    self.component(document.id),
                ) {
                    found.components.push(component);
                }
            } else if let Some(found) = object.find(&|object| object.transform == id) {
                found.children.extend(self.object(document, depth + 1));
            }
        }
    }
}

/// Returns the number of the object that a key names.
fn target(value: &Value, key: &str) -> Option<i64> {
    value.get(key)?.file_id()
}
