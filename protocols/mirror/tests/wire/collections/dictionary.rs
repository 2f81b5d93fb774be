use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar_runtime::{DictionaryChange, SyncDictionary};

use crate::collections::{Subject, nonsense, read_anything, run, step};

/// What is done, to which key, and with which value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit(u8, i32, i32);

fn edit() -> impl Strategy<Value = Edit> {
    (0..16_u8, 0..6_i32, 0..4_i32).prop_map(|(a, b, c)| Edit(a, b, c))
}

impl Subject for SyncDictionary<i32, i32> {
    type Edit = Edit;
    type Content = BTreeMap<i32, i32>;

    fn edit(&mut self, &Edit(what, key, value): &Edit) {
        match what {
            0..=3 => {
                self.insert(key, value);
            }
            4 | 5 => {
                self.remove(&key);
            }
            6 => self.extend([(key, value), (key + 1, value)]),
            7 => *self.entry(key).or_insert(value) += 1,
            8 => drop(self.entry(key).and_modify(|old| *old = value)),
            9 => drop(self.entry(key).or_default()),
            10 => self.retain(|key, old| *old != value || *key == 0),
            11 => self.for_each_mut(|_, old| *old = value),
            12 => self.clear(),
            13 => drop(self.drain()),
            _ => {
                if let Some(mut old) = self.get_mut(&key) {
                    *old = value;
                    if what == 15 {
                        std::mem::forget(old);
                    }
                }
            }
        }
    }

    fn content(&self) -> BTreeMap<i32, i32> {
        self.iter().map(|(key, value)| (*key, *value)).collect()
    }

    fn replay(content: &mut BTreeMap<i32, i32>, told: Vec<DictionaryChange<i32, i32>>) {
        for change in told {
            match change {
                DictionaryChange::Add { key, value } => {
                    assert_eq!(content.insert(key, value), None);
                }
                DictionaryChange::Set {
                    key,
                    previous,
                    value,
                } => assert_eq!(content.insert(key, value), Some(previous)),
                DictionaryChange::Remove { key, previous } => {
                    assert_eq!(content.remove(&key), Some(previous));
                }
                DictionaryChange::Clear { previous } => {
                    assert_eq!(std::mem::take(content), previous.into_iter().collect());
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn every_client_has_the_dictionary_of_the_server(steps in vec(step(edit()), 1..60)) {
        run::<SyncDictionary<i32, i32>>(&steps);
    }

    #[test]
    fn a_dictionary_can_read_anything(start in nonsense(), change in nonsense()) {
        read_anything::<SyncDictionary<i32, i32>>(&start, &change, SyncDictionary::len);
    }
}
