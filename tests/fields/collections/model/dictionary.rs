//! What can be done to a map.

use std::collections::HashMap;
use std::collections::hash_map;

use proptest::collection::{hash_map as maps, vec};
use proptest::prelude::*;
use syncvar::fields::dictionary::Entry;
use syncvar::prelude::*;

use super::subject::Subject;

#[derive(Clone, Debug)]
pub(crate) enum MapOp {
    Insert(String, i32),
    Remove(String),
    RemoveEntry(String),
    /// Adds to a value through a guard; 0 only looks at it.
    GetMut(String, i32),
    /// The same through a guard that is never dropped.
    Leak(String, i32),
    OrInsert(String, i32),
    OrInsertWith(String, i32),
    OrDefault(String, i32),
    AndModify(String, i32),
    EntryGetMut(String, i32),
    EntryIntoMut(String, i32),
    EntryInsert(String, i32),
    EntryRemove(String),
    ForEachMut(i32),
    Retain(i32),
    Clear,
    Drain,
    Extend(Vec<(String, i32)>),
    SetDirty,
    /// Another map is put into the place of the map.
    PutAnother(Vec<(String, i32)>),
    Take,
}

/// Few keys, so that some are there, of several lengths.
fn key() -> impl Strategy<Value = String> {
    (0..24_usize).prop_map(|number| format!("{number}{}", "k".repeat(number % 5)))
}

fn value() -> impl Strategy<Value = i32> {
    prop_oneof![3 => -2..3_i32, 1 => any::<i32>()]
}

fn items() -> impl Strategy<Value = Vec<(String, i32)>> {
    vec((key(), value()), 0..20)
}

impl Subject for SyncDictionary<String, i32> {
    type Model = HashMap<String, i32>;
    type Op = MapOp;

    fn op() -> BoxedStrategy<MapOp> {
        use MapOp as Op;
        let item = || (key(), value());
        let of_keys = prop_oneof![
            3 => item().prop_map(|(k, v)| Op::Insert(k, v)),
            3 => key().prop_map(Op::Remove),
            1 => key().prop_map(Op::RemoveEntry),
            2 => item().prop_map(|(k, v)| Op::GetMut(k, v)),
            1 => item().prop_map(|(k, v)| Op::Leak(k, v)),
            1 => item().prop_map(|(k, v)| Op::OrInsert(k, v)),
            1 => item().prop_map(|(k, v)| Op::OrInsertWith(k, v)),
            1 => item().prop_map(|(k, v)| Op::OrDefault(k, v)),
            1 => item().prop_map(|(k, v)| Op::AndModify(k, v)),
            1 => item().prop_map(|(k, v)| Op::EntryGetMut(k, v)),
            1 => item().prop_map(|(k, v)| Op::EntryIntoMut(k, v)),
            1 => item().prop_map(|(k, v)| Op::EntryInsert(k, v)),
            1 => key().prop_map(Op::EntryRemove),
        ];
        let of_all = prop_oneof![
            value().prop_map(Op::ForEachMut),
            (2..5_i32).prop_map(Op::Retain),
            Just(Op::Clear),
            Just(Op::Drain),
            items().prop_map(Op::Extend),
            Just(Op::SetDirty),
            items().prop_map(Op::PutAnother),
            Just(Op::Take),
        ];
        prop_oneof![4 => of_keys, 1 => of_all].boxed()
    }

    fn content() -> BoxedStrategy<Self::Model> {
        maps(key(), value(), 0..20).boxed()
    }

    fn from_model(model: &Self::Model) -> Self {
        model
            .iter()
            .map(|(key, value)| (key.clone(), *value))
            .collect()
    }

    fn model(&self) -> Self::Model {
        self.iter()
            .map(|(key, value)| (key.clone(), *value))
            .collect()
    }

    fn act(&mut self, model: &mut Self::Model, op: &MapOp) {
        act_on_key(self, model, op);
        act_on_entry(self, model, op);
        act_on_whole(self, model, op);
        assert_eq!(self.model(), *model);
        assert_eq!(self.len(), model.len());
    }

    fn replay(model: &mut Self::Model, changes: &Vec<DictionaryChange<String, i32>>) {
        assert!(!changes.is_empty());
        for change in changes {
            match change.clone() {
                DictionaryChange::Add { key, value } => {
                    assert_eq!(model.insert(key, value), None);
                }
                DictionaryChange::Set {
                    key,
                    previous,
                    value,
                } => {
                    assert_ne!(previous, value);
                    assert_eq!(model.insert(key, value), Some(previous));
                }
                DictionaryChange::Remove { key, previous } => {
                    assert_eq!(model.remove(&key), Some(previous));
                }
                DictionaryChange::Clear { previous } => {
                    assert!(!previous.is_empty(), "nothing was taken out");
                    assert_eq!(std::mem::take(model), HashMap::from_iter(previous));
                }
            }
        }
    }
}

type Map = SyncDictionary<String, i32>;
type Model = HashMap<String, i32>;

fn act_on_key(map: &mut Map, model: &mut Model, op: &MapOp) {
    match op.clone() {
        MapOp::Insert(key, value) => {
            assert_eq!(map.insert(key.clone(), value), model.insert(key, value));
        }
        MapOp::Remove(key) => assert_eq!(map.remove(&key), model.remove(&key)),
        MapOp::RemoveEntry(key) => {
            assert_eq!(map.remove_entry(&key), model.remove_entry(&key));
        }
        MapOp::GetMut(key, more) => {
            let value = map.get_mut(&key).map(|mut value| {
                if more != 0 {
                    *value = value.wrapping_add(more);
                }
                *value
            });
            assert_eq!(value, add(model.get_mut(&key), more));
        }
        MapOp::Leak(key, more) => {
            let value = map.get_mut(&key).map(|mut guard| {
                let value = add(Some(&mut *guard), more);
                std::mem::forget(guard);
                value
            });
            assert_eq!(value.flatten(), add(model.get_mut(&key), more));
        }
        _ => {}
    }
}

/// Adds to a value, and returns what it is then.
fn add(value: Option<&mut i32>, more: i32) -> Option<i32> {
    value.map(|value| {
        *value = value.wrapping_add(more);
        *value
    })
}

fn act_on_entry(map: &mut Map, model: &mut Model, op: &MapOp) {
    match op.clone() {
        MapOp::OrInsert(key, value) => {
            let written = add(Some(&mut map.entry(key.clone()).or_insert(value)), value);
            assert_eq!(written, add(Some(model.entry(key).or_insert(value)), value));
        }
        MapOp::OrInsertWith(key, value) => {
            let here = *map.entry(key.clone()).or_insert_with(|| value);
            assert_eq!(here, *model.entry(key).or_insert_with(|| value));
        }
        MapOp::OrDefault(key, more) => {
            let written = add(Some(&mut map.entry(key.clone()).or_default()), more);
            assert_eq!(written, add(Some(model.entry(key).or_default()), more));
        }
        MapOp::AndModify(key, value) => {
            let modify = |old: &mut i32| *old = old.wrapping_mul(value);
            let entry = map.entry(key.clone()).and_modify(modify);
            assert_eq!(entry.key(), &key);
            if value % 2 == 0 {
                entry.or_insert(value);
            }
            let entry = model.entry(key).and_modify(modify);
            if value % 2 == 0 {
                entry.or_insert(value);
            }
        }
        MapOp::EntryGetMut(key, more) => {
            if let Entry::Occupied(mut entry) = map.entry(key.clone()) {
                assert_eq!((entry.key(), entry.get()), (&key, &model[&key]));
                let written = add(Some(&mut entry.get_mut()), more);
                assert_eq!(written, add(model.get_mut(&key), more));
            }
        }
        MapOp::EntryIntoMut(key, more) => match map.entry(key.clone()) {
            Entry::Occupied(entry) => {
                let written = add(Some(&mut entry.into_mut()), more);
                assert_eq!(written, add(model.get_mut(&key), more));
            }
            // It is looked at, and nothing is put in.
            Entry::Vacant(entry) => assert_eq!(entry.into_key(), key),
        },
        MapOp::EntryInsert(key, value) => match (map.entry(key.clone()), model.entry(key)) {
            (Entry::Occupied(mut entry), hash_map::Entry::Occupied(mut expected)) => {
                assert_eq!(entry.insert(value), expected.insert(value));
            }
            (Entry::Vacant(entry), hash_map::Entry::Vacant(expected)) => {
                let mut written = entry.insert(value);
                *written = written.wrapping_add(1);
                *expected.insert(value) = value.wrapping_add(1);
            }
            _ => panic!("there in one, and not in the other"),
        },
        MapOp::EntryRemove(key) => {
            let removed = match map.entry(key.clone()) {
                Entry::Occupied(entry) => Some(entry.remove()),
                Entry::Vacant(_) => None,
            };
            assert_eq!(removed, model.remove(&key));
        }
        _ => {}
    }
}

fn act_on_whole(map: &mut Map, model: &mut Model, op: &MapOp) {
    match op.clone() {
        MapOp::ForEachMut(more) => {
            let change = |key: &str, value: &mut i32| {
                if key.len().is_multiple_of(2) {
                    *value = value.wrapping_add(more);
                }
            };
            map.for_each_mut(|key, value| change(key, value));
            for (key, value) in model {
                change(key, value);
            }
        }
        MapOp::Retain(divisor) => {
            map.retain(|_, value| value % divisor != 0);
            model.retain(|_, value| *value % divisor != 0);
        }
        MapOp::Clear => {
            map.clear();
            model.clear();
        }
        MapOp::Drain => {
            let drained: Model = map.drain().collect();
            assert_eq!(drained, std::mem::take(model));
        }
        MapOp::Extend(items) => {
            map.extend(items.clone());
            model.extend(items);
        }
        MapOp::SetDirty => map.set_dirty(),
        MapOp::PutAnother(items) => {
            *map = items.iter().cloned().collect();
            *model = items.into_iter().collect();
        }
        MapOp::Take => {
            let taken: Model = std::mem::take(map).into_iter().collect();
            assert_eq!(taken, std::mem::take(model));
        }
        _ => {}
    }
}
