//! Files of the project with objects or animations, each read once.

mod tree;

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Guids;
use super::controller::{self, Controller};
use super::objects::Object;
use super::yaml::{Document, documents};
use crate::files::{self, Files};
use crate::report::{Report, SourcePlace};
use tree::{Builder, CLASSES};

/// Longest chain of overriding controllers.
const MAX_OVERRIDES: usize = 16;

/// Prefabs by file; read once, also if more prefabs contain them.
pub(crate) struct Assets<'a> {
    files: &'a Files,
    guids: &'a Guids,
    prefabs: BTreeMap<Rc<str>, Option<Rc<PrefabAsset>>>,
    controllers: BTreeMap<Rc<str>, Option<Rc<Controller>>>,
}

/// A prefab of the project.
#[derive(Debug)]
pub(crate) struct PrefabAsset {
    pub(crate) root: Object,
    pub(crate) place: SourcePlace,
}

impl<'a> Assets<'a> {
    pub(crate) fn new(files: &'a Files, guids: &'a Guids) -> Self {
        Self {
            files,
            guids,
            prefabs: BTreeMap::new(),
            controllers: BTreeMap::new(),
        }
    }

    /// Returns the file with a GUID.
    pub(super) fn file(&self, guid: &str) -> Option<Rc<str>> {
        self.guids.file(guid).cloned()
    }

    /// Returns a prefab; `None` after a report.
    pub(crate) fn prefab(
        &mut self,
        file: &Rc<str>,
        report: &mut Report,
    ) -> Option<Rc<PrefabAsset>> {
        if let Some(read) = self.prefabs.get(file) {
            return read.clone();
        }
        // A prefab that contains itself finds nothing.
        self.prefabs.insert(Rc::clone(file), None);
        let path = self.files.prefabs.get(file)?;
        let text = files::read(file, path, report)?;
        let documents = read(file, &text, CLASSES, report);
        let mut roots = Builder::new(file, &documents, self, report).roots();
        if roots.is_empty() {
            let text = "prefab is not readable: it has no root object";
            report.add(&SourcePlace::new(file, 1), text);
            return None;
        }
        let root = roots.swap_remove(0);
        let place = root.place.clone();
        let prefab = Rc::new(PrefabAsset { root, place });
        self.prefabs
            .insert(Rc::clone(file), Some(Rc::clone(&prefab)));
        Some(prefab)
    }

    /// Returns the root objects of a scene.
    pub(crate) fn scene(&mut self, file: &Rc<str>, report: &mut Report) -> Vec<Object> {
        let path = self.files.scenes.get(file);
        let Some(text) = path.and_then(|path| files::read(file, path, report)) else {
            return Vec::new();
        };
        // A scene without objects of the network, which may have thousands of local objects.
        if !text.contains("sceneId") && !text.contains("m_SourcePrefab") {
            return Vec::new();
        }
        let documents = read(file, &text, CLASSES, report);
        Builder::new(file, &documents, self, report).roots()
    }

    /// Returns the controller of an animator with its file, by the GUID of a file that may override a controller.
    pub(crate) fn controller(
        &mut self,
        guid: &str,
        report: &mut Report,
    ) -> Option<(Rc<str>, Rc<Controller>)> {
        let mut guid = guid.to_lowercase();
        for _ in 0..MAX_OVERRIDES {
            let file = Rc::clone(self.guids.file(&guid)?);
            if let Some(read) = self.controllers.get(&file) {
                return Some((file, read.clone()?));
            }
            let text = files::read(&file, self.files.controllers.get(&file)?, report)?;
            let documents = read(&file, &text, controller::CLASSES, report);
            if let Some(overridden) = controller::overridden(&documents) {
                guid = overridden.to_lowercase();
                continue;
            }
            let controller = controller::read(&documents).map(Rc::new);
            self.controllers
                .insert(Rc::clone(&file), controller.clone());
            return Some((file, controller?));
        }
        None
    }
}

/// Returns the documents of these classes, and reports malformed documents.
fn read(file: &Rc<str>, text: &str, classes: &[u32], report: &mut Report) -> Vec<Document> {
    let (documents, malformed) = documents(text, classes);
    for line in malformed {
        report.add(&SourcePlace::new(file, line), "object is not readable");
    }
    documents
}
