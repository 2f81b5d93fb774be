//! What can be done to a list.

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::prelude::*;

use super::subject::Subject;

/// Positions are taken modulo what there is.
#[derive(Clone, Debug)]
pub(crate) enum ListOp {
    Push(u32),
    Pop,
    Insert(usize, u32),
    Remove(usize),
    SwapRemove(usize),
    Set(usize, u32),
    /// Written by its index.
    Index(usize, u32),
    Replace(usize, u32),
    /// Written through a guard, or only looked at through one.
    GetMut(usize, Option<u32>),
    /// Written through a guard that is never dropped.
    Leak(usize, u32),
    FirstMut(u32),
    LastMut(u32),
    ForEachMut(u32),
    Swap(usize, usize),
    Clear,
    Truncate(usize),
    Resize(usize, u32),
    SplitOff(usize),
    Append(Vec<u32>),
    Extend(Vec<u32>),
    ExtendByReference(Vec<u32>),
    Drain(usize, usize),
    Splice(usize, usize, Vec<u32>),
    Retain(u32),
    Dedup,
    DedupByKey(u32),
    Sort,
    SortBy,
    SortByKey(u32),
    Reverse,
    RotateLeft(usize),
    /// An update to whatever list.
    Become(Vec<u32>),
    /// An update to whatever list between some elements.
    BecomeInside(usize, usize, Vec<u32>),
    SetDirty,
    /// Another list is put into the place of the list.
    PutAnother(Vec<u32>),
    Take,
}

/// Few different values, so that some are equal, and long ones.
fn value() -> impl Strategy<Value = u32> {
    prop_oneof![3 => 0..4_u32, 1 => any::<u32>()]
}

fn values() -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![4 => vec(value(), 0..4), 1 => vec(value(), 0..50)]
}

fn elements() -> impl Strategy<Value = ListOp> {
    use ListOp as Op;
    let place = any::<usize>;
    prop_oneof![
        4 => value().prop_map(Op::Push),
        1 => Just(Op::Pop),
        3 => (place(), value()).prop_map(|(i, v)| Op::Insert(i, v)),
        2 => place().prop_map(Op::Remove),
        1 => place().prop_map(Op::SwapRemove),
        3 => (place(), value()).prop_map(|(i, v)| Op::Set(i, v)),
        3 => (place(), value()).prop_map(|(i, v)| Op::Index(i, v)),
        1 => (place(), value()).prop_map(|(i, v)| Op::Replace(i, v)),
        2 => (place(), prop::option::of(value())).prop_map(|(i, v)| Op::GetMut(i, v)),
        1 => (place(), value()).prop_map(|(i, v)| Op::Leak(i, v)),
        1 => value().prop_map(Op::FirstMut),
        1 => value().prop_map(Op::LastMut),
        1 => (place(), place()).prop_map(|(a, b)| Op::Swap(a, b)),
    ]
}

fn whole() -> impl Strategy<Value = ListOp> {
    use ListOp as Op;
    let place = any::<usize>;
    prop_oneof![
        (1..4_u32).prop_map(Op::ForEachMut),
        Just(Op::Clear),
        (0..40_usize).prop_map(Op::Truncate),
        ((0..40_usize), value()).prop_map(|(n, v)| Op::Resize(n, v)),
        place().prop_map(Op::SplitOff),
        values().prop_map(Op::Append),
        values().prop_map(Op::Extend),
        values().prop_map(Op::ExtendByReference),
        (place(), place()).prop_map(|(a, b)| Op::Drain(a, b)),
        (place(), place(), values()).prop_map(|(a, b, v)| Op::Splice(a, b, v)),
        (2..5_u32).prop_map(Op::Retain),
        Just(Op::Dedup),
        (1..4_u32).prop_map(Op::DedupByKey),
        Just(Op::Sort),
        Just(Op::SortBy),
        (1..4_u32).prop_map(Op::SortByKey),
        Just(Op::Reverse),
        place().prop_map(Op::RotateLeft),
        values().prop_map(Op::Become),
        (place(), place(), values()).prop_map(|(a, b, v)| Op::BecomeInside(a, b, v)),
        Just(Op::SetDirty),
        values().prop_map(Op::PutAnother),
        Just(Op::Take),
    ]
}

/// A position of an element, if there is one.
fn at(place: usize, length: usize) -> Option<usize> {
    place.checked_rem(length)
}

/// A range that lies in the list.
fn range(a: usize, b: usize, length: usize) -> std::ops::Range<usize> {
    let (a, b) = (a % (length + 1), b % (length + 1));
    a.min(b)..a.max(b)
}

impl Subject for SyncList<u32> {
    type Model = Vec<u32>;
    type Op = ListOp;

    fn op() -> BoxedStrategy<ListOp> {
        prop_oneof![3 => elements(), 1 => whole()].boxed()
    }

    fn content() -> BoxedStrategy<Vec<u32>> {
        vec(value(), 0..60).boxed()
    }

    fn from_model(model: &Vec<u32>) -> Self {
        Self::from(model.clone())
    }

    fn model(&self) -> Vec<u32> {
        self.to_vec()
    }

    fn act(&mut self, model: &mut Vec<u32>, op: &ListOp) {
        act_on_element(self, model, op);
        act_on_whole(self, model, op);
        assert_eq!(self, model);
    }

    fn replay(model: &mut Vec<u32>, changes: &Vec<ListChange<u32>>) {
        assert!(!changes.is_empty());
        for change in changes {
            match change {
                ListChange::Add { index, value } => {
                    assert_eq!(*index, model.len());
                    model.push(*value);
                }
                ListChange::Insert { index, value } => {
                    assert!(*index < model.len());
                    model.insert(*index, *value);
                }
                ListChange::Set {
                    index,
                    previous,
                    value,
                } => {
                    assert_ne!(previous, value);
                    assert_eq!(std::mem::replace(&mut model[*index], *value), *previous);
                }
                ListChange::RemoveAt { index, previous } => {
                    assert_eq!(model.remove(*index), *previous);
                }
                ListChange::Clear { previous } => {
                    assert!(!previous.is_empty(), "nothing was taken out");
                    assert_eq!(std::mem::take(model), *previous);
                }
            }
        }
    }
}

fn act_on_element(list: &mut SyncList<u32>, model: &mut Vec<u32>, op: &ListOp) {
    use ListOp as Op;
    let place = |place| at(place, model.len());
    match *op {
        Op::Push(value) => {
            list.push(value);
            model.push(value);
        }
        Op::Pop => assert_eq!(list.pop(), model.pop()),
        Op::Insert(index, value) => {
            let index = index % (model.len() + 1);
            list.insert(index, value);
            model.insert(index, value);
        }
        Op::Remove(index) => {
            if let Some(index) = place(index) {
                assert_eq!(list.remove(index), model.remove(index));
            }
        }
        Op::SwapRemove(index) => {
            if let Some(index) = place(index) {
                assert_eq!(list.swap_remove(index), model.swap_remove(index));
            }
        }
        Op::Set(index, value) => {
            if let Some(index) = place(index) {
                let previous = std::mem::replace(&mut model[index], value);
                assert_eq!(list.set(index, value), previous != value);
            }
        }
        Op::Replace(index, value) => {
            if let Some(index) = place(index) {
                let previous = std::mem::replace(&mut model[index], value);
                let expected = (previous != value).then_some(previous);
                assert_eq!(list.replace(index, value), expected);
            }
        }
        Op::GetMut(index, value) => match place(index) {
            None => assert!(list.get_mut(index).is_none()),
            Some(index) => {
                let mut element = list.get_mut(index).unwrap();
                assert_eq!((element.index(), *element), (index, model[index]));
                if let Some(value) = value {
                    *element = value;
                    model[index] = value;
                }
            }
        },
        Op::Index(index, value) => {
            if let Some(index) = place(index) {
                list[index] = value;
                model[index] = value;
            }
        }
        Op::Leak(index, value) => {
            if let Some(index) = place(index) {
                let mut element = list.get_mut(index).unwrap();
                *element = value;
                std::mem::forget(element);
                model[index] = value;
            }
        }
        Op::FirstMut(value) => {
            let element = list.first_mut().map(|mut element| *element = value);
            assert_eq!(element, model.first_mut().map(|element| *element = value));
        }
        Op::LastMut(value) => {
            let element = list.last_mut().map(|mut element| *element = value);
            assert_eq!(element, model.last_mut().map(|element| *element = value));
        }
        Op::Swap(a, b) => {
            if let (Some(a), Some(b)) = (place(a), place(b)) {
                list.swap(a, b);
                model.swap(a, b);
            }
        }
        _ => {}
    }
}

fn act_on_whole(list: &mut SyncList<u32>, model: &mut Vec<u32>, op: &ListOp) {
    use ListOp as Op;
    let within = |a, b| range(a, b, model.len());
    match op.clone() {
        Op::ForEachMut(step) => {
            let change = |value: &mut u32| *value -= *value % step;
            list.for_each_mut(change);
            model.iter_mut().for_each(change);
        }
        Op::Clear => {
            list.clear();
            model.clear();
        }
        Op::Truncate(length) => {
            list.truncate(length);
            model.truncate(length);
        }
        Op::Resize(length, value) => {
            list.resize(length, value);
            model.resize(length, value);
        }
        Op::SplitOff(index) => {
            let index = index % (model.len() + 1);
            assert_eq!(list.split_off(index), model.split_off(index));
        }
        Op::Append(mut values) => {
            model.extend(&values);
            list.append(&mut values);
            assert_eq!(values, [0; 0]);
        }
        Op::Extend(values) => {
            model.extend(&values);
            list.extend(values);
        }
        Op::ExtendByReference(values) => {
            model.extend(&values);
            list.extend(&values);
        }
        Op::Drain(a, b) => {
            let range = within(a, b);
            assert!(list.drain(range.clone()).eq(model.drain(range)));
        }
        Op::Splice(a, b, values) => {
            let range = within(a, b);
            let removed = list.splice(range.clone(), values.clone());
            assert!(removed.eq(model.splice(range, values)));
        }
        Op::Retain(divisor) => {
            list.retain(|value| value % divisor != 0);
            model.retain(|value| value % divisor != 0);
        }
        Op::Dedup => {
            list.dedup();
            model.dedup();
        }
        Op::DedupByKey(divisor) => {
            list.dedup_by_key(|value| *value / divisor);
            model.dedup_by_key(|value| *value / divisor);
        }
        Op::Sort => {
            list.sort();
            model.sort_unstable();
        }
        Op::SortBy => {
            list.sort_by(|a, b| b.cmp(a));
            model.sort_by(|a, b| b.cmp(a));
        }
        Op::SortByKey(divisor) => {
            list.sort_by_key(|value| value / divisor);
            model.sort_by_key(|value| value / divisor);
        }
        Op::Reverse => {
            list.reverse();
            model.reverse();
        }
        _ => act_on_contents(list, model, op),
    }
}

fn act_on_contents(list: &mut SyncList<u32>, model: &mut Vec<u32>, op: &ListOp) {
    use ListOp as Op;
    match op.clone() {
        Op::RotateLeft(places) => {
            let places = at(places, model.len()).unwrap_or_default();
            list.update(|items| items.rotate_left(places));
            model.rotate_left(places);
        }
        Op::Become(values) => {
            let former = list.update(|items| std::mem::replace(items, values.clone()));
            assert_eq!(former, std::mem::replace(model, values));
        }
        Op::BecomeInside(a, b, values) => {
            let range = range(a, b, model.len());
            list.update(|items| drop(items.splice(range.clone(), values.clone())));
            model.splice(range, values);
        }
        Op::SetDirty => list.set_dirty(),
        Op::PutAnother(values) => {
            *list = values.clone().into();
            *model = values;
        }
        Op::Take => {
            let taken = std::mem::take(list);
            assert_eq!(taken.into_inner(), std::mem::take(model));
        }
        _ => {}
    }
}
