use proptest::collection::vec;
use proptest::prelude::*;
use syncvar_runtime::{ListChange, SyncList};

use crate::collections::{Subject, nonsense, read_anything, run, step};

/// What is done, at which two positions, and with which value. A position that is not there is the one
/// behind the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit(u8, usize, usize, i32);

fn edit() -> impl Strategy<Value = Edit> {
    (0..28_u8, 0..9_usize, 0..9_usize, 0..5_i32).prop_map(|(a, b, c, d)| Edit(a, b, c, d))
}

impl Subject for SyncList<i32> {
    type Edit = Edit;
    type Content = Vec<i32>;

    fn edit(&mut self, &Edit(what, first, second, value): &Edit) {
        let (first, second) = (first.min(self.len()), second.min(self.len()));
        let range = first.min(second)..first.max(second);
        match what {
            0..=3 => self.push(value),
            4 | 5 => self.insert(first, value),
            6 => self.extend([value, value + 1]),
            7 => self.append(&mut vec![value; 2]),
            8 => drop(self.splice(range, [value, value])),
            9 => drop(self.splice(first..first, [1, 2, value])),
            10 => drop(self.drain(range)),
            11 => self.truncate(first),
            12 => self.resize(second, value),
            13 => drop(self.split_off(first)),
            14 => self.retain(|item| *item != value),
            15 => self.dedup(),
            16 => self.sort(),
            17 => self.reverse(),
            18 => self.update(|items| items.rotate_left(first)),
            19 => self.update(|items| items.insert(first, value)),
            20 => self.for_each_mut(|item| *item = (*item * value) % 7),
            21 => self.clear(),
            _ if first == self.len() => {}
            22 => {
                self.pop();
            }
            23 => {
                self.set(first, value);
                assert!(!self.set(first, value), "it is the same");
            }
            24 => {
                self.remove(first);
            }
            25 => {
                self.swap_remove(first);
            }
            26 => self.swap(first, second.min(self.len() - 1)),
            _ => {
                let mut element = self.get_mut(first).expect("it is there");
                *element = value;
                if second > 3 {
                    std::mem::forget(element);
                }
            }
        }
    }

    fn content(&self) -> Vec<i32> {
        self.to_vec()
    }

    fn replay(content: &mut Vec<i32>, told: Vec<ListChange<i32>>) {
        for change in told {
            match change {
                ListChange::Add { index, value } => {
                    assert_eq!(index, content.len());
                    content.push(value);
                }
                ListChange::Insert { index, value } => content.insert(index, value),
                ListChange::Set {
                    index,
                    previous,
                    value,
                } => assert_eq!(std::mem::replace(&mut content[index], value), previous),
                ListChange::RemoveAt { index, previous } => {
                    assert_eq!(content.remove(index), previous);
                }
                ListChange::Clear { previous } => assert_eq!(std::mem::take(content), previous),
            }
        }
    }
}

proptest! {
    #[test]
    fn every_client_has_the_list_of_the_server(steps in vec(step(edit()), 1..60)) {
        run::<SyncList<i32>>(&steps);
    }

    #[test]
    fn a_list_can_read_anything(start in nonsense(), change in nonsense()) {
        read_anything::<SyncList<i32>>(&start, &change, |list| list.len());
    }
}
