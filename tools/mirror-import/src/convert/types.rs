//! Rust types and full C# names of the types that a source writes.

use std::collections::{BTreeMap, BTreeSet};

use super::library;
use crate::csharp::{Declaration, Kind, Method, Scope, Type};
use crate::model::{Shape, ValueType};
use crate::names;
use crate::project::{Lineage, Project};

/// Largest number of members of a struct whose types are read, against types that grow without end.
const MAX_DEPTH: usize = 24;

/// Place of a type: names are searched from there.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) scope: &'a Scope,
    pub(super) inside: Option<&'a Declaration>,
    /// Values of the parameters of a generic class.
    pub(super) parameters: &'a BTreeMap<String, ValueType>,
}

/// Members of a struct or class, in the order of the wire.
#[derive(Clone, Debug)]
pub(super) struct Members {
    pub(super) list: Vec<Member>,
    pub(super) is_key: bool,
}

/// A member of a struct or class.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Name in C#.
    pub(super) csharp: String,
    /// Name in Rust.
    pub(super) name: String,
    pub(super) value: ValueType,
}

pub(super) struct Types<'p> {
    pub(super) project: &'p Project,
    /// Rust names by full C# names.
    pub(super) names: BTreeMap<String, String>,
    /// Rust types given by the user, by full or short C# names.
    pub(super) given: &'p BTreeMap<String, String>,
    /// Structs and enumerations that something uses.
    pub(super) reached: BTreeSet<String>,
    /// Types with a writer of the game.
    custom: BTreeSet<String>,
    /// Structs and classes; `None` while they are read.
    members: BTreeMap<String, Option<Result<Members, String>>>,
}

impl<'p> Types<'p> {
    pub(super) fn new(
        project: &'p Project,
        names: BTreeMap<String, String>,
        given: &'p BTreeMap<String, String>,
    ) -> Self {
        Self {
            project,
            names,
            given,
            reached: BTreeSet::new(),
            custom: custom_writers(project),
            members: BTreeMap::new(),
        }
    }

    /// Returns the value of a type, or the reason why it has none.
    pub(super) fn value(&mut self, ty: &Type, around: Around<'_>) -> Result<ValueType, String> {
        match ty {
            Type::Array(_, rank) if *rank > 1 => Err(format!(
                "`{ty}` has several dimensions, which Mirror refuses"
            )),
            Type::Array(inner, _) if matches!(**inner, Type::Array(..)) => Err(format!(
                "`{ty}` is an array of arrays, of which Mirror writes no contents"
            )),
            Type::Array(inner, _) => {
                let inner = self.value(inner, around)?;
                Ok(sequence(format!("{}[]", inner.csharp), "Vec", inner))
            }
            Type::Nullable(inner) => {
                let inner = self.value(inner, around)?;
                Ok(nullable(inner))
            }
            Type::Other(text) => Err(format!("type `{text}` is not supported by Mirror")),
            Type::Named(_) => self.named(ty, around),
        }
    }

    fn named(&mut self, ty: &Type, around: Around<'_>) -> Result<ValueType, String> {
        let (name, arguments) = (ty.last_name(), ty.arguments());
        if let Some(value) = around.parameters.get(name).filter(|_| arguments.is_empty()) {
            return Ok(value.clone());
        }
        let declared = self.project.find(ty, around.scope, around.inside);
        let full = declared.map_or(name, |declared| &declared.name);
        if let Some(rust) = self.given.get(full).or_else(|| self.given.get(name)) {
            return Ok(ValueType {
                rust: rust.clone(),
                csharp: full.to_owned(),
                shape: Shape::Opaque,
                is_value: declared.is_none_or(|declared| declared.kind != Kind::Class),
                is_key: false,
            });
        }
        if let Some(declared) = declared {
            return self.declared(declared);
        }
        match (name, arguments) {
            ("List" | "ArraySegment", [element]) => {
                let of = if name == "List" {
                    "Collections.Generic.List"
                } else {
                    "ArraySegment"
                };
                let element = self.value(element, around)?;
                Ok(sequence(
                    format!("System.{of}`1<{}>", element.csharp),
                    "Vec",
                    element,
                ))
            }
            ("HashSet", [element]) => {
                let element = self.value(element, around)?;
                if !element.is_key {
                    return Err(format!(
                        "`{}` cannot be an element of a set in Rust",
                        element.rust
                    ));
                }
                let csharp = format!("System.Collections.Generic.HashSet`1<{}>", element.csharp);
                Ok(sequence(csharp, "BTreeSet", element))
            }
            ("Nullable", [inner]) => Ok(nullable(self.value(inner, around)?)),
            (_, []) => library::find(name).ok_or_else(|| format!("type `{ty}` is not known")),
            _ => Err(format!("type `{ty}` is not supported by Mirror")),
        }
    }

    /// Returns the value of a type of the project.
    fn declared(&mut self, declared: &'p Declaration) -> Result<ValueType, String> {
        let csharp = declared.name.clone();
        let rust = self
            .names
            .get(&csharp)
            .cloned()
            .unwrap_or_else(|| names::pascal(declared.short_name()));
        if self.custom.contains(&csharp) {
            return Err(format!(
                "`{csharp}` has a writer of its own; `--type {csharp}=PATH` names its Rust type"
            ));
        }
        match (declared.kind, self.project.lineage(declared)) {
            (Kind::Enum, _) => {
                self.reached.insert(csharp.clone());
                Ok(ValueType {
                    rust,
                    shape: Shape::Enumeration(csharp.clone()),
                    csharp,
                    is_value: true,
                    is_key: true,
                })
            }
            (Kind::Interface, _) => {
                Err(format!("`{csharp}` is an interface, which Mirror refuses"))
            }
            _ if !declared.parameters.is_empty() => {
                Err(format!("`{csharp}` is generic, which Mirror refuses"))
            }
            (Kind::Class, lineage @ (Lineage::Behaviour | Lineage::Stock(_))) => Ok(ValueType {
                rust: if lineage.is_read() {
                    format!("BehaviourRef<{rust}>")
                } else {
                    "BehaviourRef<AnyBehaviour>".to_owned()
                },
                csharp,
                shape: Shape::Reference,
                is_value: false,
                is_key: true,
            }),
            (Kind::Class, Lineage::Unknown(base)) => Err(format!(
                "`{csharp}` has a base class that is not known, `{base}`"
            )),
            (Kind::Class, _) if is_of_unity(declared) => Err(format!(
                "`{csharp}` is an object of Unity, which Mirror refuses"
            )),
            (Kind::Class, _) if declared.is("abstract") => {
                Err(format!("`{csharp}` is abstract, which Mirror refuses"))
            }
            _ => self.structure(declared, rust),
        }
    }

    fn structure(&mut self, declared: &'p Declaration, rust: String) -> Result<ValueType, String> {
        let members = self.members(declared)?;
        let is_class = declared.kind == Kind::Class;
        let value = ValueType {
            rust,
            csharp: declared.name.clone(),
            shape: Shape::Structure,
            is_value: true,
            is_key: members.is_key,
        };
        if !is_class {
            return Ok(value);
        }
        let csharp = value.csharp.clone();
        Ok(ValueType {
            csharp,
            is_value: false,
            ..nullable(value)
        })
    }

    /// Returns the members of a struct or class: those of a derived class before those of its base.
    pub(super) fn members(&mut self, declared: &'p Declaration) -> Result<Members, String> {
        match self.members.get(&declared.name) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return Err(format!("`{}` contains itself", declared.name)),
            None => {}
        }
        let open = self
            .members
            .values()
            .filter(|members| members.is_none())
            .count();
        if open > MAX_DEPTH {
            return Err(format!("`{}` is nested too deeply", declared.name));
        }
        self.members.insert(declared.name.clone(), None);
        let members = self.read_members(declared);
        self.members
            .insert(declared.name.clone(), Some(members.clone()));
        if members.is_ok() {
            self.reached.insert(declared.name.clone());
        }
        members
    }

    /// Returns the members of a struct or class that is read.
    pub(super) fn known_members(&self, csharp: &str) -> Option<&Members> {
        self.members.get(csharp)?.as_ref()?.as_ref().ok()
    }

    fn read_members(&mut self, declared: &'p Declaration) -> Result<Members, String> {
        if let Some(place) = &declared.broken {
            return Err(format!("`{}` has a syntax error at {place}", declared.name));
        }
        let mut members = Members {
            list: Vec::new(),
            is_key: true,
        };
        let mut scope = names::Scope::default();
        let mut classes = vec![declared];
        while let Some((_, base)) = classes.last().and_then(|class| self.project.base(class)) {
            if classes.len() > MAX_DEPTH {
                return Err(format!("`{}` has too many base classes", declared.name));
            }
            classes.push(base);
        }
        let none = BTreeMap::new();
        for class in classes {
            for field in class.fields.iter().filter(|field| travels(field)) {
                let around = Around {
                    scope: &field.scope,
                    inside: Some(class),
                    parameters: &none,
                };
                let value = self
                    .value(&field.ty, around)
                    .map_err(|reason| format!("`{}.{}`: {reason}", class.name, field.name))?;
                members.is_key &= value.is_key;
                members.list.push(Member {
                    csharp: field.name.clone(),
                    name: scope.give(&names::snake(&field.name)),
                    value,
                });
            }
        }
        Ok(members)
    }
}

/// Returns whether a member of a struct travels.
fn travels(field: &crate::csharp::DeclaredField) -> bool {
    let is = |modifier: &str| field.modifiers.contains(modifier);
    let skipped = crate::csharp::attribute(&field.attributes, "NonSerialized").is_some();
    is("public") && !is("static") && !is("const") && !field.is_property && !skipped
}

fn is_of_unity(declared: &Declaration) -> bool {
    let names = ["MonoBehaviour", "ScriptableObject", "Object", "Component"];
    declared
        .bases
        .iter()
        .any(|base| names.contains(&base.last_name()))
}

fn sequence(csharp: String, container: &str, element: ValueType) -> ValueType {
    ValueType {
        rust: format!("{container}<{}>", element.rust),
        csharp,
        is_value: false,
        is_key: element.is_key,
        shape: Shape::Sequence(element.into()),
    }
}

/// Returns the optional form of a value: once, as a class has it already.
fn nullable(inner: ValueType) -> ValueType {
    if matches!(inner.shape, Shape::Optional(_) | Shape::Reference) {
        return inner;
    }
    ValueType {
        rust: format!("Option<{}>", inner.rust),
        csharp: if inner.is_value {
            format!("System.Nullable`1<{}>", inner.csharp)
        } else {
            inner.csharp.clone()
        },
        is_value: false,
        is_key: inner.is_key,
        shape: Shape::Optional(inner.into()),
    }
}

/// Returns the types for which the game has its own writers: `static void Write..(this NetworkWriter, T)`.
fn custom_writers(project: &Project) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for declared in project
        .iter()
        .filter(|declared| declared.kind == Kind::Class)
    {
        for method in declared.methods.iter().filter(|method| is_writer(method)) {
            if let Some(ty) = project.find(&method.parameters[1].ty, &method.scope, Some(declared))
            {
                found.insert(ty.name.clone());
            }
        }
    }
    found
}

fn is_writer(method: &Method) -> bool {
    match &method.parameters[..] {
        [writer, _] => {
            writer.modifiers.contains("this") && writer.ty.last_name() == "NetworkWriter"
        }
        _ => false,
    }
}
