//! `ListChange`: what has happened to a list.

/// One change of a [`SyncList`](crate::SyncList), as a hook on a client is told of it.
///
/// Positions are those at the moment of the change, when the changes before it had been made and
/// those after it had not. When a hook runs, all of them have been made, and the list is as it is on
/// the server. Made one after another to what the list was before, they make it what it is now. In the
/// encoding `Mirror` they are what was done, so that an element can be set to the same, and an empty list
/// cleared.
///
/// ```
/// use syncvar::ListChange;
///
/// let change = ListChange::Set { index: 3, previous: "sword", value: "axe" };
/// assert_eq!(change.index(), Some(3));
/// assert_eq!((change.previous(), change.value()), (Some(&"sword"), Some(&"axe")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListChange<T> {
    /// An element was added at the end.
    Add {
        /// Where it is.
        index: usize,
        /// The new element.
        value: T,
    },
    /// An element was put before others.
    Insert {
        /// Where it is; those from there on have moved up by one.
        index: usize,
        /// The new element.
        value: T,
    },
    /// An element has become another one.
    Set {
        /// Where it is.
        index: usize,
        /// What it was.
        previous: T,
        /// What it has become.
        value: T,
    },
    /// An element was taken out.
    RemoveAt {
        /// Where it was; those behind it have moved down by one.
        index: usize,
        /// What it was.
        previous: T,
    },
    /// All elements were taken out.
    Clear {
        /// What they were.
        previous: Vec<T>,
    },
}

impl<T> ListChange<T> {
    /// The position that it concerns; `None` if that is all of them.
    pub fn index(&self) -> Option<usize> {
        match self {
            Self::Add { index, .. }
            | Self::Insert { index, .. }
            | Self::Set { index, .. }
            | Self::RemoveAt { index, .. } => Some(*index),
            Self::Clear { .. } => None,
        }
    }

    /// What was there before, at a position.
    pub fn previous(&self) -> Option<&T> {
        match self {
            Self::Set { previous, .. } | Self::RemoveAt { previous, .. } => Some(previous),
            Self::Add { .. } | Self::Insert { .. } | Self::Clear { .. } => None,
        }
    }

    /// What is there since.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Add { value, .. } | Self::Insert { value, .. } | Self::Set { value, .. } => {
                Some(value)
            }
            Self::RemoveAt { .. } | Self::Clear { .. } => None,
        }
    }
}
