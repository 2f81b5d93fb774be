//! Fields of behaviours, their types erased: variables that are set, collections that are operated on.

use std::hash::Hash;

use serde_json::{Value, json};
use syncvar::{SyncDictionary, SyncHashSet, SyncList, SyncSortedSet, SyncValue, SyncVar};

use super::json::Json;
use super::value::{Recorded, unordered};

/// A field of a behaviour.
pub(crate) trait Member {
    fn is_collection(&self) -> bool;

    /// What C# calls its type.
    fn kind(&self) -> String;

    /// Assigns a recorded value to a variable. `false`, and nothing is done, where C# takes it for the
    /// value that is there, and this library does not.
    fn set(&mut self, value: &Value) -> bool;

    /// Does one operation on a collection. `false` where Mirror throws.
    fn operate(&mut self, operation: &str, arguments: &[Value]) -> bool;

    /// The value or the content; what is in no order is sorted.
    fn shown(&self) -> Value;

    /// A recorded value or content, in the form of [`shown`](Self::shown).
    fn canonical(&self, recorded: &Value) -> Value;
}

impl<T: Recorded + PartialEq + Send + Sync + 'static> Member for SyncVar<T> {
    fn is_collection(&self) -> bool {
        false
    }

    fn kind(&self) -> String {
        T::kind()
    }

    fn set(&mut self, value: &Value) -> bool {
        let value = T::from_json(value);
        if value.is_reference() {
            // Another instance, whatever is in it.
            **self = value;
        } else if value.is_equal_in_csharp(self) && !value.same(self) {
            return false;
        } else {
            SyncVar::set(self, value);
        }
        true
    }

    fn operate(&mut self, operation: &str, _: &[Value]) -> bool {
        panic!("`{operation}` of a variable");
    }

    fn shown(&self) -> Value {
        (**self).to_json()
    }

    fn canonical(&self, recorded: &Value) -> Value {
        T::canonical(recorded)
    }
}

/// Elements that a list can have.
pub(crate) trait Element: Recorded + SyncValue + Clone + PartialEq + 'static {}

impl<T: Recorded + SyncValue + Clone + PartialEq + 'static> Element for T {}

impl<T: Element> Member for SyncList<T> {
    fn is_collection(&self) -> bool {
        true
    }

    fn kind(&self) -> String {
        format!("SyncList<{}>", T::kind())
    }

    fn set(&mut self, value: &Value) -> bool {
        panic!("a list, set to {}", value.brief());
    }

    fn operate(&mut self, operation: &str, arguments: &[Value]) -> bool {
        let elements = |list: &Value| -> Vec<T> { list.list().iter().map(T::from_json).collect() };
        match (operation, arguments) {
            ("Add", [value]) => self.push(T::from_json(value)),
            ("AddRange", [values]) => self.extend(elements(values)),
            ("Insert", [index, value]) if index.number::<usize>() <= self.as_slice().len() => {
                self.insert(index.number(), T::from_json(value));
            }
            ("InsertRange", [index, values]) => {
                let start: usize = index.number();
                for (offset, value) in elements(values).into_iter().enumerate() {
                    self.insert(start + offset, value);
                }
            }
            ("RemoveAt", [index]) if index.number::<usize>() < self.as_slice().len() => {
                self.remove(index.number());
            }
            ("Set", [index, value]) if index.number::<usize>() < self.as_slice().len() => {
                SyncList::set(self, index.number(), T::from_json(value));
            }
            ("Insert" | "Set", [_, _]) | ("RemoveAt", [_]) => return false,
            ("Remove", [value]) => {
                let value = T::from_json(value);
                if let Some(index) = self.iter().position(|element| *element == value) {
                    self.remove(index);
                }
            }
            ("RemoveAllEven", []) => {
                self.retain(|element| element.to_json().number::<i64>() % 2 != 0);
            }
            ("Clear", []) => self.clear(),
            (other, _) => panic!("a list does not `{other}` {arguments:?}"),
        }
        true
    }

    fn shown(&self) -> Value {
        self.iter().map(T::to_json).collect()
    }

    fn canonical(&self, recorded: &Value) -> Value {
        recorded.list().iter().map(T::canonical).collect()
    }
}

impl<K: Element + Eq + Hash, V: Element> Member for SyncDictionary<K, V> {
    fn is_collection(&self) -> bool {
        true
    }

    fn kind(&self) -> String {
        format!("SyncDictionary<{},{}>", K::kind(), V::kind())
    }

    fn set(&mut self, value: &Value) -> bool {
        panic!("a dictionary, set to {}", value.brief());
    }

    fn operate(&mut self, operation: &str, arguments: &[Value]) -> bool {
        match (operation, arguments) {
            ("Add", [key, _]) if self.contains_key(&K::from_json(key)) => return false,
            ("Add" | "Set", [key, value]) => {
                self.insert(K::from_json(key), V::from_json(value));
            }
            ("Remove", [key]) => {
                self.remove(&K::from_json(key));
            }
            ("Clear", []) => self.clear(),
            (other, _) => panic!("a dictionary does not `{other}` {arguments:?}"),
        }
        true
    }

    fn shown(&self) -> Value {
        let pairs = self.iter();
        unordered(
            pairs
                .map(|(key, value)| json!([key.to_json(), value.to_json()]))
                .collect(),
        )
    }

    fn canonical(&self, recorded: &Value) -> Value {
        let pairs = recorded.list().iter().map(Json::list);
        unordered(
            pairs
                .map(|pair| json!([K::canonical(&pair[0]), V::canonical(&pair[1])]))
                .collect(),
        )
    }
}

macro_rules! sets {
    ($($type:ident: $bound:path;)*) => {$(
        impl<T: Element + Eq + $bound> Member for $type<T> {
            fn is_collection(&self) -> bool {
                true
            }

            fn kind(&self) -> String {
                format!("{}<{}>", stringify!($type), T::kind())
            }

            fn set(&mut self, value: &Value) -> bool {
                panic!("a set, set to {}", value.brief());
            }

            fn operate(&mut self, operation: &str, arguments: &[Value]) -> bool {
                let elements =
                    |list: &Value| -> Vec<T> { list.list().iter().map(T::from_json).collect() };
                match (operation, arguments) {
                    ("Add", [value]) => {
                        self.insert(T::from_json(value));
                    }
                    ("Remove", [value]) => {
                        self.remove(&T::from_json(value));
                    }
                    ("Clear", []) => self.clear(),
                    ("UnionWith", [values]) => {
                        for value in elements(values) {
                            self.insert(value);
                        }
                    }
                    ("ExceptWith", [values]) => {
                        for value in elements(values) {
                            self.remove(&value);
                        }
                    }
                    ("SymmetricExceptWith", [values]) => {
                        for value in elements(values) {
                            if !self.remove(&value) {
                                self.insert(value);
                            }
                        }
                    }
                    ("IntersectWith", [values]) => {
                        let values = elements(values);
                        self.retain(|value| values.contains(value));
                    }
                    (other, _) => panic!("a set does not `{other}` {arguments:?}"),
                }
                true
            }

            fn shown(&self) -> Value {
                unordered(self.iter().map(T::to_json).collect())
            }

            fn canonical(&self, recorded: &Value) -> Value {
                unordered(recorded.list().iter().map(T::canonical).collect())
            }
        }
    )*};
}

sets! {
    SyncHashSet: Hash;
    SyncSortedSet: Ord;
}
