//! Iterators of a [`SyncHashSet`](crate::SyncHashSet).

use indexmap::set;

use super::iterators::wrapped_iterator;

/// Iterator over the elements of a [`SyncHashSet`](crate::SyncHashSet).
#[derive(Debug)]
pub struct Iter<'a, T>(pub(super) set::Iter<'a, T>);

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Iterator over the elements of a consumed [`SyncHashSet`](crate::SyncHashSet).
#[derive(Debug)]
pub struct IntoIter<T>(pub(super) set::IntoIter<T>);

wrapped_iterator!(Iter<'a, T>, &'a T);
wrapped_iterator!(IntoIter<T>, T);
