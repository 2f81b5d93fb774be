//! `ListOperation`: operations on UNet's lists.

use syncvar_runtime::{
    ListChange, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue, WriteErrorKind,
};

/// Operation on a list, with UNet's numbers. Positions are valid at the time of the operation.
///
/// | operation | number | position on the wire | element on the wire | sent by UNet |
/// | --- | --- | --- | --- | --- |
/// | `Add` | 0 | new position | new element | always |
/// | `Clear` | 1 | 0 | default element | always, also for an empty list |
/// | `Insert` | 2 | new position | new element | always |
/// | `Remove` | 3 | 0 | equal element | if an equal element exists |
/// | `RemoveAt` | 4 | old position | default element | always |
/// | `Set` | 5 | position | new element | if the element differs |
/// | `Dirty` | 6 | position | current element | always |
///
/// As in UNet, an unused position or element is read and ignored.
///
/// The change that a hook receives converts into an operation with `into`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListOperation<T> {
    /// Appends an element.
    Add {
        /// Position on the server. UNet's client ignores it.
        index: usize,
        /// New element.
        value: T,
    },
    /// Removes all elements.
    Clear,
    /// Inserts an element, possibly at the end.
    Insert {
        /// Position of the element.
        index: usize,
        /// New element.
        value: T,
    },
    /// Removes the first element that equals the value.
    Remove {
        /// Value of the removed element.
        value: T,
    },
    /// Removes the element at a position.
    RemoveAt {
        /// Position of the removed element.
        index: usize,
    },
    /// Replaces an element.
    Set {
        /// Position of the element.
        index: usize,
        /// New element.
        value: T,
    },
    /// Sends an element again, after a possible change inside it.
    Dirty {
        /// Position of the element.
        index: usize,
        /// Current element.
        value: T,
    },
}

const ADD: u8 = 0;
const CLEAR: u8 = 1;
const INSERT: u8 = 2;
const REMOVE: u8 = 3;
const REMOVE_AT: u8 = 4;
const SET: u8 = 5;
const DIRTY: u8 = 6;

impl<T> ListOperation<T> {
    /// Returns UNet's number of the operation.
    pub fn number(&self) -> u8 {
        match self {
            Self::Add { .. } => ADD,
            Self::Clear => CLEAR,
            Self::Insert { .. } => INSERT,
            Self::Remove { .. } => REMOVE,
            Self::RemoveAt { .. } => REMOVE_AT,
            Self::Set { .. } => SET,
            Self::Dirty { .. } => DIRTY,
        }
    }

    /// Returns the position of the operation.
    pub fn index(&self) -> Option<usize> {
        match self {
            Self::Add { index, .. }
            | Self::Insert { index, .. }
            | Self::RemoveAt { index }
            | Self::Set { index, .. }
            | Self::Dirty { index, .. } => Some(*index),
            Self::Clear | Self::Remove { .. } => None,
        }
    }

    /// Returns the element of the operation.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Add { value, .. }
            | Self::Insert { value, .. }
            | Self::Remove { value }
            | Self::Set { value, .. }
            | Self::Dirty { value, .. } => Some(value),
            Self::Clear | Self::RemoveAt { .. } => None,
        }
    }
}

impl<T: SyncValue> ListOperation<T> {
    pub(super) fn write(&self, writer: &mut NetworkWriter)
    where
        T: Default,
    {
        let Ok(index) = u32::try_from(self.index().unwrap_or_default()) else {
            return writer.fail(WriteErrorKind::Custom("a position of more than 32 bits"));
        };
        writer.write_u8(self.number());
        writer.write_packed_u32(index);
        match self.value() {
            Some(value) => value.write(writer),
            None => T::default().write(writer),
        }
    }

    pub(super) fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let at_operation = reader.clone();
        let operation = reader.read_u8()?;
        if operation > DIRTY {
            let (what, value) = ("operation on a list", operation.into());
            return Err(at_operation.error(ReadErrorKind::InvalidValue { what, value }));
        }
        // A position above `usize` is beyond the end of any list.
        let index = usize::try_from(reader.read_packed_u32()?).unwrap_or(usize::MAX);
        let value = T::read(reader)?;
        Ok(match operation {
            ADD => Self::Add { index, value },
            CLEAR => Self::Clear,
            INSERT => Self::Insert { index, value },
            REMOVE => Self::Remove { value },
            REMOVE_AT => Self::RemoveAt { index },
            SET => Self::Set { index, value },
            _ => Self::Dirty { index, value },
        })
    }
}

impl<T> From<ListChange<T>> for ListOperation<T> {
    /// Returns the operation with the same effect.
    fn from(change: ListChange<T>) -> Self {
        match change {
            ListChange::Add { index, value } => Self::Add { index, value },
            ListChange::Insert { index, value } => Self::Insert { index, value },
            ListChange::Set { index, value, .. } => Self::Set { index, value },
            ListChange::RemoveAt { index, .. } => Self::RemoveAt { index },
            ListChange::Clear { .. } => Self::Clear,
        }
    }
}
