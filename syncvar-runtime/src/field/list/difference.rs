//! Where two lists differ.

use std::ops::Range;

use super::ListChange;
use crate::SyncValue;

/// What stands between the elements that two lists have in common at their beginning and at their end.
pub(super) struct Difference {
    /// So many elements are the same before it.
    start: usize,
    /// So many elements of the former list are in it, and so many of the latter.
    former: usize,
    latter: usize,
}

/// `None` if all is the same.
pub(super) fn difference<T: SyncValue>(former: &[T], latter: &[T]) -> Option<Difference> {
    let same = |(a, b): &(&T, &T)| a.same(b);
    let start = former.iter().zip(latter).take_while(same).count();
    let (former, latter) = (&former[start..], &latter[start..]);
    let from_behind = former.iter().rev().zip(latter.iter().rev());
    let end = from_behind.take_while(same).count();
    let difference = Difference {
        start,
        former: former.len() - end,
        latter: latter.len() - end,
    };
    (difference.former.max(difference.latter) > 0).then_some(difference)
}

impl Difference {
    /// The positions at which both have an element there.
    pub(super) fn set(&self) -> Range<usize> {
        self.start..self.start + self.former.min(self.latter)
    }

    /// What only the former has behind those, and what only the latter has: one of them is empty.
    pub(super) fn moved(&self) -> (Range<usize>, Range<usize>) {
        let start = self.set().end;
        (
            start..self.start + self.former,
            start..self.start + self.latter,
        )
    }
}

/// What stands around elements that become others: so many before them, and so many behind.
#[derive(Clone, Copy, Default)]
pub(super) struct Around {
    pub(super) before: usize,
    pub(super) behind: usize,
}

/// Tells what has changed where some elements have become others.
pub(super) fn changes<T: SyncValue>(
    former: Vec<T>,
    latter: &[T],
    Around { before, behind }: Around,
    told: &mut Vec<ListChange<T>>,
) {
    let Some(found) = difference(&former, latter) else {
        return;
    };
    if latter.is_empty() && before == 0 && behind == 0 {
        told.push(ListChange::Clear { previous: former });
        return;
    }
    let (removed, inserted) = found.moved();
    let mut former = former.into_iter().skip(found.start);
    for place in found.set() {
        if let (Some(previous), Some(value)) = (former.next(), latter.get(place))
            && !previous.same(value)
        {
            let (index, value) = (before + place, value.clone());
            told.push(ListChange::Set {
                index,
                previous,
                value,
            });
        }
    }
    let index = before + removed.start;
    let gone = former.take(removed.len());
    told.extend(gone.map(|previous| ListChange::RemoveAt { index, previous }));
    let at_end = behind == 0 && inserted.end == latter.len();
    let new = latter.get(inserted.clone()).unwrap_or_default();
    told.extend(inserted.zip(new).map(|(place, value)| {
        let (index, value) = (before + place, value.clone());
        if at_end {
            ListChange::Add { index, value }
        } else {
            ListChange::Insert { index, value }
        }
    }));
}
