//! `ListChange`: a change of a list.

/// One change of a [`SyncList`](crate::SyncList), the argument of a hook on a client.
///
/// A position is the position at the time of the change, after the changes before it and
/// before the changes behind it. All changes have been applied when a hook runs, and the list equals the
/// server's. Applied in order to the previous list, they produce the present list. In the
/// encoding `Mirror` they are the operations of the server, even if it sets an equal value or clears an
/// empty list.
///
/// ```
/// use syncvar::fields::ListChange;
///
/// let change = ListChange::Set { index: 3, previous: "sword", value: "axe" };
/// assert_eq!(change.index(), Some(3));
/// assert_eq!((change.previous(), change.value()), (Some(&"sword"), Some(&"axe")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListChange<T> {
    /// An element was added at the end.
    Add {
        /// Position of the element.
        index: usize,
        /// The new element.
        value: T,
    },
    /// An element was inserted before the end.
    Insert {
        /// Position of the element; the elements from there on have moved up by one.
        index: usize,
        /// The new element.
        value: T,
    },
    /// An element was replaced.
    Set {
        /// Position of the element.
        index: usize,
        /// The previous element.
        previous: T,
        /// The new element.
        value: T,
    },
    /// An element was removed.
    RemoveAt {
        /// Previous position of the element; the elements behind it have moved down by one.
        index: usize,
        /// The previous element.
        previous: T,
    },
    /// All elements were removed.
    Clear {
        /// The previous elements.
        previous: Vec<T>,
    },
}

impl<T> ListChange<T> {
    /// Returns the position of the change; `None` for [`Clear`](Self::Clear).
    pub fn index(&self) -> Option<usize> {
        match self {
            Self::Add { index, .. }
            | Self::Insert { index, .. }
            | Self::Set { index, .. }
            | Self::RemoveAt { index, .. } => Some(*index),
            Self::Clear { .. } => None,
        }
    }

    /// Returns the previous element at a position.
    pub fn previous(&self) -> Option<&T> {
        match self {
            Self::Set { previous, .. } | Self::RemoveAt { previous, .. } => Some(previous),
            Self::Add { .. } | Self::Insert { .. } | Self::Clear { .. } => None,
        }
    }

    /// Returns the new element at a position.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Add { value, .. } | Self::Insert { value, .. } | Self::Set { value, .. } => {
                Some(value)
            }
            Self::RemoveAt { .. } | Self::Clear { .. } => None,
        }
    }
}
