//! Behaviours: their fields, hooks and bases.

use super::Converter;
use super::draft::Draft;
use super::types::Around;
use crate::csharp::{Declaration, DeclaredField as Source, Expression, attribute};
use crate::model::{Behaviour, Container, Field, Shape, ValueType};
use crate::names;
use crate::project::{Lineage, is_synchronised};

/// Mirror's limit of the fields of an object's component, bases included.
const MAX_SYNC_VARS: usize = 64;

impl<'p> Converter<'p, '_> {
    /// Reads a class if it is a behaviour, and reports one whose base is not known.
    pub(super) fn class(&mut self, class: &'p Declaration) {
        let networked = class
            .fields
            .iter()
            .any(|field| attribute(&field.attributes, "SyncVar").is_some())
            || class
                .methods
                .iter()
                .any(|method| super::calls::attribute_of(method).is_some());
        let place = &class.scope.place;
        let lineage = self.input.project.lineage(class);
        match lineage {
            Lineage::Stock(base) if !lineage.is_read() => {
                let text = format!(
                    "`{}` is not read: its base class `{base}` is a built-in component",
                    class.name
                );
                self.report.add(place, text);
            }
            // A generic class is read for each class that derives from it.
            Lineage::Behaviour | Lineage::Stock(_) if class.parameters.is_empty() => {
                self.behaviour(class, Vec::new());
            }
            Lineage::Unknown(base) if networked => {
                let text = format!(
                    "`{}` is not read: its base class `{base}` is not found",
                    class.name
                );
                self.report.add(place, text);
            }
            Lineage::Other if networked => {
                let text = format!("`{}` is not read: it is not a NetworkBehaviour", class.name);
                self.report.add(place, text);
            }
            _ => {}
        }
    }

    /// Reads a behaviour, with the arguments of a generic class, and returns its key.
    fn behaviour(&mut self, class: &'p Declaration, arguments: Vec<ValueType>) -> String {
        let names: Vec<&str> = arguments
            .iter()
            .map(|argument| argument.csharp.as_str())
            .collect();
        let key = if names.is_empty() {
            class.name.clone()
        } else {
            format!("{}<{}>", class.name, names.join(","))
        };
        if self.behaviours.contains_key(&key) {
            return key;
        }
        let name = self.name_of(class, &arguments);
        let mut draft = Draft {
            class,
            parameters: class.parameters.iter().cloned().zip(arguments).collect(),
            behaviour: Behaviour {
                name,
                csharp: key.clone(),
                file: class.scope.place.file.to_string(),
                base: None,
                fields: Vec::new(),
                calls: Vec::new(),
                hooks: Vec::new(),
                incomplete: Vec::new(),
                is_room_player: false,
            },
            fields: names::Scope::default(),
            methods: names::Scope::default(),
            left_out: Vec::new(),
        };
        if let Some(place) = &class.broken {
            draft
                .behaviour
                .incomplete
                .push(format!("syntax error at {place}"));
        }
        self.base(&mut draft);
        for field in &class.fields {
            self.field(&mut draft, field);
        }
        self.calls(&mut draft);
        self.check(&mut draft);
        self.behaviours.insert(key.clone(), draft.behaviour);
        key
    }

    /// Returns the name of a class in Rust, with the types of a generic class: `SlotOfString`.
    fn name_of(&self, class: &Declaration, arguments: &[ValueType]) -> String {
        let known = &self.types.names;
        let mut name = known.get(&class.name).cloned().unwrap_or_default();
        for (index, argument) in arguments.iter().enumerate() {
            let words: String = argument
                .rust
                .split(|letter: char| !letter.is_alphanumeric())
                .map(names::pascal_word)
                .collect();
            name += if index == 0 { "Of" } else { "And" };
            name += &words;
        }
        name
    }

    fn base(&mut self, draft: &mut Draft<'p>) {
        let class = draft.class;
        let Some((written, base)) = self.input.project.base(class) else {
            if let Some(path) = self.input.project.lineage(class).base_in_rust() {
                draft.behaviour.base = Some((path.to_owned(), draft.fields.give("base")));
                draft.behaviour.is_room_player = true;
            }
            return;
        };
        let around = Around {
            scope: &class.scope,
            inside: Some(class),
            parameters: &draft.parameters,
        };
        let arguments: Result<Vec<_>, _> = written
            .arguments()
            .iter()
            .map(|argument| self.types.value(argument, around))
            .collect();
        let arguments = match arguments {
            Ok(arguments) => arguments,
            Err(reason) => {
                let text = format!(
                    "base class `{written}` of `{}` is not read: {reason}",
                    class.name
                );
                self.report.add(&class.scope.place, text.clone());
                draft.behaviour.incomplete.push(text);
                return;
            }
        };
        let key = self.behaviour(base, arguments);
        let base = &self.behaviours[&key];
        if !base.incomplete.is_empty() {
            draft
                .behaviour
                .incomplete
                .push(format!("its base class `{written}` is incomplete"));
        }
        draft.behaviour.is_room_player = base.is_room_player;
        draft.behaviour.base = Some((base.name.clone(), draft.fields.give("base")));
    }

    fn field(&mut self, draft: &mut Draft<'p>, source: &'p Source) {
        let sync_var = attribute(&source.attributes, "SyncVar");
        let sync_var = sync_var.filter(|attribute| {
            !source.is_property || attribute.target.as_deref() == Some("field")
        });
        let is = |modifier: &str| source.modifiers.contains(modifier);
        let parameters = draft.parameters.clone();
        let around = Around {
            scope: &source.scope,
            inside: Some(draft.class),
            parameters: &parameters,
        };
        let collection = if source.is_property {
            None
        } else {
            self.types.collection(&source.ty, around)
        };
        if is("static") || is("const") {
            if sync_var.is_some() || collection.is_some() {
                self.unread(draft, source, "it is static, which Mirror refuses");
            }
            return;
        }
        match (collection, sync_var) {
            (Some(Ok(collection)), _) => {
                let mut field =
                    Self::new_field(draft, source, collection.container, collection.element);
                field.key = collection.key;
                self.initial_elements(&mut field, source, around);
                draft.behaviour.fields.push(field);
            }
            (Some(Err(reason)), _) => self.unread(draft, source, &reason),
            (None, Some(attribute)) => match self.types.value(&source.ty, around) {
                Ok(ty) => {
                    if !draft.parameters.is_empty() {
                        let reason = "Mirror counts the bits of a generic base class twice";
                        self.unread(draft, source, reason);
                    }
                    let mut field = Self::new_field(draft, source, Container::Variable, ty);
                    field.hook = self.hook(draft, source, attribute, &field.ty);
                    self.initial(&mut field, source, around);
                    draft.behaviour.fields.push(field);
                }
                Err(reason) => self.unread(draft, source, &reason),
            },
            (None, None) if is_synchronised(source) && source.ty.last_name() == "SyncVar" => {
                self.unread(draft, source, "type `SyncVar` is of an older Mirror");
            }
            (None, None) => self.local(draft, source, around),
        }
    }

    /// Reads a field that does not travel.
    fn local(&mut self, draft: &mut Draft<'p>, source: &'p Source, around: Around<'_>) {
        let reached = self.types.reached.clone();
        match self.types.value(&source.ty, around) {
            Ok(ty) if is_plain(&ty) => {
                let mut field = Self::new_field(draft, source, Container::Local, ty);
                self.initial(&mut field, source, around);
                draft.behaviour.fields.push(field);
            }
            _ => {
                // Types of local fields alone are not part of the module.
                self.types.reached = reached;
                draft
                    .left_out
                    .push(format!("`{}` ({})", source.name, source.ty));
            }
        }
    }

    fn new_field(
        draft: &mut Draft<'_>,
        source: &Source,
        container: Container,
        ty: ValueType,
    ) -> Field {
        Field {
            name: draft.fields.give(&names::snake(&source.name)),
            csharp: source.name.clone(),
            container,
            key: None,
            ty,
            hook: None,
            initial: None,
        }
    }

    fn initial(&mut self, field: &mut Field, source: &Source, around: Around<'_>) {
        let Some(expression) = &source.initial else {
            return;
        };
        match self.types.initial(&field.ty, expression, around) {
            Some(initial) => field.initial = initial,
            None => self.initial_unread(field, source),
        }
    }

    /// Reads the elements that a collection has from the start.
    fn initial_elements(&mut self, field: &mut Field, source: &Source, around: Around<'_>) {
        let Some(Expression::New { elements, .. }) = &source.initial else {
            return;
        };
        let elements = match field.container {
            Container::Dictionary if !elements.is_empty() => None,
            _ => self.types.elements(&field.ty, elements, around),
        };
        match elements {
            Some(elements) if elements.is_empty() => {}
            Some(elements) => {
                field.initial = Some(format!("[{}].into_iter().collect()", elements.join(", ")));
            }
            None => self.initial_unread(field, source),
        }
    }

    fn initial_unread(&mut self, field: &Field, source: &Source) {
        let text = format!(
            "initial value of `{}` is not read; it is that of `Default`",
            field.csharp
        );
        self.report.add(&source.scope.place, text);
    }

    /// Reports a field that would travel.
    fn unread(&mut self, draft: &mut Draft<'_>, source: &Source, reason: &str) {
        let text = format!(
            "`{}.{}` is not read: {reason}",
            draft.class.name, source.name
        );
        self.report.add(&source.scope.place, text);
        draft
            .behaviour
            .incomplete
            .push(format!("field `{}` is not read", source.name));
    }

    /// Checks a whole class, and reports the local fields that are left out.
    fn check(&mut self, draft: &mut Draft<'_>) {
        let place = &draft.class.scope.place;
        if !draft.left_out.is_empty() {
            let text = format!(
                "local fields of `{}` are left out: {}",
                draft.class.name,
                draft.left_out.join(", ")
            );
            self.report.add(place, text);
        }
        let own_bytes = ["OnSerialize", "OnDeserialize"];
        if let Some(method) = draft
            .class
            .methods
            .iter()
            .find(|method| own_bytes.contains(&method.name.as_str()))
        {
            let text = format!(
                "`{}` decides its bytes itself, in `{}`, which is not read",
                draft.class.name, method.name
            );
            self.report.add(&method.scope.place, text.clone());
            draft.behaviour.incomplete.push(text);
        }
        let own = draft
            .behaviour
            .fields
            .iter()
            .filter(|field| field.container == Container::Variable)
            .count();
        let mut base = draft.behaviour.base.as_ref().map(|(name, _)| name.clone());
        let mut count = own;
        while let Some(name) = base {
            let found = self
                .behaviours
                .values()
                .find(|behaviour| behaviour.name == name);
            let variables = found.into_iter().flat_map(|behaviour| &behaviour.fields);
            count += variables
                .filter(|field| field.container == Container::Variable)
                .count();
            base = found
                .and_then(|behaviour| behaviour.base.as_ref())
                .map(|(name, _)| name.clone());
        }
        if count > MAX_SYNC_VARS {
            let text = format!(
                "`{}` has {count} SyncVars; the limit of Mirror is {MAX_SYNC_VARS}",
                draft.class.name
            );
            self.report.add(place, text.clone());
            draft.behaviour.incomplete.push(text);
        }
    }
}

/// Returns whether a local field is a number, a text or the like, as a prefab's settings are.
fn is_plain(ty: &ValueType) -> bool {
    match &ty.shape {
        Shape::Structure | Shape::Reference | Shape::Opaque => false,
        Shape::Optional(inner) | Shape::Sequence(inner) => is_plain(inner),
        _ => true,
    }
}
