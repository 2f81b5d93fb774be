//! Files of Unity's editor: GUIDs, prefabs and the number of objects in scenes.

mod objects;
mod prefab;
mod yaml;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::files::{self, Files};
use crate::report::{Place, Report};

pub(crate) use objects::Component;
pub(crate) use prefab::{Assets, Prefab};
pub(crate) use yaml::Value;

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
            let is_read = files.sources.contains_key(&file) || files.prefabs.contains_key(&file);
            let mut lines = text.lines();
            let Some(guid) = lines.find_map(|line| line.strip_prefix("guid:")) else {
                if is_read {
                    report.add(&Place::new(name, 1), "file has no `guid`");
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
                report.add(&Place::new(name, 1), format!("`{other}` has the same GUID"));
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

/// Reports scenes whose objects have ids: they are not read.
pub(crate) fn report_scenes(files: &Files, report: &mut Report) {
    for (name, path) in &files.scenes {
        let Some(text) = files::read(name, path, report) else {
            continue;
        };
        let ids = text.lines().enumerate().filter_map(|(index, line)| {
            let id = line.trim_start().strip_prefix("sceneId:")?.trim();
            (id != "0").then_some(index + 1)
        });
        let lines: Vec<usize> = ids.collect();
        if let Some(line) = lines.first() {
            let text = format!(
                "scenes are not read; this one has {} objects with a `sceneId`: register them with `MirrorPrefab::scene`",
                lines.len()
            );
            report.add(&Place::new(name, *line), text);
        }
    }
}
