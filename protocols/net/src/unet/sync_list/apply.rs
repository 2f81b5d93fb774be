//! Application of an operation to a list.

use std::error::Error;
use std::fmt;

use super::ListOperation;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::{ListChange, SyncList, SyncValue};

/// Mismatch of an operation and a list: the two sides hold different lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListError {
    /// The position lies beyond the end. UNet throws.
    IndexOutOfRange {
        /// Position of the operation.
        index: usize,
        /// Length of the list.
        length: usize,
    },
    /// No element equals the removed value. UNet ignores the operation.
    NotFound,
    /// The operation needs more [work](ListOperation::work) than the budget has.
    TooMuchWork {
        /// Work of the operation.
        needed: usize,
        /// Rest of the budget.
        left: usize,
    },
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IndexOutOfRange { index, length } => {
                write!(f, "position {index} in a list of {length} elements")
            }
            Self::TooMuchWork { needed, left } => {
                write!(f, "an operation with the work {needed}, and {left} is left")
            }
            Self::NotFound => f.write_str("no element of the list equals the removed value"),
        }
    }
}

impl Error for ListError {}

impl<T> ListOperation<T> {
    /// Returns the work of [`apply`](Self::apply) on a list of this length, in bytes moved and compared.
    ///
    /// ```
    /// # use syncvar::unet::ListOperation;
    /// let operation = ListOperation::Insert { index: 10, value: 7_u64 };
    /// assert_eq!(operation.work(110), 800);
    /// ```
    pub const fn work(&self, length: usize) -> usize {
        let moved = match self {
            Self::Insert { index, .. } | Self::RemoveAt { index } => length.saturating_sub(*index),
            Self::Remove { .. } | Self::Clear => length,
            Self::Add { .. } | Self::Set { .. } | Self::Dirty { .. } => 1,
        };
        moved.saturating_mul(size_of::<T>())
    }
}

impl<T: SyncValue + PartialEq> ListOperation<T> {
    /// Like [`apply`](Self::apply), within the work of a budget, for a peer without trust: 20 KB of
    /// insertions at the front of a million numbers move 11 GB.
    ///
    /// ```
    /// # use syncvar::limits::{Limits, WorkMeter};
    /// # use syncvar::{SyncList, unet::{ListError, ListOperation}};
    /// let mut list = SyncList::from(vec![7_u64; 1000]);
    /// // Once per update.
    /// let mut budget = WorkMeter::default().begin(&Limits::default(), 0);
    /// # budget.work = 10_000;
    /// let insert = ListOperation::Insert { index: 0, value: 1 };
    /// insert.clone().apply_within(&mut list, &mut budget)?;
    /// let error = insert.apply_within(&mut list, &mut budget).unwrap_err();
    /// assert_eq!(error, ListError::TooMuchWork { needed: 8008, left: 2000 });
    /// # Ok::<(), ListError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ListError::TooMuchWork`], and the errors of [`apply`](Self::apply).
    pub fn apply_within(
        self,
        list: &mut SyncList<T>,
        budget: &mut ReadBudget,
    ) -> Result<Option<ListChange<T>>, ListError> {
        let (needed, left) = (self.work(list.len()), budget.work);
        let rest = left.checked_sub(needed);
        budget.work = rest.ok_or(ListError::TooMuchWork { needed, left })?;
        self.apply(list)
    }

    /// Applies the operation to a list as UNet's client does. Returns the change as a hook receives it, or
    /// `None` without a change.
    ///
    /// `Add` appends and ignores its position. `Remove` removes the first element that equals the value
    /// by [`==`](PartialEq) or bit for bit: as in C#, zero equals negative zero and NaN equals itself. The
    /// list records the change like any other.
    ///
    /// ```
    /// # use syncvar::{SyncList, fields::ListChange, unet::{ListError, ListOperation}};
    /// let mut list = SyncList::from([7, 8, 7]);
    /// let change = ListOperation::Remove { value: 7 }.apply(&mut list);
    /// assert_eq!(change, Ok(Some(ListChange::RemoveAt { index: 0, previous: 7 })));
    /// assert_eq!(list, [8, 7]);
    /// let error = ListOperation::RemoveAt { index: 2 }.apply(&mut list);
    /// assert_eq!(error, Err(ListError::IndexOutOfRange { index: 2, length: 2 }));
    /// ```
    ///
    /// # Errors
    ///
    /// When a position lies beyond the end, and when no element equals the removed value. The list stays
    /// unchanged.
    pub fn apply(self, list: &mut SyncList<T>) -> Result<Option<ListChange<T>>, ListError> {
        let length = list.len();
        Ok(match self {
            Self::Add { value, .. } => Some(add(list, value)),
            Self::Insert { index, value } if index == length => Some(add(list, value)),
            Self::Insert { index, value } => {
                check(index, length)?;
                list.insert(index, value.clone());
                Some(ListChange::Insert { index, value })
            }
            Self::Clear => {
                let previous: Vec<T> = list.drain(..).collect();
                (!previous.is_empty()).then_some(ListChange::Clear { previous })
            }
            Self::Remove { value } => {
                let equals = |item: &T| *item == value || item.same(&value);
                let index = list.iter().position(equals).ok_or(ListError::NotFound)?;
                let previous = list.remove(index);
                Some(ListChange::RemoveAt { index, previous })
            }
            Self::RemoveAt { index } => {
                check(index, length)?;
                let previous = list.remove(index);
                Some(ListChange::RemoveAt { index, previous })
            }
            Self::Set { index, value } | Self::Dirty { index, value } => {
                check(index, length)?;
                let previous = list.replace(index, value.clone());
                previous.map(|previous| ListChange::Set {
                    index,
                    previous,
                    value,
                })
            }
        })
    }
}

fn add<T: SyncValue>(list: &mut SyncList<T>, value: T) -> ListChange<T> {
    let index = list.len();
    list.push(value.clone());
    ListChange::Add { index, value }
}

fn check(index: usize, length: usize) -> Result<(), ListError> {
    if index < length {
        return Ok(());
    }
    Err(ListError::IndexOutOfRange { index, length })
}
