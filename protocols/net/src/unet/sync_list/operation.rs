//! `ListOperation`: what can be done to a list of UNet's.

use crate::{
    ListChange, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue, WriteErrorKind,
};

/// One operation on a list, with UNet's numbers. Positions are those at its moment.
///
/// | operation | number | position on the wire | element on the wire | when UNet sends it |
/// | --- | --- | --- | --- | --- |
/// | `Add` | 0 | where it is | the new one | always |
/// | `Clear` | 1 | 0 | the default one | always, of an empty list too |
/// | `Insert` | 2 | where it is | the new one | always |
/// | `Remove` | 3 | 0 | one that equals it | if there is one |
/// | `RemoveAt` | 4 | where it was | the default one | always |
/// | `Set` | 5 | where it is | the new one | if it is another one |
/// | `Dirty` | 6 | where it is | as it is now | always |
///
/// Position and element of an operation that has none are read and passed over, whatever they are, as
/// UNet does.
///
/// A change that a hook is told of can be made one with `into`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListOperation<T> {
    /// An element is added at the end.
    Add {
        /// Where it is on the server. UNet's client does not look at it.
        index: usize,
        /// The new element.
        value: T,
    },
    /// All elements are taken out.
    Clear,
    /// An element is put before others, or at the end.
    Insert {
        /// Where it is.
        index: usize,
        /// The new element.
        value: T,
    },
    /// The first element that equals this one is taken out.
    Remove {
        /// What it equals.
        value: T,
    },
    /// An element is taken out.
    RemoveAt {
        /// Where it was.
        index: usize,
    },
    /// An element becomes another one.
    Set {
        /// Where it is.
        index: usize,
        /// What it becomes.
        value: T,
    },
    /// An element is sent again, for something in it may have changed.
    Dirty {
        /// Where it is.
        index: usize,
        /// What it is now.
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
    /// UNet's number of the operation.
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

    /// The position that it concerns, if it names one.
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

    /// The element that it brings along, if it does.
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
        // A position that this machine cannot count to is beyond the end of any list.
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
    /// The operation that makes the same change.
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
