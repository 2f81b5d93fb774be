//! `Value`: a value whose type is known at run time only.

mod access;
mod convert;
mod identity;
mod keyed;
mod text;
#[cfg(feature = "serde")]
mod with_serde;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

pub(crate) use convert::{narrow, widen};
pub use keyed::{MapValue, SetValue};

use crate::{NetId, NetRef};

/// A value of any type of a schema, for programs without the compiled types.
///
/// | type | value |
/// | --- | --- |
/// | integers, `NetId`, `NetworkSceneId`, `LayerMask` | [`Integer`](Self::Integer) |
/// | `f32`, `f64`, `OaDate` | [`Float`](Self::Float) |
/// | `bool`, `char`, `String` | [`Bool`](Self::Bool), [`Char`](Self::Char), [`Text`](Self::Text) |
/// | `Vec<u8>`, `Bytes`, `Postcard`, `Uuid`, `Decimal`, a type without a layout | [`Bytes`](Self::Bytes) |
/// | `Vec<T>`, arrays, `SyncList` | [`List`](Self::List) |
/// | sets, `SyncHashSet`, `SyncSortedSet` | [`Set`](Self::Set) |
/// | maps, `SyncDictionary` | [`Map`](Self::Map) |
/// | structs, tuples, vectors, `Duration` | [`Struct`](Self::Struct) |
/// | enums | [`Variant`](Self::Variant) |
/// | `Option<T>` | [`Optional`](Self::Optional) |
/// | `NetRef`, `BehaviourRef<T>` | [`Object`](Self::Object), [`Behaviour`](Self::Behaviour) |
///
/// Two values are equal if they have the same bytes: floats are compared by their bits.
///
/// ```
/// use syncvar::untyped::Value;
///
/// let position = Value::structure([("x", 1.5), ("y", -2.0)]);
/// assert_eq!(position.get("x").and_then(Value::as_f64), Some(1.5));
/// assert_eq!(position.to_string(), "{ x: 1.5, y: -2.0 }");
/// assert_eq!(Value::from(vec![1, 2]), Value::List(vec![1.into(), 2.into()]));
/// ```
///
/// With the feature `serde`, values are data of serde: a struct is a map of its members, a variant without data its name,
/// `None` is null.
#[derive(Clone)]
#[non_exhaustive]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer of any type.
    Integer(i128),
    /// An integer above the range of `i128`, of the type `u128`.
    Unsigned(u128),
    /// A float of 32 or 64 bits.
    Float(f64),
    /// A character.
    Char(char),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Bytes),
    /// Elements in order.
    List(Vec<Value>),
    /// Distinct elements.
    Set(Box<SetValue>),
    /// Keys, each with a value.
    Map(Box<MapValue>),
    /// Members with their names.
    Struct(StructValue),
    /// A variant with its members.
    Variant(Box<VariantValue>),
    /// A value, or none.
    Optional(Option<Box<Value>>),
    /// A reference to an object.
    Object(NetRef),
    /// A reference to a behaviour of an object.
    Behaviour {
        /// The object; [`NetRef::NONE`] for no reference.
        object: NetRef,
        /// Position of the behaviour on the object, from 0.
        index: u8,
    },
}

/// Names of the members of a struct or variant, shared by all its values.
pub type MemberNames = Arc<[Arc<str>]>;

/// Members of a struct: a name and a value for each, in the order of the schema.
#[derive(Clone)]
pub struct StructValue {
    names: MemberNames,
    values: Box<[Value]>,
}

/// A variant of an enum, with its members.
#[derive(Clone)]
pub struct VariantValue {
    /// Name of the variant.
    pub name: Arc<str>,
    /// Members of the variant; none for a variant without data.
    pub members: StructValue,
}

impl StructValue {
    /// Creates a struct of members in order. Names without a value, and values without a name, are dropped.
    pub fn new(names: MemberNames, values: Vec<Value>) -> Self {
        let count = names.len().min(values.len());
        let mut values = values;
        values.truncate(count);
        let names = if count < names.len() {
            names.iter().take(count).cloned().collect()
        } else {
            names
        };
        Self {
            names,
            values: values.into(),
        }
    }

    /// Returns the number of members.
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether the struct has no members.
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the value of a member.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(self.position(name)?)
    }

    /// Returns the value of a member, for writing.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let position = self.position(name)?;
        self.values.get_mut(position)
    }

    /// Returns the members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        let names = self.names.iter().map(|name| &**name);
        names.zip(&self.values)
    }

    /// Returns whether the members have positions in the place of names: a tuple.
    pub fn is_tuple(&self) -> bool {
        let mut names = self.names.iter().enumerate();
        !self.names.is_empty() && names.all(|(index, name)| **name == *index.to_string())
    }

    /// Returns the names.
    pub(crate) const fn names(&self) -> &MemberNames {
        &self.names
    }

    /// Returns the values in order.
    pub(crate) const fn values(&self) -> &[Value] {
        &self.values
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| **own == *name)
    }
}

impl Value {
    /// Text without content.
    pub const EMPTY: Self = Self::Text(String::new());

    /// Creates a struct of members in order.
    pub fn structure<V: Into<Self>>(
        members: impl IntoIterator<Item = (impl AsRef<str>, V)>,
    ) -> Self {
        Self::Struct(members_of(members))
    }

    /// Creates a tuple of elements in order.
    pub fn tuple<V: Into<Self>>(elements: impl IntoIterator<Item = V>) -> Self {
        let members = elements.into_iter().enumerate();
        Self::structure(members.map(|(index, value)| (index.to_string(), value)))
    }

    /// Creates a variant without data.
    ///
    /// ```
    /// use syncvar::untyped::Value;
    ///
    /// assert_eq!(Value::variant("Run").as_variant(), Some("Run"));
    /// ```
    pub fn variant(name: impl Into<Arc<str>>) -> Self {
        Self::variant_of::<Self>(name, std::iter::empty::<(&str, Self)>())
    }

    /// Creates a variant with members.
    pub fn variant_of<V: Into<Self>>(
        name: impl Into<Arc<str>>,
        members: impl IntoIterator<Item = (impl AsRef<str>, V)>,
    ) -> Self {
        Self::Variant(Box::new(VariantValue {
            name: name.into(),
            members: members_of(members),
        }))
    }

    /// Creates an optional value.
    pub fn optional<V: Into<Self>>(value: Option<V>) -> Self {
        Self::Optional(value.map(|value| Box::new(value.into())))
    }

    /// Creates a map of keys with their values.
    pub fn map<K: Into<Self>, V: Into<Self>>(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        entries.into_iter().collect::<MapValue>().into()
    }

    /// Creates a set of elements.
    pub fn set<V: Into<Self>>(elements: impl IntoIterator<Item = V>) -> Self {
        elements.into_iter().collect::<SetValue>().into()
    }

    /// Creates a reference to an object; [`NetId::NONE`] for none.
    pub fn object(object: NetId) -> Self {
        Self::Object(object.into())
    }

    /// Returns the memory of the value in bytes, about.
    pub(crate) fn memory(&self) -> usize {
        let parts: usize = match self {
            Self::Text(text) => text.capacity(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(values) => values.iter().map(Self::memory).sum(),
            Self::Set(elements) => elements.iter().map(Self::memory).sum(),
            Self::Map(entries) => {
                let sizes = entries
                    .iter()
                    .map(|(key, value)| key.memory() + value.memory());
                sizes.sum()
            }
            Self::Struct(members) => members.values.iter().map(Self::memory).sum(),
            Self::Variant(variant) => variant.members.values.iter().map(Self::memory).sum(),
            Self::Optional(Some(value)) => value.memory(),
            _ => 0,
        };
        parts.saturating_add(size_of::<Self>())
    }

    /// Returns the kind of the value, for errors.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a bool",
            Self::Integer(_) | Self::Unsigned(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Char(_) => "a character",
            Self::Text(_) => "a text",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "a list",
            Self::Set(_) => "a set",
            Self::Map(_) => "a map",
            Self::Struct(_) => "a struct",
            Self::Variant(_) => "a variant",
            Self::Optional(_) => "an optional value",
            Self::Object(_) => "an object",
            Self::Behaviour { .. } => "a behaviour",
        }
    }
}

fn members_of<V: Into<Value>>(
    members: impl IntoIterator<Item = (impl AsRef<str>, V)>,
) -> StructValue {
    let members = members.into_iter();
    let (names, values): (Vec<Arc<str>>, Vec<Value>) = members
        .map(|(name, value)| (Arc::from(name.as_ref()), value.into()))
        .unzip();
    StructValue::new(names.into(), values)
}

impl Default for StructValue {
    fn default() -> Self {
        members_of::<Value>(std::iter::empty::<(&str, Value)>())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for StructValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for VariantValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
