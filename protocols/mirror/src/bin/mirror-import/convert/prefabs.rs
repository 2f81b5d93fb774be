//! Prefabs: their ids and components.

use std::collections::BTreeMap;
use std::rc::Rc;

use syncvar_mirror::AssetId;

use super::Converter;
use crate::model::{Prefab, Registration};
use crate::names;
use crate::unity::{Component as Script, Prefab as Source};

impl Converter<'_, '_> {
    /// Reads all prefabs with a `NetworkIdentity`, by file.
    pub(super) fn prefabs(&mut self) -> Vec<Prefab> {
        let mut found: Vec<(Rc<str>, Rc<Source>)> = Vec::new();
        for file in self.input.files.prefabs.keys() {
            if let Some(source) = self.assets.prefab(file, self.report) {
                found.push((Rc::clone(file), source));
            }
        }
        let names = prefab_names(found.iter().map(|(file, _)| &**file));
        self.functions.give("prefabs");
        let mut ids: BTreeMap<u32, String> = BTreeMap::new();
        let mut prefabs = Vec::new();
        for (file, source) in &found {
            let Some(mut prefab) = self.prefab(file, source, &names[file]) else {
                continue;
            };
            let function = names::snake(&names::pascal(&prefab.name));
            prefab.function = self.functions.give(&function);
            if prefab.unregistered.is_none()
                && let Registration::Asset(id) = prefab.registration
                && let Some(other) = ids.insert(id, prefab.name.clone())
            {
                prefab.unregistered = Some(format!("its asset id is that of `{other}`"));
            }
            if let Some(reason) = &prefab.unregistered {
                let text = format!("prefab `{}` is not registered: {reason}", prefab.name);
                self.report.add(&source.place, text);
            }
            prefabs.push(prefab);
        }
        prefabs
    }

    fn prefab(&mut self, file: &Rc<str>, source: &Source, name: &str) -> Option<Prefab> {
        let object = self.networked(&source.root, &format!("prefab `{name}`"))?;
        let (id, reason) = match self.asset_id(file, object.identity) {
            Ok(id) => (id, None),
            Err(reason) => (0, Some(reason)),
        };
        Some(Prefab {
            name: name.to_owned(),
            function: String::new(),
            file: file.to_string(),
            registration: Registration::Asset(id),
            components: object.components,
            unregistered: reason.or(object.reason),
        })
    }

    /// Returns the asset id: from the GUID in the `.meta` file, or as the identity has serialised it.
    fn asset_id(&self, file: &Rc<str>, identity: &Script) -> Result<u32, String> {
        let serialised = identity
            .values
            .get("_assetId")
            .and_then(|id| id.text()?.parse().ok());
        let id = match self.input.guids.guid(file) {
            Some(guid) => {
                AssetId::from_guid(guid)
                    .map_err(|error| error.to_string())?
                    .0
            }
            None => serialised.unwrap_or_default(),
        };
        if id == 0 {
            return Err("it has no `.meta` file with a GUID, and no `_assetId`".to_owned());
        }
        Ok(id)
    }
}

/// Returns the names of prefabs: that of the file, with its folder if several files have it.
fn prefab_names<'a>(files: impl Iterator<Item = &'a str>) -> BTreeMap<Rc<str>, String> {
    let files: Vec<&str> = files.collect();
    let path = |file: &str| {
        let file = file.strip_suffix(".prefab").unwrap_or(file);
        file.strip_prefix("Assets/").unwrap_or(file).to_owned()
    };
    let stem = |file: &str| path(file).rsplit('/').next().unwrap_or_default().to_owned();
    let name = |file: &str| {
        let own = stem(file);
        if files.iter().filter(|other| stem(other) == own).count() == 1 {
            own
        } else {
            path(file)
        }
    };
    files
        .iter()
        .map(|file| ((*file).into(), name(file)))
        .collect()
}
