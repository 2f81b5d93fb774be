//! The oracle: the rules of the guide's table for values.

use syncvar::schema::{SchemaMember, SchemaType};
use syncvar::untyped::{MapValue, Value};

use super::codecs::{held, plain, uncoded};
use super::types::{named, range};

/// Returns the value of a field that a client shows: the value that the codec of the server holds.
pub(super) fn shown(
    from: &SchemaType,
    to: &SchemaType,
    value: &Value,
    present: &Value,
) -> Option<Value> {
    expected(from, &plain(to), value, present)
}

/// Returns the value that one end receives for a value of the second end; `None` if it does not fit: the field keeps its former value.
/// `present`: the value of the prefab, for members that the server lacks.
pub(super) fn expected(
    from: &SchemaType,
    to: &SchemaType,
    value: &Value,
    present: &Value,
) -> Option<Value> {
    if is_collection(from) || is_collection(to) {
        return in_collection(from, to, value);
    }
    match (from, to) {
        (SchemaType::Optional(from), SchemaType::Optional(to)) => match value.as_optional()? {
            Some(value) => Some(Value::optional(Some(expected(from, to, value, &zero(to))?))),
            None => Some(Value::optional(None::<Value>)),
        },
        (_, SchemaType::Optional(to)) => {
            Some(Value::optional(Some(expected(from, to, value, &zero(to))?)))
        }
        (SchemaType::Optional(from), _) => expected(from, to, value.as_optional()??, present),
        (SchemaType::Struct { members: from, .. }, SchemaType::Struct { members: to, .. }) => {
            members(from, to, |name| value.get(name), Some(present)).map(Value::structure)
        }
        (SchemaType::Enum { variants: from, .. }, SchemaType::Enum { variants: to, .. }) => {
            let name = value.as_variant()?;
            let theirs = from.iter().find(|it| it.names.name == name)?;
            let same = to.iter().find(|it| it.names.name == name);
            let same = same.or_else(|| to.iter().find(|it| it.names.matches(&theirs.names)));
            match same {
                Some(own) => {
                    let members =
                        members(&theirs.members, &own.members, |name| value.get(name), None)?;
                    Some(Value::variant_of(own.names.name.as_str(), members))
                }
                None => {
                    let other = to.iter().find(|it| it.is_other)?;
                    let members = members(&[], &other.members, |_| None, None)?;
                    Some(Value::variant_of(other.names.name.as_str(), members))
                }
            }
        }
        (SchemaType::Map(key, value_type), SchemaType::Map(to_key, to_value)) => {
            let entries = value.as_map()?.iter().map(|(a, b)| {
                let zero = (zero(to_key), zero(to_value));
                Some((
                    expected(key, to_key, a, &zero.0)?,
                    expected(value_type, to_value, b, &zero.1)?,
                ))
            });
            Some(Value::map(entries.collect::<Option<Vec<_>>>()?))
        }
        _ => match (elements(from), elements(to)) {
            (Some(from), Some(element)) => {
                let all = list(value)?
                    .into_iter()
                    .map(|it| expected(from, element, &it, &zero(element)));
                of_elements(to, all.collect::<Option<Vec<_>>>()?)
            }
            (Some(from), None) => expected(from, to, list(value)?.first()?, present),
            (None, Some(element)) => {
                of_elements(to, vec![expected(from, element, value, &zero(element))?])
            }
            (None, None) => leaf(from, to, value),
        },
    }
}

/// Returns the members of a reader.
pub(super) fn members<'a>(
    from: &[SchemaMember],
    to: &'a [SchemaMember],
    value: impl Fn(&str) -> Option<&'a Value>,
    present: Option<&Value>,
) -> Option<Vec<(&'a str, Value)>> {
    let members = to.iter().map(|own| {
        let same = from.iter().find(|it| it.names.name == own.names.name);
        let theirs = same.or_else(|| from.iter().find(|it| it.names.matches(&own.names)));
        let present = present
            .and_then(|present| present.get(&own.names.name))
            .cloned();
        let present = present.unwrap_or_else(|| zero(&own.value));
        let value = match theirs {
            Some(theirs) => expected(
                &theirs.value,
                &own.value,
                value(&theirs.names.name)?,
                &present,
            )?,
            None => present,
        };
        Some((own.names.name.as_str(), value))
    });
    members.collect()
}

/// Returns a collection, or the value of a field that is a collection in the other build: 0 stands in the place of elements that do
/// not fit, and keys that do not fit are left out.
fn in_collection(from: &SchemaType, to: &SchemaType, value: &Value) -> Option<Value> {
    if let (Some((key, of)), Some((to_key, to_of))) = (keyed(from), keyed(to)) {
        let entries = value.as_map()?.iter().filter_map(|(a, b)| {
            let value = expected(&of, &to_of, b, &zero(&to_of));
            let value = value.unwrap_or_else(|| replaced(&of, &to_of, b));
            Some((expected(&key, &to_key, a, &zero(&to_key))?, value))
        });
        return Some(Value::map(entries.collect::<Vec<_>>()));
    }
    let element = elements(to)?;
    let (part, all) = match elements(from) {
        Some(part) => (part, list(value)?),
        None => (from, vec![value.clone()]),
    };
    let has_keys = match to {
        SchemaType::Set(_) => true,
        SchemaType::Collection { name, .. } => name != "SyncList",
        _ => false,
    };
    let all = all.iter().filter_map(|it| {
        let fits = expected(part, element, it, &zero(element));
        fits.or_else(|| (!has_keys).then(|| replaced(part, element, it)))
    });
    of_elements(to, all.collect())
}

fn is_collection(of: &SchemaType) -> bool {
    matches!(of, SchemaType::Collection { .. })
}

/// Returns the types of the keys and the values of a map.
fn keyed(of: &SchemaType) -> Option<(SchemaType, SchemaType)> {
    match of {
        SchemaType::Map(key, value) => Some(((**key).clone(), (**value).clone())),
        SchemaType::Collection { parts, .. } => match parts.as_slice() {
            [key, value] => Some((key.clone(), value.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether a value fits whole: a collection has neither replaced elements nor left out keys.
pub(super) fn fits(from: &SchemaType, to: &SchemaType, value: &Value) -> bool {
    let has = |from: &SchemaType, to: &SchemaType, value: &Value| {
        expected(from, to, value, &zero(to)).is_some()
    };
    if !is_collection(from) && !is_collection(to) {
        return has(from, to, value);
    }
    if let (Some((key, of)), Some((to_key, to_of))) = (keyed(from), keyed(to)) {
        let mut entries = { value.as_map().into_iter() }.flat_map(MapValue::iter);
        return entries.all(|(a, b)| has(&key, &to_key, a) && has(&of, &to_of, b));
    }
    match (elements(from), elements(to), list(value)) {
        (Some(part), Some(to), Some(all)) => all.iter().all(|it| has(part, to, it)),
        (None, Some(element), _) => has(from, element, value),
        _ => has(from, to, value),
    }
}

/// Returns an element of a collection that does not fit: 0 in the place of each part that does not fit.
fn replaced(from: &SchemaType, to: &SchemaType, value: &Value) -> Value {
    match (from, to) {
        (SchemaType::Struct { members: from, .. }, SchemaType::Struct { members: to, .. }) => {
            let members = to.iter().map(|own| {
                let same = from.iter().find(|it| it.names.name == own.names.name);
                let theirs = same.or_else(|| from.iter().find(|it| it.names.matches(&own.names)));
                let value = theirs.and_then(|theirs| {
                    let value = value.get(&theirs.names.name)?;
                    let fits = expected(&theirs.value, &own.value, value, &zero(&own.value));
                    Some(fits.unwrap_or_else(|| replaced(&theirs.value, &own.value, value)))
                });
                (
                    own.names.name.as_str(),
                    value.unwrap_or_else(|| zero(&own.value)),
                )
            });
            Value::structure(members.collect::<Vec<_>>())
        }
        (SchemaType::Optional(from), SchemaType::Optional(to)) => match value.as_optional() {
            Some(Some(value)) => Value::optional(Some(replaced(from, to, value))),
            _ => Value::optional(None::<Value>),
        },
        (SchemaType::Map(key, of), SchemaType::Map(to_key, to_of)) => {
            let entries = value.as_map().expect("a map").iter().filter_map(|(a, b)| {
                let fits = expected(of, to_of, b, &zero(to_of));
                let key = expected(key, to_key, a, &zero(to_key))?;
                Some((key, fits.unwrap_or_else(|| replaced(of, to_of, b))))
            });
            Value::map(entries.collect::<Vec<_>>())
        }
        (_, SchemaType::Optional(to)) => Value::optional(Some(replaced(from, to, value))),
        (SchemaType::Optional(from), _) => match value.as_optional() {
            Some(Some(value)) => replaced(from, to, value),
            _ => zero(to),
        },
        (SchemaType::Enum { variants: from, .. }, SchemaType::Enum { variants: to, .. }) => {
            let theirs = from
                .iter()
                .find(|it| Some(&*it.names.name) == value.as_variant());
            let own = theirs.and_then(|theirs| {
                let same = to.iter().find(|it| it.names.name == theirs.names.name);
                same.or_else(|| to.iter().find(|it| it.names.matches(&theirs.names)))
            });
            match own {
                Some(own) => {
                    let members = own
                        .members
                        .iter()
                        .map(|it| (it.names.name.as_str(), zero(&it.value)));
                    Value::variant_of(own.names.name.as_str(), members.collect::<Vec<_>>())
                }
                None => zero(&SchemaType::Enum {
                    name: String::new(),
                    variants: to.clone(),
                }),
            }
        }
        _ => match (elements(from), elements(to)) {
            (Some(from_element), Some(element)) => {
                let has_keys = matches!(to, SchemaType::Set(_));
                let all = list(value).unwrap_or_default().into_iter();
                let all = all.filter_map(|it| {
                    let fits = expected(from_element, element, &it, &zero(element));
                    fits.or_else(|| (!has_keys).then(|| replaced(from_element, element, &it)))
                });
                of_elements(to, all.collect()).unwrap_or_else(|| zero(to))
            }
            (None, Some(element)) => {
                of_elements(to, vec![replaced(from, element, value)]).unwrap_or_else(|| zero(to))
            }
            (Some(from), None) => match list(value).unwrap_or_default().first() {
                Some(first) => replaced(from, to, first),
                None => zero(to),
            },
            (None, None) => zero(to),
        },
    }
}

/// Returns the type of the elements of a type.
fn elements(of: &SchemaType) -> Option<&SchemaType> {
    match of {
        SchemaType::Array(element, _) if **element == named("FixedString") => None,
        SchemaType::Sequence(element)
        | SchemaType::Array(element, _)
        | SchemaType::Set(element) => Some(element),
        SchemaType::Collection { parts, name } if name != "SyncDictionary" => parts.first(),
        _ => None,
    }
}

/// Returns the elements of a value.
fn list(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::List(elements) => Some(elements.clone()),
        Value::Set(elements) => {
            let mut all: Vec<_> = elements.iter().cloned().collect();
            all.sort_by_key(|it| match it {
                Value::Integer(number) => (*number, String::new()),
                text => (0, text.as_str().unwrap_or_default().into()),
            });
            Some(all)
        }
        Value::Bytes(bytes) => Some(bytes.iter().map(|byte| (*byte).into()).collect()),
        _ => None,
    }
}

/// Returns a value of elements.
fn of_elements(of: &SchemaType, elements: Vec<Value>) -> Option<Value> {
    match of {
        SchemaType::Sequence(element) if **element == named("u8") => {
            let bytes = elements.iter().map(|it| u8::try_from(it.as_i64()?).ok());
            Some(Value::Bytes(bytes.collect::<Option<Vec<_>>>()?.into()))
        }
        SchemaType::Array(_, count) => (elements.len() == *count).then_some(Value::List(elements)),
        SchemaType::Set(_) => Some(Value::set(elements)),
        SchemaType::Collection { name, .. } if name != "SyncList" => Some(Value::set(elements)),
        _ => Some(Value::List(elements)),
    }
}

/// Numbers, texts and vectors: each codec rounds, or has no value.
fn leaf(from: &SchemaType, to: &SchemaType, value: &Value) -> Option<Value> {
    let value = held(from, value)?;
    held(to, &plain_leaf(uncoded(from), uncoded(to), &value)?)
}

/// Numbers, texts and vectors without codecs.
fn plain_leaf(from: &SchemaType, to: &SchemaType, value: &Value) -> Option<Value> {
    if let (SchemaType::Array(..), _) | (_, SchemaType::Array(..)) = (from, to) {
        let fits = match to {
            SchemaType::Array(_, longest) => value.as_str()?.len() <= *longest,
            _ => true,
        };
        return fits.then(|| value.clone());
    }
    let SchemaType::Named(name) = to else {
        return None;
    };
    match (value, name.as_str()) {
        (Value::Integer(number), name) => {
            let (low, high) = range(name)?;
            (low..=high).contains(number).then(|| value.clone())
        }
        (Value::Float(number), "f32") => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "rounds to nearest, as it should"
            )]
            let narrow = *number as f32;
            narrow.is_finite().then(|| narrow.into())
        }
        _ => Some(value.clone()),
    }
}

/// Returns the value of a field that was never received.
pub(super) fn zero(of: &SchemaType) -> Value {
    let members = |members: &[SchemaMember]| -> Vec<(String, Value)> {
        members
            .iter()
            .map(|it| (it.names.name.clone(), zero(&it.value)))
            .collect()
    };
    match of {
        SchemaType::Encoded { value, .. } => zero(value),
        SchemaType::Named(name) => match name.as_str() {
            "f32" | "f64" => Value::Float(0.0),
            "bool" => Value::Bool(false),
            "String" => Value::Text(String::new()),
            "Vector3" => Value::structure([("x", 0.0), ("y", 0.0), ("z", 0.0)]),
            _ => Value::Integer(0),
        },
        SchemaType::Struct { members: of, .. } => Value::structure(members(of)),
        SchemaType::Enum { variants, .. } => {
            let first = variants.first().expect("a variant");
            Value::variant_of(first.names.name.as_str(), members(&first.members))
        }
        SchemaType::Sequence(element) if **element == named("u8") => {
            Value::Bytes(Vec::new().into())
        }
        SchemaType::Sequence(_) => Value::List(Vec::new()),
        SchemaType::Array(element, _) if **element == named("FixedString") => {
            Value::Text(String::new())
        }
        SchemaType::Array(element, count) => Value::List(vec![zero(element); *count]),
        SchemaType::Optional(_) => Value::optional(None::<Value>),
        SchemaType::Map(..) => Value::map(Vec::<(Value, Value)>::new()),
        SchemaType::Set(_) => Value::set(Vec::<Value>::new()),
        SchemaType::Collection { name, .. } => match name.as_str() {
            "SyncList" => Value::List(Vec::new()),
            "SyncDictionary" => Value::map(Vec::<(Value, Value)>::new()),
            _ => Value::set(Vec::<Value>::new()),
        },
        _ => unreachable!("a type of these tests"),
    }
}
