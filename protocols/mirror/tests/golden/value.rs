//! Values as the recorder writes them (VECTORS.md), and as ours.

pub(crate) mod number;
pub(crate) mod unity;

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};
use syncvar::SyncValue;

use super::json::Json;

/// A value that stands in the recordings.
pub(crate) trait Recorded: SyncValue {
    /// What C# calls this type.
    fn kind() -> String;

    fn from_json(json: &Value) -> Self;

    /// The value as JSON, exact to the bit: two values are the same when this is.
    fn to_json(&self) -> Value;

    /// Whether C# takes the two for the same when one is assigned to a variable that has the other.
    fn is_equal_in_csharp(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }

    /// Whether it is an object of its own in C#, an array or an instance of a class, so that it is equal
    /// to no other one, whatever is in it.
    fn is_reference(&self) -> bool {
        false
    }

    /// A recorded value in the form of [`to_json`](Self::to_json).
    fn canonical(json: &Value) -> Value {
        Self::from_json(json).to_json()
    }
}

/// A `string` of C#, which may be null.
pub(crate) type Text = Option<String>;

impl Recorded for String {
    fn kind() -> String {
        "string".into()
    }

    fn from_json(json: &Value) -> Self {
        json.text().into()
    }

    fn to_json(&self) -> Value {
        json!(self)
    }
}

impl<T: Recorded> Recorded for Option<T> {
    fn kind() -> String {
        let kind = T::kind();
        let may_be_null = ["string", "[]", ">", "ItemClass", "ItemClassChild", "Uri"];
        if may_be_null.iter().any(|end| kind.ends_with(end)) {
            kind
        } else {
            format!("{kind}?")
        }
    }

    fn from_json(json: &Value) -> Self {
        (!json.is_null()).then(|| T::from_json(json))
    }

    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_json)
    }

    fn is_equal_in_csharp(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(this), Some(other)) => this.is_equal_in_csharp(other),
            _ => self.is_none() && other.is_none(),
        }
    }

    fn is_reference(&self) -> bool {
        let kind = T::kind();
        let class = kind == "ItemClass" || kind == "ItemClassChild";
        self.as_ref()
            .is_some_and(|value| class || value.is_reference())
    }
}

impl<T: Recorded> Recorded for Vec<T> {
    fn kind() -> String {
        format!("{}[]", T::kind())
    }

    fn from_json(json: &Value) -> Self {
        json.list().iter().map(T::from_json).collect()
    }

    fn to_json(&self) -> Value {
        self.iter().map(T::to_json).collect()
    }

    fn is_reference(&self) -> bool {
        true
    }
}

impl<T: Recorded + Ord> Recorded for BTreeSet<T> {
    fn kind() -> String {
        format!("HashSet<{}>", T::kind())
    }

    fn from_json(json: &Value) -> Self {
        json.list().iter().map(T::from_json).collect()
    }

    fn to_json(&self) -> Value {
        self.iter().map(T::to_json).collect()
    }

    fn is_reference(&self) -> bool {
        true
    }
}

/// In no order: the elements as text, sorted.
pub(crate) fn unordered(mut elements: Vec<Value>) -> Value {
    elements.sort_by_key(Value::to_string);
    Value::Array(elements)
}

impl<T: Recorded + Ord + std::hash::Hash> Recorded for HashSet<T> {
    fn kind() -> String {
        format!("HashSet<{}>", T::kind())
    }

    fn from_json(json: &Value) -> Self {
        json.list().iter().map(T::from_json).collect()
    }

    fn to_json(&self) -> Value {
        unordered(self.iter().map(T::to_json).collect())
    }
}

impl<K: Recorded + Ord + std::hash::Hash, V: Recorded> Recorded for HashMap<K, V> {
    fn kind() -> String {
        format!("Dictionary<{},{}>", K::kind(), V::kind())
    }

    fn from_json(json: &Value) -> Self {
        let pairs = json.list().iter().map(Json::list);
        let pairs = pairs.map(|pair| (K::from_json(&pair[0]), V::from_json(&pair[1])));
        pairs.collect()
    }

    fn to_json(&self) -> Value {
        let pairs = self.iter();
        unordered(
            pairs
                .map(|(key, value)| json!([key.to_json(), value.to_json()]))
                .collect(),
        )
    }
}

/// Structs and classes: their members by name, in the order of the wire.
macro_rules! structs {
    ($($name:ident $kind:literal { $($member:ident $json:literal),* })*) => {$(
        impl $crate::golden::value::Recorded for $name {
            fn kind() -> String {
                $kind.into()
            }

            #[allow(unused_variables, reason = "a struct may be empty")]
            fn from_json(json: &serde_json::Value) -> Self {
                Self {
                    $($member: $crate::golden::value::Recorded::from_json(
                        $crate::golden::json::Json::at(json, $json),
                    ),)*
                }
            }

            fn to_json(&self) -> serde_json::Value {
                serde_json::json!({
                    $($json: $crate::golden::value::Recorded::to_json(&self.$member),)*
                })
            }

            #[allow(unused_variables, reason = "a struct may be empty")]
            fn is_equal_in_csharp(&self, other: &Self) -> bool {
                true $(&& $crate::golden::value::Recorded::is_equal_in_csharp(
                    &self.$member,
                    &other.$member,
                ))*
            }
        }
    )*};
}
pub(crate) use structs;
