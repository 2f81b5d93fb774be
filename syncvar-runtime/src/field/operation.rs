//! `Operation`: one change of a collection, as it was made; `OperationLog`: those of the next delta.

use crate::{NetworkReader, NetworkWriter, ReadError};

/// An operation, as it was made.
pub(super) trait Operation: Sized {
    /// The operation that removes all elements.
    const CLEAR: Self;

    fn write(&self, writer: &mut NetworkWriter);
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError>;
}

/// Operations that a collection keeps for its next delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationLog {
    /// Operations merged into their common effect.
    Coalesced,
    /// Every operation in order, as Mirror's protocol sends them.
    Full {
        /// Limit of the operations that snapshots of a replaced collection have left to later deltas.
        /// The new collection is emptied as many times first; clients that expect them pass over these.
        pending: usize,
    },
}
