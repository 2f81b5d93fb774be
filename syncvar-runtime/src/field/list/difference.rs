//! Difference of two lists.

use std::ops::Range;

use super::ListChange;
use crate::SyncValue;

/// The hunk between the common elements at the beginning and at the end of two lists.
pub(super) struct Difference {
    /// Number of equal elements before it.
    start: usize,
    /// Length of the hunk in the previous and in the present list.
    former: usize,
    latter: usize,
}

/// Returns the difference; `None` for equal lists.
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
    /// Returns the positions with an element in both lists.
    pub(super) fn set(&self) -> Range<usize> {
        self.start..self.start + self.former.min(self.latter)
    }

    /// Returns the surplus of either list behind the common length: at least one range is empty.
    pub(super) fn moved(&self) -> (Range<usize>, Range<usize>) {
        let start = self.set().end;
        (
            start..self.start + self.former,
            start..self.start + self.latter,
        )
    }
}

/// Numbers of elements before and behind the replaced elements.
#[derive(Clone, Copy, Default)]
pub(super) struct Around {
    pub(super) before: usize,
    pub(super) behind: usize,
}

/// Collects the changes of a replacement of elements.
pub(super) fn changes<T: SyncValue>(
    former: Vec<T>,
    latter: &[T],
    Around { before, behind }: Around,
    reported: &mut Vec<ListChange<T>>,
) {
    let Some(found) = difference(&former, latter) else {
        return;
    };
    if latter.is_empty() && before == 0 && behind == 0 {
        reported.push(ListChange::Clear { previous: former });
        return;
    }
    let (removed, inserted) = found.moved();
    let mut former = former.into_iter().skip(found.start);
    for place in found.set() {
        if let (Some(previous), Some(value)) = (former.next(), latter.get(place))
            && !previous.same(value)
        {
            let (index, value) = (before + place, value.clone());
            reported.push(ListChange::Set {
                index,
                previous,
                value,
            });
        }
    }
    let index = before + removed.start;
    let gone = former.take(removed.len());
    reported.extend(gone.map(|previous| ListChange::RemoveAt { index, previous }));
    let at_end = behind == 0 && inserted.end == latter.len();
    let new = latter.get(inserted.clone()).unwrap_or_default();
    reported.extend(inserted.zip(new).map(|(place, value)| {
        let (index, value) = (before + place, value.clone());
        if at_end {
            ListChange::Add { index, value }
        } else {
            ListChange::Insert { index, value }
        }
    }));
}
