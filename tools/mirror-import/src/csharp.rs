//! Declarations of C# sources, as far as the network depends on them.

mod condition;
mod errors;
mod expression;
mod reader;
mod syntax;
mod types;

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::report::SourcePlace;

pub(crate) use condition::{Symbols, compiled};
pub(crate) use expression::wrapped;
pub(crate) use reader::read;

/// Names that a file brings into scope.
#[derive(Debug, Default)]
pub(crate) struct Usings {
    pub(crate) namespaces: Vec<String>,
    /// Short names and their types.
    pub(crate) aliases: Vec<(String, Type)>,
}

/// Position of a declaration, for the search of the types it names.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) usings: Rc<Usings>,
    /// `Game.Net`, or empty.
    pub(crate) namespace: Rc<str>,
    pub(crate) place: SourcePlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Class,
    Struct,
    Enum,
    Interface,
}

/// Declaration of a type; the parts of a partial type together.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) kind: Kind,
    /// With its namespace: `Game.Net.Health/Inner`, with the number of its parameters behind a grave accent.
    pub(crate) name: String,
    /// Names of the type parameters.
    pub(crate) parameters: Vec<String>,
    pub(crate) modifiers: BTreeSet<String>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) bases: Vec<Type>,
    pub(crate) fields: Vec<DeclaredField>,
    pub(crate) methods: Vec<Method>,
    /// Names and values of an enumeration.
    pub(crate) variants: Vec<Variant>,
    pub(crate) scope: Scope,
    /// Files of its parts.
    pub(crate) files: BTreeSet<Rc<str>>,
    /// Line of a syntax error that may hide a member.
    pub(crate) broken: Option<SourcePlace>,
}

#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) value: Option<Expression>,
}

/// A field, or a property with a field behind it.
#[derive(Debug)]
pub(crate) struct DeclaredField {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) modifiers: BTreeSet<String>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) initial: Option<Expression>,
    pub(crate) is_property: bool,
    pub(crate) scope: Scope,
}

/// Name of a constructor, as in .NET.
pub(crate) const CONSTRUCTOR: &str = ".ctor";

/// A method, or a constructor.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) modifiers: BTreeSet<String>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) returns: Type,
    pub(crate) is_generic: bool,
    /// Names and values of the members that a constructor sets. `None` if it does anything else.
    pub(crate) assignments: Option<Vec<(String, Expression)>>,
    pub(crate) scope: Scope,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) modifiers: BTreeSet<String>,
    pub(crate) has_default: bool,
}

#[derive(Debug)]
pub(crate) struct Attribute {
    /// Without its namespace, and without `Attribute` behind it.
    pub(crate) name: String,
    /// `field` in `[field: SyncVar]`.
    pub(crate) target: Option<String>,
    /// Names, if given, and values.
    pub(crate) arguments: Vec<(Option<String>, Expression)>,
}

/// A type as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    /// `A.B<C>` by its parts; `int` is a name, too.
    Named(Vec<Part>),
    /// Element, and the number of dimensions.
    Array(Box<Self>, usize),
    Nullable(Box<Self>),
    /// Anything else: a tuple, a pointer.
    Other(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Type>,
}

/// Type of an integer in an expression; smaller types are `int` there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntegerType {
    Int,
    Uint,
    Long,
    Ulong,
}

/// A constant expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Integer(i128, IntegerType),
    Real(f64),
    Text(String),
    Character(char),
    Boolean(bool),
    Null,
    /// `default` and `default(T)`.
    Default,
    /// `Kind.Orc`, by its parts.
    Path(Vec<String>),
    /// `(uint)3`.
    Cast(Type, Box<Self>),
    Unary(String, Box<Self>),
    /// Also an assignment, with the sign `=`.
    Binary(String, Box<(Self, Self)>),
    /// `new T(a, b) { c, d }`; without the type in `new()`, and with elements only in `{ c, d }`.
    New {
        ty: Option<Type>,
        arguments: Vec<Self>,
        elements: Vec<Self>,
    },
    /// Anything else, as it is written.
    Other(String),
}

impl Declaration {
    /// Returns the name without its namespace and outer types.
    pub(crate) fn short_name(&self) -> &str {
        let name = self.name.rsplit(['.', '/']).next().unwrap_or_default();
        name.split('`').next().unwrap_or_default()
    }

    pub(crate) fn is(&self, modifier: &str) -> bool {
        self.modifiers.contains(modifier)
    }
}

/// Returns the attribute with this name.
pub(crate) fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.name == name)
}

impl Attribute {
    /// Returns the argument with this name.
    pub(crate) fn argument(&self, name: &str) -> Option<&Expression> {
        let mut arguments = self.arguments.iter();
        let found = arguments.find(|(given, _)| given.as_deref() == Some(name));
        found.map(|(_, value)| value)
    }
}
