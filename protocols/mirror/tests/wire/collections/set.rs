use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar_runtime::{SetChange, SyncHashSet, SyncSortedSet};

use crate::collections::{Subject, nonsense, read_anything, run, step};

/// What is done, and with which element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit(u8, i32);

fn edit() -> impl Strategy<Value = Edit> {
    (0..12_u8, 0..7_i32).prop_map(|(a, b)| Edit(a, b))
}

fn replay(content: &mut BTreeSet<i32>, told: Vec<SetChange<i32>>) {
    for change in told {
        match change {
            SetChange::Add { value } => assert!(content.insert(value)),
            SetChange::Remove { value } => assert!(content.remove(&value)),
            SetChange::Clear { previous } => {
                assert_eq!(std::mem::take(content), previous.into_iter().collect());
            }
        }
    }
}

impl Subject for SyncHashSet<i32> {
    type Edit = Edit;
    type Content = BTreeSet<i32>;

    fn edit(&mut self, &Edit(what, value): &Edit) {
        match what {
            0..=4 => drop(self.insert(value).then_some(value)),
            5 | 6 => drop(self.remove(&value).then_some(value)),
            7 => self.extend([value, value + 1]),
            8 => self.retain(|item| *item != value),
            9 => drop(self.drain()),
            10 => self.clear(),
            _ => assert_eq!(self.contains(&value), self.take(&value).is_some()),
        }
    }

    fn content(&self) -> BTreeSet<i32> {
        self.iter().copied().collect()
    }

    fn replay(content: &mut BTreeSet<i32>, told: Vec<SetChange<i32>>) {
        replay(content, told);
    }
}

impl Subject for SyncSortedSet<i32> {
    type Edit = Edit;
    type Content = BTreeSet<i32>;

    fn edit(&mut self, &Edit(what, value): &Edit) {
        match what {
            0..=4 => drop(self.insert(value).then_some(value)),
            5 => drop(self.remove(&value).then_some(value)),
            6 => drop(self.pop_first().into_iter().chain(self.pop_last())),
            7 => self.extend([value, value + 1]),
            8 => self.retain(|item| *item != value),
            9 => drop(self.drain_range(value..value + 3)),
            10 => self.clear(),
            _ => assert_eq!(self.contains(&value), self.take(&value).is_some()),
        }
    }

    fn content(&self) -> BTreeSet<i32> {
        self.iter().copied().collect()
    }

    fn replay(content: &mut BTreeSet<i32>, told: Vec<SetChange<i32>>) {
        replay(content, told);
    }
}

proptest! {
    #[test]
    fn every_client_has_the_hash_set_of_the_server(steps in vec(step(edit()), 1..60)) {
        run::<SyncHashSet<i32>>(&steps);
    }

    #[test]
    fn every_client_has_the_sorted_set_of_the_server(steps in vec(step(edit()), 1..60)) {
        run::<SyncSortedSet<i32>>(&steps);
    }

    #[test]
    fn a_set_can_read_anything(start in nonsense(), change in nonsense()) {
        read_anything::<SyncHashSet<i32>>(&start, &change, SyncHashSet::len);
        read_anything::<SyncSortedSet<i32>>(&start, &change, |set| set.len());
    }
}
