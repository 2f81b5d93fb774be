//! Components of prefabs and scenes, with the values that they have serialised.

use super::Converter;
use super::motion::transform;
use crate::csharp::Declaration;
use crate::model::{Component, Container};
use crate::project::{Counterpart, Lineage, STOCK, Stock, StockKind, stock_of_guid};
use crate::report::SourcePlace;
use crate::unity::{Object, Script};

/// Most components of an object.
const MAX_COMPONENTS: usize = 64;

/// Components of an object of the network.
pub(super) struct Networked<'o> {
    pub(super) identity: &'o Script,
    pub(super) components: Vec<Component>,
    /// Reason why it cannot be registered.
    pub(super) reason: Option<String>,
}

/// Meaning of a script for its object.
enum ComponentRole<'p> {
    Identity,
    Behaviour(&'p Declaration),
    /// A component of Mirror with a behaviour in Rust.
    BuiltIn(Counterpart),
    /// A component of the network that the module does not have, and the reason.
    Unread(String),
    Local,
}

impl<'p> Converter<'p, '_> {
    /// Returns the components of an object; `None` for one without a `NetworkIdentity`, which is none of the network.
    /// The label names it in the list of places.
    pub(super) fn networked<'o>(&mut self, root: &'o Object, label: &str) -> Option<Networked<'o>> {
        let scripts = root.all().into_iter();
        let roles: Vec<(&Script, ComponentRole<'p>)> =
            scripts.map(|script| (script, self.role(script))).collect();
        let is_identity =
            |(_, role): &&(&Script, ComponentRole<'_>)| matches!(role, ComponentRole::Identity);
        let (identity, _) = *roles.iter().find(is_identity)?;
        let identities = roles.iter().filter(is_identity).count();
        let mut reasons = Vec::new();
        if self.identity(root).is_none() {
            reasons.push("its NetworkIdentity is not on the root".to_owned());
        } else if identities > 1 {
            let text = "an object inside of it has a NetworkIdentity, which Mirror refuses";
            reasons.push(text.to_owned());
        }
        let mut components = Vec::new();
        for (script, role) in roles {
            let place = (root, label, components.len());
            let (component, reason) = self.placed(place, script, role);
            components.extend(component);
            reasons.extend(reason);
        }
        if components.len() > MAX_COMPONENTS {
            reasons.push(format!("it has more than {MAX_COMPONENTS} components"));
        }
        Some(Networked {
            identity,
            components,
            reason: reasons.into_iter().next(),
        })
    }

    /// Returns the `NetworkIdentity` of an object itself.
    pub(super) fn identity<'o>(&self, object: &'o Object) -> Option<&'o Script> {
        let mut scripts = object.components.iter();
        scripts.find(|script| matches!(self.role(script), ComponentRole::Identity))
    }

    /// Returns the component that a script is, and the reason why its object cannot be registered. A place is the
    /// object, its label, and the position of the component.
    fn placed(
        &mut self,
        (root, label, index): (&Object, &str, usize),
        script: &Script,
        role: ComponentRole<'p>,
    ) -> (Option<Component>, Option<String>) {
        let reason = match role {
            ComponentRole::Identity | ComponentRole::Local => return (None, None),
            ComponentRole::BuiltIn(counterpart) => match self.built_in(counterpart, root, script) {
                Ok(component) => return (Some(component), None),
                Err(reason) => reason,
            },
            ComponentRole::Behaviour(class) => {
                let component = self.component(class, script);
                let behaviour = self.behaviours.get(&class.name);
                let incomplete = behaviour.and_then(|behaviour| behaviour.incomplete.first());
                let reason = incomplete.map(|reason| format!("`{}`: {reason}", class.name));
                return (Some(component), reason);
            }
            ComponentRole::Unread(reason) => reason,
        };
        let text = format!("component {index} of {label} is not read: {reason}");
        self.report.add(&script.place, text);
        // Keeps the places of the components behind it.
        let empty = Component {
            ty: "()".to_owned(),
            create: "()".to_owned(),
            settings: Vec::new(),
        };
        let reason = format!("its component {index} is not read");
        (Some(empty), Some(reason))
    }

    /// Returns a component of Mirror with a behaviour in Rust.
    fn built_in(
        &mut self,
        counterpart: Counterpart,
        root: &Object,
        script: &Script,
    ) -> Result<Component, String> {
        let mut settings = self.settings(script);
        let (ty, create) = match counterpart {
            Counterpart::Missing => return Err("it has no counterpart in Rust".to_owned()),
            Counterpart::Plain(path) => (path, format!("{path}::default()")),
            Counterpart::Transform(path) => {
                // A transform decides its delivery itself.
                settings.retain(|setting| !setting.starts_with(".sync_method"));
                let (create, is_of_model) = transform(path, root, script)?;
                if is_of_model {
                    let text =
                        "place of the target, an object of a model, is not read; it is the origin";
                    self.report.add(&script.place, text);
                }
                (path, create)
            }
            Counterpart::Animator => {
                let path = "syncvar::mirror::components::NetworkAnimator";
                (path, self.animator(root, script)?)
            }
        };
        Ok(Component {
            ty: ty.to_owned(),
            create,
            settings,
        })
    }

    /// Returns the meaning of a script.
    fn role(&self, script: &Script) -> ComponentRole<'p> {
        let input = self.input;
        let is_networked = || {
            script.values.get("syncMode").is_some() && script.values.get("syncInterval").is_some()
        };
        if let Some(stock) = stock_of_guid(&script.guid) {
            return of_stock(stock);
        }
        let Some(file) = input.guids.file(&script.guid) else {
            return if is_networked() {
                ComponentRole::Unread(format!(
                    "its script, with the GUID {}, is not in the project",
                    script.guid
                ))
            } else {
                ComponentRole::Local
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
                None if is_networked() => ComponentRole::Unread(format!(
                    "`{file}` declares no class `{stem}` of the game"
                )),
                None => ComponentRole::Local,
            };
        };
        let lineage = input.project.lineage(class);
        match lineage {
            Lineage::Stock(base) if !lineage.is_read() => ComponentRole::Unread(format!(
                "`{}` derives from the built-in component {base}",
                class.name
            )),
            Lineage::Behaviour | Lineage::Stock(_) if class.parameters.is_empty() => {
                ComponentRole::Behaviour(class)
            }
            Lineage::Behaviour | Lineage::Stock(_) => {
                ComponentRole::Unread(format!("`{}` is generic", class.name))
            }
            Lineage::Unknown(base) if is_networked() => ComponentRole::Unread(format!(
                "the base class `{base}` of `{}` is not found",
                class.name
            )),
            Lineage::Unknown(_) | Lineage::Other => ComponentRole::Local,
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
        let place: SourcePlace = script.place.clone();
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

fn of_stock(stock: &'static Stock) -> ComponentRole<'static> {
    match stock.kind {
        StockKind::Identity => ComponentRole::Identity,
        StockKind::Behaviour(Counterpart::Missing) => {
            ComponentRole::Unread(format!("built-in component {}", stock.name))
        }
        StockKind::Behaviour(counterpart) => ComponentRole::BuiltIn(counterpart),
        StockKind::Local => ComponentRole::Local,
    }
}
