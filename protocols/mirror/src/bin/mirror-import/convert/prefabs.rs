//! Prefabs: asset ids, components in their order, and the values that they have serialised.

use std::collections::BTreeMap;
use std::rc::Rc;

use syncvar_mirror::AssetId;

use super::Converter;
use crate::csharp::Declaration;
use crate::model::{Component, Container, Prefab};
use crate::names;
use crate::project::{Lineage, STOCK, Stock, StockKind, stock_of_guid};
use crate::report::Place;
use crate::unity::{Assets, Component as Script, Prefab as Source};

/// Most components of an object.
const MAX_COMPONENTS: usize = 64;

/// Meaning of a script for its object.
enum Role<'p> {
    Identity,
    Behaviour(&'p Declaration),
    /// A component of Mirror with a behaviour in Rust, by its path.
    BuiltIn(&'static str),
    /// A component of the network that the module does not have, and the reason.
    Unread(String),
    Local,
}

impl<'p> Converter<'p, '_> {
    /// Reads all prefabs with a `NetworkIdentity`, by file.
    pub(super) fn prefabs(&mut self) -> Vec<Prefab> {
        let input = self.input;
        let mut assets = Assets::new(input.files, input.guids);
        let mut found: Vec<(Rc<str>, Rc<Source>)> = Vec::new();
        for file in input.files.prefabs.keys() {
            if let Some(source) = assets.prefab(file, self.report) {
                found.push((Rc::clone(file), source));
            }
        }
        let names = prefab_names(found.iter().map(|(file, _)| &**file));
        let mut functions = names::Scope::default();
        functions.give("prefabs");
        let mut ids: BTreeMap<u32, String> = BTreeMap::new();
        let mut prefabs = Vec::new();
        for (file, source) in &found {
            let Some(mut prefab) = self.prefab(file, source, &names[file]) else {
                continue;
            };
            prefab.function = functions.give(&names::snake(&names::pascal(&prefab.name)));
            if prefab.unregistered.is_none()
                && let Some(other) = ids.insert(prefab.asset_id, prefab.name.clone())
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
        let scripts = source.root.all();
        let roles: Vec<(&Script, Role<'p>)> = scripts
            .into_iter()
            .map(|script| (script, self.role(script)))
            .collect();
        let is_identity = |(_, role): &&(&Script, Role<'_>)| matches!(role, Role::Identity);
        // A prefab without an identity is no object of the network.
        let (identity, _) = roles.iter().find(is_identity)?;
        let mut prefab = Prefab {
            name: name.to_owned(),
            function: String::new(),
            file: file.to_string(),
            asset_id: 0,
            components: Vec::new(),
            unregistered: None,
        };
        let mut reasons = Vec::new();
        match self.asset_id(file, identity) {
            Ok(id) => prefab.asset_id = id,
            Err(reason) => reasons.push(reason),
        }
        if !source
            .root
            .components
            .iter()
            .any(|script| matches!(self.role(script), Role::Identity))
        {
            reasons.push("its NetworkIdentity is not on the root".to_owned());
        } else if roles.iter().filter(is_identity).count() > 1 {
            reasons.push(
                "an object inside of it has a NetworkIdentity, which Mirror refuses".to_owned(),
            );
        }
        for (script, role) in roles {
            let (component, reason) = self.placed(&prefab, script, role);
            prefab.components.extend(component);
            reasons.extend(reason);
        }
        if prefab.components.len() > MAX_COMPONENTS {
            reasons.push(format!("it has more than {MAX_COMPONENTS} components"));
        }
        prefab.unregistered = reasons.into_iter().next();
        Some(prefab)
    }

    /// Returns the component that a script is, and the reason why its prefab cannot be registered.
    fn placed(
        &mut self,
        prefab: &Prefab,
        script: &Script,
        role: Role<'p>,
    ) -> (Option<Component>, Option<String>) {
        match role {
            Role::Identity | Role::Local => (None, None),
            Role::BuiltIn(path) => {
                let component = Component {
                    ty: path.to_owned(),
                    create: format!("{path}::default()"),
                    settings: self.settings(script),
                };
                (Some(component), None)
            }
            Role::Unread(reason) => {
                let (index, name) = (prefab.components.len(), &prefab.name);
                let text = format!("component {index} of prefab `{name}` is not read: {reason}");
                self.report.add(&script.place, text);
                // Keeps the places of the components behind it.
                let empty = Component {
                    ty: "()".to_owned(),
                    create: "()".to_owned(),
                    settings: Vec::new(),
                };
                (
                    Some(empty),
                    Some(format!("its component {index} is not read")),
                )
            }
            Role::Behaviour(class) => {
                let component = self.component(class, script);
                let incomplete = self
                    .behaviours
                    .get(&class.name)
                    .and_then(|behaviour| behaviour.incomplete.first());
                let reason = incomplete.map(|reason| format!("`{}`: {reason}", class.name));
                (Some(component), reason)
            }
        }
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

    /// Returns the meaning of a script.
    fn role(&self, script: &Script) -> Role<'p> {
        let input = self.input;
        let is_networked = || {
            script.values.get("syncMode").is_some() && script.values.get("syncInterval").is_some()
        };
        if let Some(stock) = stock_of_guid(&script.script) {
            return of_stock(stock);
        }
        let Some(file) = input.guids.file(&script.script) else {
            return if is_networked() {
                Role::Unread(format!(
                    "its script, with the GUID {}, is not in the project",
                    script.script
                ))
            } else {
                Role::Local
            };
        };
        let stem = file
            .rsplit('/')
            .next()
            .and_then(|name| name.strip_suffix(".cs"))
            .unwrap_or_default();
        let of_file = || {
            input
                .project
                .iter()
                .filter(|declared| declared.files.contains(file))
        };
        let Some(class) = of_file().find(|declared| declared.short_name() == stem) else {
            // Mirror's own source is not part of the project.
            return match STOCK.iter().find(|stock| stock.name == stem) {
                Some(stock) => of_stock(stock),
                None if is_networked() => {
                    Role::Unread(format!("`{file}` declares no class `{stem}` of the game"))
                }
                None => Role::Local,
            };
        };
        match input.project.lineage(class) {
            Lineage::Behaviour if class.parameters.is_empty() => Role::Behaviour(class),
            Lineage::Behaviour => Role::Unread(format!("`{}` is generic", class.name)),
            Lineage::Stock(base) => Role::Unread(format!(
                "`{}` derives from the built-in component {base}",
                class.name
            )),
            Lineage::Unknown(base) if is_networked() => Role::Unread(format!(
                "the base class `{base}` of `{}` is not found",
                class.name
            )),
            Lineage::Unknown(_) | Lineage::Other => Role::Local,
        }
    }

    fn component(&mut self, class: &'p Declaration, script: &Script) -> Component {
        let ty = self
            .behaviours
            .get(&class.name)
            .map(|behaviour| behaviour.name.clone())
            .unwrap_or_default();
        Component {
            create: self
                .creation(&ty, script)
                .unwrap_or_else(|| format!("{ty}::default()")),
            ty,
            settings: self.settings(script),
        }
    }

    /// Returns the expression that creates a behaviour with the values of a prefab. `None` if they are those of
    /// `Default`.
    fn creation(&mut self, name: &str, script: &Script) -> Option<String> {
        let behaviour = self
            .behaviours
            .values()
            .find(|behaviour| behaviour.name == name)?;
        let base = behaviour.base.clone();
        let (mut set, mut unread) = (Vec::new(), Vec::new());
        for field in &behaviour.fields {
            let is_value = matches!(field.container, Container::Variable | Container::Local);
            let serialised = script.values.get(&field.csharp).filter(|_| is_value);
            let Some(serialised) = serialised.filter(|value| value.get("fileID").is_none()) else {
                continue;
            };
            match self.types.serialised(&field.ty, serialised) {
                Some(initial) if initial == field.initial => {}
                Some(initial) => {
                    set.push(format!(
                        "{}: {}",
                        field.name,
                        field.container.filled(initial.as_deref())
                    ));
                }
                None => unread.push(format!(
                    "value of `{}` in this component is not read",
                    field.csharp
                )),
            }
        }
        let place: Place = script.place.clone();
        for text in unread {
            self.report.add(&place, text);
        }
        if let Some((base, field)) = base
            && let Some(created) = self.creation(&base, script)
        {
            set.insert(0, format!("{field}: {created}"));
        }
        (!set.is_empty()).then(|| format!("{name} {{ {}, ..{name}::default() }}", set.join(", ")))
    }

    /// Returns the settings of a component that differ from Mirror's defaults.
    fn settings(&mut self, script: &Script) -> Vec<String> {
        let mut settings = Vec::new();
        let mut choice =
            |key: &str, one: &str| match script.values.get(key).and_then(|value| value.text()) {
                None | Some("0") => {}
                Some("1") => settings.push(one.to_owned()),
                Some(other) => self.report.add(
                    &script.place,
                    format!("value {other} of `{key}` is not known"),
                ),
            };
        choice(
            "syncDirection",
            ".sync_direction(SyncDirection::ClientToServer)",
        );
        choice("syncMode", ".sync_mode(SyncMode::Owner)");
        choice("syncMethod", ".sync_method(SyncMethod::Hybrid)");
        let interval = script
            .values
            .get("syncInterval")
            .and_then(|value| value.text());
        match interval.map(str::parse::<f32>) {
            None => {}
            Some(Ok(seconds)) if (0.0..=3600.0).contains(&seconds) => {
                // In steps of the microsecond: 0.1 is 0.1 s, and not the nearest `float`.
                let micros = (f64::from(seconds) * 1e6).round();
                if micros > 0.0 {
                    settings.push(format!(".sync_interval(Duration::from_micros({micros}))"));
                }
            }
            Some(_) => self.report.add(
                &script.place,
                "value of `syncInterval` is not a number of seconds up to 3600",
            ),
        }
        settings
    }
}

fn of_stock(stock: &'static Stock) -> Role<'static> {
    match stock.kind {
        StockKind::Identity => Role::Identity,
        StockKind::Behaviour(Some(path)) => Role::BuiltIn(path),
        StockKind::Behaviour(None) => Role::Unread(format!("built-in component {}", stock.name)),
        StockKind::Local => Role::Local,
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
