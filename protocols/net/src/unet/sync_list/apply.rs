//! Application of an operation to a list.

use std::error::Error;
use std::fmt;

use super::ListOperation;
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
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IndexOutOfRange { index, length } => {
                write!(f, "position {index} in a list of {length} elements")
            }
            Self::NotFound => f.write_str("no element of the list equals the removed value"),
        }
    }
}

impl Error for ListError {}

impl<T> ListOperation<T> {
    /// Returns the work of [`apply`](Self::apply) on a list of this length, in bytes moved and compared. A
    /// program charges it for a peer that it does not trust:
    /// [`NetworkReader::take_work`](syncvar_runtime::NetworkReader::take_work).
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
