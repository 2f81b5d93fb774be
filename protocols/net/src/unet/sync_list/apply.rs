//! What an operation does to a list.

use super::ListOperation;
use crate::{ListChange, SyncList, SyncValue};

/// Why an operation makes no sense for a list: the two ends do not have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// There is no element at this position, or no place for one. UNet throws.
    #[error("position {index} in a list of {length} elements")]
    IndexOutOfRange {
        /// The position.
        index: usize,
        /// How many elements there are.
        length: usize,
    },
    /// No element equals the one that is to be taken out. UNet passes over it.
    #[error("no element of the list equals the one that is to be taken out")]
    NotFound,
}

impl<T: SyncValue + PartialEq> ListOperation<T> {
    /// Does to a list what UNet's client does, and says what has changed, as a hook would be told;
    /// `None` if nothing has.
    ///
    /// `Add` adds at the end, whatever its position is. `Remove` takes out the first element that
    /// [`==`](PartialEq) says equals the value, or that is the same bit for bit: as in C#, a zero equals
    /// a negative zero and a NaN itself. The list notices the change as any other.
    ///
    /// ```
    /// # use syncvar::{ListChange, ListError, ListOperation, SyncList};
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
    /// When a position lies beyond the end, and when nothing equals what is to be taken out. The list
    /// is as it was then.
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
