//! Types of the project, found by the names that its sources use.

mod stock;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::csharp::{Declaration, Kind, Part, Scope, Type};
use crate::report::Report;

pub(crate) use stock::{
    Counterpart, ROOM_PLAYER, STOCK, Stock, StockKind, of_guid as stock_of_guid,
    of_name as stock_of_name,
};

/// Longest chain of base classes.
const MAX_BASES: usize = 64;

/// Declarations by full name.
#[derive(Debug, Default)]
pub(crate) struct Project {
    declarations: BTreeMap<String, Declaration>,
}

/// Origin of a class, found through its bases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lineage<'p> {
    /// `Mirror.NetworkBehaviour`.
    Behaviour,
    /// A component of Mirror.
    Stock(&'static str),
    /// A class that is not in the project.
    Unknown(&'p Type),
    /// Nothing of the network.
    Other,
}

impl Lineage<'_> {
    /// Returns whether classes of this origin are read: behaviours, also those with a base in Rust.
    pub(crate) fn is_read(self) -> bool {
        self == Self::Behaviour || self.base_in_rust().is_some()
    }

    /// Returns the path of the component of Mirror that is the base of a class.
    pub(crate) fn base_in_rust(self) -> Option<&'static str> {
        (self == Self::Stock("NetworkRoomPlayer")).then_some(ROOM_PLAYER)
    }
}

impl Project {
    /// Adds a declaration, and joins the parts of a partial type.
    pub(crate) fn add(&mut self, declaration: Declaration, report: &mut Report) {
        let Some(first) = self.declarations.get_mut(&declaration.name) else {
            self.declarations
                .insert(declaration.name.clone(), declaration);
            return;
        };
        if !(first.is("partial") && declaration.is("partial")) {
            let text = format!(
                "`{}` is declared at {}, too; this one is not read",
                first.name, first.scope.place
            );
            report.add(&declaration.scope.place, text);
            return;
        }
        let has_fields = |part: &Declaration| part.fields.iter().any(is_synchronised);
        if has_fields(first)
            && has_fields(&declaration)
            && first.scope.place.file != declaration.scope.place.file
        {
            let text = format!(
                "parts of `{}` in several files have synchronised fields; their order is taken from the names of the files",
                first.name
            );
            report.add(&declaration.scope.place, text);
        }
        // Unity's script is the file with the name of the class.
        if declaration
            .scope
            .place
            .file
            .ends_with(&format!("/{}.cs", declaration.short_name()))
        {
            first.scope = declaration.scope;
        }
        first.files.extend(declaration.files);
        first.modifiers.extend(declaration.modifiers);
        first.attributes.extend(declaration.attributes);
        first.bases.extend(declaration.bases);
        first.fields.extend(declaration.fields);
        first.methods.extend(declaration.methods);
        first.broken = first.broken.take().or(declaration.broken);
    }

    /// Returns all declarations by full name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Declaration> {
        self.declarations.values()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Declaration> {
        self.declarations.get(name)
    }

    /// Returns the declaration that a type names inside of a type: nested types, namespaces and usings, as C#
    /// searches them.
    pub(crate) fn find(
        &self,
        ty: &Type,
        scope: &Scope,
        inside: Option<&Declaration>,
    ) -> Option<&Declaration> {
        let Type::Named(parts) = ty else {
            return None;
        };
        let first = parts.first()?;
        let alias = scope
            .usings
            .aliases
            .iter()
            .find(|(name, _)| *name == first.name);
        let aliased: Vec<Part>;
        let parts = match alias {
            Some((_, Type::Named(target))) => {
                aliased = target.iter().chain(&parts[1..]).cloned().collect();
                &aliased
            }
            _ => parts,
        };
        let names: Vec<String> = (0..parts.len())
            .map(|types| name_of(parts, types))
            .collect();
        let own = inside
            .into_iter()
            .flat_map(|inside| self.outer_types(inside));
        let namespaces = outer_namespaces(&scope.namespace);
        let usings = scope
            .usings
            .namespaces
            .iter()
            .map(|name| format!("{name}."));
        let prefixes = own.chain(namespaces).chain(usings);
        prefixes
            .flat_map(|prefix| names.iter().map(move |name| format!("{prefix}{name}")))
            .find_map(|name| self.declarations.get(&name))
    }

    /// Returns the prefixes of nested types: of a class, its bases and the classes around it.
    fn outer_types(&self, inside: &Declaration) -> Vec<String> {
        let mut prefixes = Vec::new();
        for class in std::iter::successors(Some(inside), |class| self.base_in_namespace(class))
            .take(MAX_BASES)
        {
            let mut name = class.name.as_str();
            prefixes.push(format!("{name}/"));
            while let Some((outer, _)) = name.rsplit_once('/') {
                prefixes.push(format!("{outer}/"));
                name = outer;
            }
        }
        prefixes
    }

    /// Returns the base class, if its name is found without the names inside of the class.
    fn base_in_namespace(&self, class: &Declaration) -> Option<&Declaration> {
        let mut bases = class
            .bases
            .iter()
            .filter_map(|base| self.find(base, &class.scope, None));
        bases.find(|base| base.kind == Kind::Class && class.kind == Kind::Class)
    }

    /// Returns the base class that the project declares, and how it is written.
    pub(crate) fn base<'p>(
        &'p self,
        class: &'p Declaration,
    ) -> Option<(&'p Type, &'p Declaration)> {
        let outer = class
            .name
            .rsplit_once('/')
            .and_then(|(outer, _)| self.get(outer));
        let mut bases = class
            .bases
            .iter()
            .filter_map(|base| Some((base, self.find(base, &class.scope, outer)?)));
        bases.find(|(_, base)| base.kind == Kind::Class && class.kind == Kind::Class)
    }

    /// Returns the origin of a class.
    pub(crate) fn lineage<'p>(&'p self, class: &'p Declaration) -> Lineage<'p> {
        let mut class = class;
        for _ in 0..MAX_BASES {
            if let Some((_, base)) = self.base(class) {
                class = base;
                continue;
            }
            let Some(first) = class.bases.first().filter(|_| class.kind == Kind::Class) else {
                return Lineage::Other;
            };
            let outer = class
                .name
                .rsplit_once('/')
                .and_then(|(outer, _)| self.get(outer));
            return match first.last_name() {
                "NetworkBehaviour" => Lineage::Behaviour,
                // An interface of the project.
                _ if self.find(first, &class.scope, outer).is_some() => Lineage::Other,
                "MonoBehaviour"
                | "ScriptableObject"
                | "Object"
                | "object"
                | "NetworkManager"
                | "NetworkAuthenticator" => Lineage::Other,
                name => match stock_of_name(name) {
                    Some(stock) => Lineage::Stock(stock.name),
                    None => Lineage::Unknown(first),
                },
            };
        }
        Lineage::Other
    }
}

/// Returns whether a field may be synchronised, by its attributes and type as they are written.
pub(crate) fn is_synchronised(field: &crate::csharp::DeclaredField) -> bool {
    crate::csharp::attribute(&field.attributes, "SyncVar").is_some()
        || field.ty.last_name().starts_with("Sync")
}

/// Returns whether a type belongs to Mirror's own source. Its examples are games.
pub(crate) fn is_of_mirror(declaration: &Declaration) -> bool {
    let namespace = &*declaration.scope.namespace;
    let is_game = namespace.starts_with("Mirror.Examples");
    !is_game && (namespace == "Mirror" || namespace.starts_with("Mirror."))
}

/// Returns a name whose last parts are nested types, so many behind the first type.
fn name_of(parts: &[Part], nested: usize) -> String {
    let mut name = String::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            name.push(if index + nested >= parts.len() {
                '/'
            } else {
                '.'
            });
        }
        name.push_str(&part.name);
        if !part.arguments.is_empty() {
            let _ = write!(name, "`{}", part.arguments.len());
        }
    }
    name
}

/// Returns the namespace and those around it, the innermost first, each with a dot behind it.
fn outer_namespaces(namespace: &str) -> Vec<String> {
    let mut prefixes = Vec::new();
    let mut rest = namespace;
    while !rest.is_empty() {
        prefixes.push(format!("{rest}."));
        rest = rest.rsplit_once('.').map_or("", |(outer, _)| outer);
    }
    prefixes.push(String::new());
    prefixes
}
