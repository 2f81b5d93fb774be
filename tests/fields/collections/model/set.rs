//! What can be done to a set.

use std::collections::{BTreeSet, HashSet};

use proptest::collection::{btree_set, hash_set, vec};
use proptest::prelude::*;
use syncvar::prelude::*;

use super::subject::Subject;

/// What can be done to both sets.
#[derive(Clone, Debug)]
pub(crate) enum SetOp {
    Insert(i32),
    Remove(i32),
    TakeOut(i32),
    Retain(i32),
    Clear,
    Drain,
    Extend(Vec<i32>),
    SetDirty,
    /// Another set is put into the place of the set.
    PutAnother(Vec<i32>),
    Take,
}

/// And what only a sorted one can do.
#[derive(Clone, Debug)]
pub(crate) enum SortedOp {
    Any(SetOp),
    PopFirst,
    PopLast,
    DrainRange(i32, i32),
}

/// Few values, some of which are longer than others.
fn value() -> impl Strategy<Value = i32> {
    (-16..16_i32).prop_map(|value| value.pow(5))
}

fn op() -> impl Strategy<Value = SetOp> {
    use SetOp as Op;
    let values = || vec(value(), 0..20);
    prop_oneof![
        8 => value().prop_map(Op::Insert),
        6 => value().prop_map(Op::Remove),
        2 => value().prop_map(Op::TakeOut),
        1 => (2..5_i32).prop_map(Op::Retain),
        1 => Just(Op::Clear),
        1 => Just(Op::Drain),
        1 => values().prop_map(Op::Extend),
        1 => Just(Op::SetDirty),
        1 => values().prop_map(Op::PutAnother),
        1 => Just(Op::Take),
    ]
}

macro_rules! sets {
    ($($act:ident, $replay:ident: $set:ty, $model:ty;)*) => {$(
        fn $act(set: &mut $set, model: &mut $model, op: &SetOp) {
            match op.clone() {
                SetOp::Insert(value) => assert_eq!(set.insert(value), model.insert(value)),
                SetOp::Remove(value) => assert_eq!(set.remove(&value), model.remove(&value)),
                SetOp::TakeOut(value) => assert_eq!(set.take(&value), model.take(&value)),
                SetOp::Retain(divisor) => {
                    set.retain(|value| value % divisor != 0);
                    model.retain(|value| value % divisor != 0);
                }
                SetOp::Clear => {
                    set.clear();
                    model.clear();
                }
                SetOp::Drain => {
                    let drained: $model = set.drain().collect();
                    assert_eq!(drained, std::mem::take(model));
                }
                SetOp::Extend(values) => {
                    set.extend(values.clone());
                    model.extend(values);
                }
                SetOp::SetDirty => set.set_dirty(),
                SetOp::PutAnother(values) => {
                    *set = values.iter().copied().collect();
                    *model = values.into_iter().collect();
                }
                SetOp::Take => {
                    let taken: $model = std::mem::take(set).into_iter().collect();
                    assert_eq!(taken, std::mem::take(model));
                }
            }
        }

        fn $replay(model: &mut $model, changes: &[SetChange<i32>]) {
            assert!(!changes.is_empty());
            for change in changes {
                match change.clone() {
                    SetChange::Add { value } => assert!(model.insert(value)),
                    SetChange::Remove { value } => assert!(model.remove(&value)),
                    SetChange::Clear { previous } => {
                        assert!(!previous.is_empty(), "nothing was taken out");
                        assert_eq!(std::mem::take(model), previous.into_iter().collect());
                    }
                }
            }
        }
    )*};
}

sets! {
    act, replay: SyncHashSet<i32>, HashSet<i32>;
    act_sorted, replay_sorted: SyncSortedSet<i32>, BTreeSet<i32>;
}

impl Subject for SyncHashSet<i32> {
    type Model = HashSet<i32>;
    type Op = SetOp;

    fn op() -> BoxedStrategy<SetOp> {
        op().boxed()
    }
    fn content() -> BoxedStrategy<Self::Model> {
        hash_set(value(), 0..30).boxed()
    }
    fn from_model(model: &Self::Model) -> Self {
        model.iter().copied().collect()
    }
    fn model(&self) -> Self::Model {
        self.iter().copied().collect()
    }
    fn act(&mut self, model: &mut Self::Model, op: &SetOp) {
        act(self, model, op);
        assert_eq!(self.model(), *model);
        assert_eq!(self.len(), model.len());
    }
    fn replay(model: &mut Self::Model, changes: &Vec<SetChange<i32>>) {
        replay(model, changes);
    }
}

impl Subject for SyncSortedSet<i32> {
    type Model = BTreeSet<i32>;
    type Op = SortedOp;

    fn op() -> BoxedStrategy<SortedOp> {
        prop_oneof![
            8 => op().prop_map(SortedOp::Any),
            1 => Just(SortedOp::PopFirst),
            1 => Just(SortedOp::PopLast),
            1 => (value(), value()).prop_map(|(a, b)| SortedOp::DrainRange(a, b)),
        ]
        .boxed()
    }
    fn content() -> BoxedStrategy<Self::Model> {
        btree_set(value(), 0..30).boxed()
    }
    fn from_model(model: &Self::Model) -> Self {
        model.iter().copied().collect()
    }
    fn model(&self) -> Self::Model {
        (**self).clone()
    }
    fn act(&mut self, model: &mut Self::Model, op: &SortedOp) {
        match op {
            SortedOp::Any(op) => act_sorted(self, model, op),
            SortedOp::PopFirst => assert_eq!(self.pop_first(), model.pop_first()),
            SortedOp::PopLast => assert_eq!(self.pop_last(), model.pop_last()),
            SortedOp::DrainRange(a, b) => {
                let range = a.min(b)..=a.max(b);
                let expected: Vec<_> = model.range(range.clone()).copied().collect();
                model.retain(|value| !range.contains(&value));
                assert_eq!(self.drain_range(range), expected);
            }
        }
        assert_eq!(**self, *model);
    }
    fn replay(model: &mut Self::Model, changes: &Vec<SetChange<i32>>) {
        replay_sorted(model, changes);
    }
}
