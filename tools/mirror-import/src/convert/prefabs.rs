//! Prefabs: their ids and components.

use std::collections::BTreeMap;
use std::rc::Rc;

use syncvar_mirror::AssetId;

use super::Converter;
use crate::files::PROJECT_VERSION;
use crate::model::{Prefab, Registration};
use crate::names;
use crate::report::SourcePlace;
use crate::unity::{PrefabAsset, Script};

impl Converter<'_, '_> {
    /// Reads all prefabs with a `NetworkIdentity`, by file.
    pub(super) fn prefabs(&mut self) -> Vec<Prefab> {
        let mut found: Vec<(Rc<str>, Rc<PrefabAsset>)> = Vec::new();
        for file in self.input.files.prefabs.keys() {
            if let Some(source) = self.assets.prefab(file, self.report) {
                found.push((Rc::clone(file), source));
            }
        }
        let names = prefab_names(found.iter().map(|(file, _)| &**file));
        self.functions.give("prefabs");
        let mut ids: BTreeMap<u32, String> = BTreeMap::new();
        let mut prefabs = Vec::new();
        let mut outdated = 0;
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
            if let Registration::Asset(id) = prefab.registration {
                outdated += usize::from(self.is_outdated(file, id));
            }
            if let Some(reason) = &prefab.unregistered {
                let text = format!("prefab `{}` is not registered: {reason}", prefab.name);
                self.report.add(&source.place, text);
            }
            prefabs.push(prefab);
        }
        if outdated > 0 {
            let text = format!(
                "asset ids of {outdated} prefabs are those of an editor before Unity 2021.2; a build may have others: save \
                 the prefabs in this project's editor"
            );
            self.report
                .add(&SourcePlace::new(&PROJECT_VERSION.into(), 1), text);
        }
        prefabs
    }

    fn prefab(&mut self, file: &Rc<str>, source: &PrefabAsset, name: &str) -> Option<Prefab> {
        let object = self.networked(&source.root, &format!("prefab `{name}`"))?;
        let (id, reason) = match self.asset_id(file, source, object.identity) {
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

    /// Returns the asset id that the identity has serialised, or else that of the GUID in the `.meta` file.
    fn asset_id(
        &mut self,
        file: &Rc<str>,
        source: &PrefabAsset,
        identity: &Script,
    ) -> Result<u32, String> {
        let ids = self.ids_of_guid(file)?;
        let Some(id) = self.serialised_id(source, identity) else {
            let Some((newer, older)) = ids else {
                return Err("it has no `_assetId`, and no `.meta` file with a GUID".to_owned());
            };
            return Ok(if self.has_older_editor() {
                older
            } else {
                newer
            });
        };
        if let Some((newer, older)) = ids
            && ![newer, older].contains(&id)
        {
            let text = format!(
                "asset id {id} is not that of the GUID, {newer} ({older} before Unity 2021.2): save the prefab in \
                 Unity's editor"
            );
            self.report.add(&identity.place, text);
        }
        Ok(id)
    }

    /// Returns the asset id that a prefab has serialised. The id of a base does not count for its variant.
    fn serialised_id(&mut self, source: &PrefabAsset, identity: &Script) -> Option<u32> {
        let own = serialised(identity)?;
        let base = source.root.source.as_ref();
        let base = base.and_then(|base| self.assets.prefab(base, self.report));
        let inherited = base.and_then(|base| serialised(self.identity(&base.root)?));
        (inherited != Some(own)).then_some(own)
    }

    /// Returns the asset ids of the GUID in the `.meta` file: that of Unity 2021.2 and newer, and that of older editors.
    fn ids_of_guid(&self, file: &str) -> Result<Option<(u32, u32)>, String> {
        let Some(guid) = self.input.guids.guid(file) else {
            return Ok(None);
        };
        let ids = AssetId::from_guid(guid)
            .and_then(|newer| Ok((newer.0, AssetId::legacy_from_guid(guid)?.0)));
        ids.map(Some).map_err(|error| error.to_string())
    }

    /// Returns whether the project's editor computes a different asset id than the older editor that saved the prefab.
    fn is_outdated(&self, file: &str, id: u32) -> bool {
        let ids = self.ids_of_guid(file).ok().flatten();
        let is_older = ids.is_some_and(|(newer, older)| id == older && id != newer);
        is_older && self.input.files.editor.is_some() && !self.has_older_editor()
    }

    /// Returns whether the project's editor is older than Unity 2021.2. One without a version counts as newer.
    fn has_older_editor(&self) -> bool {
        self.input
            .files
            .editor
            .is_some_and(|version| version < (2021, 2))
    }
}

/// Returns the asset id that an identity has serialised; 0 is none.
fn serialised(identity: &Script) -> Option<u32> {
    let id = identity.values.get("_assetId")?.text()?.parse().ok()?;
    (id != 0).then_some(id)
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
