//! Files of Unity's editor: GUIDs, prefabs, scenes and controllers of animators.

mod assets;
mod controller;
mod objects;
mod yaml;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::files::{self, Files};
use crate::report::{Report, SourcePlace};

pub(crate) use assets::{Assets, PrefabAsset};
pub(crate) use controller::{Controller, ParameterDefault};
pub(crate) use objects::{Object, Script};
pub(crate) use yaml::Yaml;

/// GUIDs and the files that have them.
#[derive(Debug, Default)]
pub(crate) struct Guids {
    by_guid: BTreeMap<String, Rc<str>>,
    by_file: BTreeMap<Rc<str>, String>,
}

impl Guids {
    /// Reads the `.meta` files.
    pub(crate) fn read(files: &Files, report: &mut Report) -> Self {
        let mut guids = Self::default();
        for (name, path) in &files.metas {
            let Some(file) = name.strip_suffix(".meta").map(Rc::from) else {
                continue;
            };
            let Some(text) = files::read(name, path, report) else {
                continue;
            };
            let is_read = files.sources.contains_key(&file)
                || files.prefabs.contains_key(&file)
                || files.controllers.contains_key(&file);
            let mut lines = text.lines();
            let Some(guid) = lines.find_map(|line| line.strip_prefix("guid:")) else {
                if is_read {
                    report.add(&SourcePlace::new(name, 1), "file has no `guid`");
                }
                continue;
            };
            let guid = guid.trim().to_lowercase();
            if !is_read {
                // A model, of which prefabs are made.
                guids.by_guid.entry(guid).or_insert(file);
                continue;
            }
            if let Some(other) = guids.by_guid.insert(guid.clone(), Rc::clone(&file)) {
                report.add(
                    &SourcePlace::new(name, 1),
                    format!("`{other}` has the same GUID"),
                );
            }
            guids.by_file.insert(file, guid);
        }
        guids
    }

    pub(crate) fn file(&self, guid: &str) -> Option<&Rc<str>> {
        self.by_guid.get(guid)
    }

    pub(crate) fn guid(&self, file: &str) -> Option<&str> {
        self.by_file.get(file).map(String::as_str)
    }
}
