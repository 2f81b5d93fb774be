//! What a collection's hook is told, in the words of the recordings.

use serde_json::{Value, json};
use syncvar::fields::{DictionaryChange, ListChange, SetChange};

use super::value::Recorded;

/// `OnAdd`, `OnChange` and `Callback` of a list, of one change.
pub(crate) fn list_events<T: Recorded + Default>(change: &ListChange<T>) -> Vec<Value> {
    let none = T::default().to_json();
    let (name, operation, index, previous, value) = match change {
        ListChange::Add { index, value } => ("OnAdd", "OP_ADD", *index, None, Some(value)),
        ListChange::Insert { index, value } => ("OnInsert", "OP_INSERT", *index, None, Some(value)),
        ListChange::Set {
            index,
            previous,
            value,
        } => ("OnSet", "OP_SET", *index, Some(previous), Some(value)),
        ListChange::RemoveAt { index, previous } => {
            ("OnRemove", "OP_REMOVEAT", *index, Some(previous), None)
        }
        ListChange::Clear { previous } => {
            return vec![
                json!(["OnClear", previous.len()]),
                json!(["OnChange", "OP_CLEAR", 0, none]),
                json!(["Callback", "OP_CLEAR", 0, none, none]),
            ];
        }
    };
    let (before, after) = (previous.map(T::to_json), value.map(T::to_json));
    let mut first = vec![json!(name), json!(index)];
    first.extend(before.clone());
    let item = before.clone().or_else(|| after.clone());
    vec![
        Value::Array(first),
        json!(["OnChange", operation, index, item]),
        json!([
            "Callback",
            operation,
            index,
            before.unwrap_or_else(|| none.clone()),
            after.unwrap_or(none),
        ]),
    ]
}

/// `OnAdd` and `OnChange` of a dictionary.
pub(crate) fn dictionary_events<K: Recorded + Default, V: Recorded + Default>(
    change: &DictionaryChange<K, V>,
) -> Vec<Value> {
    let (name, operation, key, previous, item) = match change {
        DictionaryChange::Add { key, value } => ("OnAdd", "OP_ADD", key, None, value),
        DictionaryChange::Set { key, previous, .. } => {
            ("OnSet", "OP_SET", key, Some(previous), previous)
        }
        DictionaryChange::Remove { key, previous } => {
            ("OnRemove", "OP_REMOVE", key, Some(previous), previous)
        }
        DictionaryChange::Clear { previous } => {
            let (key, value) = (K::default().to_json(), V::default().to_json());
            return vec![
                json!(["OnClear", previous.len()]),
                json!(["OnChange", "OP_CLEAR", key, value]),
            ];
        }
    };
    let mut first = vec![json!(name), key.to_json()];
    first.extend(previous.map(V::to_json));
    vec![
        Value::Array(first),
        json!(["OnChange", operation, key.to_json(), item.to_json()]),
    ]
}

/// `OnAdd` and `OnChange` of a set.
pub(crate) fn set_events<T: Recorded + Default>(change: &SetChange<T>) -> Vec<Value> {
    let (name, operation, value) = match change {
        SetChange::Add { value } => ("OnAdd", "OP_ADD", value),
        SetChange::Remove { value } => ("OnRemove", "OP_REMOVE", value),
        SetChange::Clear { previous } => {
            let none = T::default().to_json();
            return vec![
                json!(["OnClear", previous.len()]),
                json!(["OnChange", "OP_CLEAR", none]),
            ];
        }
    };
    let value = value.to_json();
    vec![json!([name, value]), json!(["OnChange", operation, value])]
}
